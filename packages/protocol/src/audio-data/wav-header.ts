/** The beginning of a WAV file of 16 bits in one channel whose length is not known yet: players read to its end. */
export function wavHeader(rate: number): Uint8Array {
  const header = new Uint8Array(44)
  const view = new DataView(header.buffer)
  const text = (at: number, letters: string) => {
    for (let index = 0; index < letters.length; index++) header[at + index] = letters.charCodeAt(index)
  }
  const OPEN = 0xffff_ffff
  text(0, 'RIFF')
  view.setUint32(4, OPEN, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, OPEN, true)
  return header
}
