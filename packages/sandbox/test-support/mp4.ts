// For tests: reads an MP4 file of H.264 baseline strictly, and decodes frames of raw and skipped macroblocks. It shares no
// code with the encoder.

type Box = { type: string; start: number; end: number }
export type DecodedVideo = {
  width: number
  height: number
  seconds: number
  /** Y, then Cb and Cr with a quarter of the samples each. */
  frames: Uint8Array[]
}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

class Bits {
  #at = 0
  readonly #bytes: number[]
  constructor(unit: Uint8Array) {
    this.#bytes = []
    let zeros = 0
    for (const byte of unit) {
      if (zeros >= 2 && byte === 3) {
        zeros = 0
        continue
      }
      must(!(zeros >= 2 && byte < 3), 'a start code inside a NAL unit')
      this.#bytes.push(byte)
      zeros = byte === 0 ? zeros + 1 : 0
    }
  }
  u(count: number): number {
    let value = 0
    for (let bit = 0; bit < count; bit++, this.#at++) {
      must(this.#at < this.#bytes.length * 8, 'beyond the end of a NAL unit')
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
    }
    return value
  }
  ue(): number {
    let zeros = 0
    while (this.u(1) === 0) must(++zeros < 32, 'a number that is too long')
    return 2 ** zeros - 1 + this.u(zeros)
  }
  se(): number {
    const value = this.ue()
    return value % 2 === 0 ? -value / 2 : (value + 1) / 2
  }
  align(): void {
    while (this.#at % 8 !== 0) must(this.u(1) === 0, 'alignment bits must be zero')
  }
  /** Anything but the stop bit and zeros behind it. */
  hasMore(): boolean {
    let last = this.#bytes.length - 1
    while (this.#bytes[last] === 0) last--
    const stop = last * 8 + 7 - Math.log2((this.#bytes[last] ?? 0) & -(this.#bytes[last] ?? 0))
    return this.#at < stop
  }
  end(): void {
    must(this.u(1) === 1, 'no stop bit')
    this.align()
    must(this.#at === this.#bytes.length * 8, 'bytes behind the end of a NAL unit')
  }
}

export function decodeVideo(file: Uint8Array): DecodedVideo {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const u32 = (at: number) => view.getUint32(at)
  const boxes = (start: number, end: number): Box[] => {
    const found: Box[] = []
    for (let at = start; at < end; at += u32(at)) {
      must(u32(at) >= 8 && at + u32(at) <= end, 'a box that is longer than its parent')
      found.push({
        type: Buffer.from(file.subarray(at + 4, at + 8)).toString('latin1'),
        start: at + 8,
        end: at + u32(at),
      })
    }
    return found
  }
  const top = boxes(0, file.length)
  must(top.map(({ type }) => type).join() === 'ftyp,moov,mdat', 'top-level boxes')
  const find = (path: string): Box =>
    path.split('/').reduce<Box>(
      (parent, type) => {
        const found = boxes(parent.start, parent.end).filter((box) => box.type === type)
        must(found.length === 1, `one ${path}`)
        return found[0] as Box
      },
      { type: '', start: 0, end: file.length },
    )
  const table = (name: string) => find(`moov/trak/mdia/minf/stbl/${name}`)
  const mdhd = find('moov/trak/mdia/mdhd')
  const [scale, duration] = [u32(mdhd.start + 12), u32(mdhd.start + 16)]
  const movie = find('moov/mvhd')
  must(u32(movie.start + 12) === scale && u32(movie.start + 16) === duration && movie.end - movie.start === 100, 'mvhd')
  const tkhd = find('moov/trak/tkhd')
  must(tkhd.end - tkhd.start === 84, 'tkhd')
  const [width, height] = [u32(tkhd.end - 8) / 65_536, u32(tkhd.end - 4) / 65_536]
  for (const name of ['hdlr', 'minf/vmhd', 'minf/dinf/dref']) find(`moov/trak/mdia/${name}`)

  const stsd = table('stsd')
  const [avc1] = boxes(stsd.start + 8, stsd.end)
  must(avc1?.type === 'avc1', 'avc1')
  must(view.getUint16(avc1.start + 24) === width && view.getUint16(avc1.start + 26) === height, 'size in avc1')
  const [avcC] = boxes(avc1.start + 78, avc1.end)
  must(avcC?.type === 'avcC' && file[avcC.start] === 1 && file[avcC.start + 4] === 0xff, 'avcC')
  const spsLength = view.getUint16(avcC.start + 6)
  const sps = file.subarray(avcC.start + 8, avcC.start + 8 + spsLength)
  const ppsAt = avcC.start + 8 + spsLength
  must(file[ppsAt] === 1, 'one PPS')
  const pps = file.subarray(ppsAt + 3, ppsAt + 3 + view.getUint16(ppsAt + 1))
  must(ppsAt + 3 + pps.length === avcC.end, 'the end of avcC')
  const coded = checkSets(sps, pps)
  must(coded.width === width && coded.height === height, 'size in SPS')

  const stts = table('stts')
  must(u32(stts.start + 4) === 1 && u32(stts.start + 8) * u32(stts.start + 12) === duration, 'stts')
  const stsz = table('stsz')
  const count = u32(stsz.start + 8)
  must(count === u32(stts.start + 8) && u32(table('stsc').start + 12) === count, 'counts of samples')
  const mdat = top[2] as Box
  let at = u32(table('stco').start + 8)
  must(at === mdat.start, 'the first sample begins mdat')
  const frames: Uint8Array[] = []
  for (let index = 0; index < count; index++) {
    const size = u32(stsz.start + 12 + index * 4)
    must(u32(at) === size - 4, 'one NAL unit in a sample')
    frames.push(decodeSlice(file.subarray(at + 4, at + size), index, width, height, frames.at(-1)))
    at += size
  }
  must(at === mdat.end, 'samples fill mdat')
  return { width, height, seconds: duration / scale, frames }
}

function checkSets(sps: Uint8Array, pps: Uint8Array): { width: number; height: number } {
  const bits = new Bits(sps)
  must(bits.u(8) === 0x67 && bits.u(8) === 66, 'a baseline SPS')
  bits.u(16)
  must(bits.ue() === 0 && bits.ue() === 12 && bits.ue() === 2 && bits.ue() === 1 && bits.u(1) === 0, 'SPS')
  const [width, height] = [(bits.ue() + 1) * 16, (bits.ue() + 1) * 16]
  must(bits.u(1) === 1, 'frames only')
  bits.u(1)
  must(bits.u(2) === 0, 'no cropping, no VUI')
  bits.end()
  const other = new Bits(pps)
  must(other.u(8) === 0x68 && other.ue() === 0 && other.ue() === 0 && other.u(2) === 0 && other.ue() === 0, 'PPS')
  must(other.ue() === 0 && other.ue() === 0 && other.u(3) === 0, 'PPS: prediction')
  must(other.se() === 0 && other.se() === 0 && other.se() === 0 && other.u(3) === 0b100, 'PPS: quantizers and flags')
  other.end()
  return { width, height }
}

function decodeSlice(
  unit: Uint8Array,
  index: number,
  width: number,
  height: number,
  before: Uint8Array | undefined,
): Uint8Array {
  const bits = new Bits(unit)
  const isKey = index === 0
  must(bits.u(8) === (isKey ? 0x65 : 0x41), 'the type of a NAL unit')
  must(bits.ue() === 0 && bits.ue() === (isKey ? 7 : 5) && bits.ue() === 0 && bits.u(16) === index, 'a slice header')
  if (isKey) must(bits.ue() === 0 && bits.u(2) === 0, 'an IDR header')
  else must(bits.u(3) === 0, 'a P header')
  must(bits.se() === 0 && bits.ue() === 1, 'no deblocking')
  const frame = before?.slice() ?? new Uint8Array((width * height * 3) / 2)
  const total = (width * height) / 256
  let block = 0
  while (true) {
    if (!isKey) {
      block += bits.ue()
      if (!bits.hasMore()) break
    }
    must(block < total && bits.ue() === (isKey ? 25 : 30), 'I_PCM')
    bits.align()
    const [left, top] = [(block % (width / 16)) * 16, Math.floor(block / (width / 16)) * 16]
    for (let sample = 0; sample < 256; sample++) frame[(top + (sample >> 4)) * width + left + (sample & 15)] = bits.u(8)
    for (let plane = 0; plane < 2; plane++)
      for (let sample = 0; sample < 64; sample++) {
        const place = (top / 2 + (sample >> 3)) * (width / 2) + left / 2 + (sample & 7)
        frame[width * height + (plane * width * height) / 4 + place] = bits.u(8)
      }
    block++
    if (!bits.hasMore()) break
  }
  must(block === total, 'every macroblock of a frame')
  bits.end()
  return frame
}
