// The audio that transcription models are checked with: nothing is said in it.

const RATE = 16_000

/** One second of 440 Hz in 16 bits. */
export function tone(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + 2 * RATE)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + 2 * RATE, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(RATE, 24)
  bytes.writeUInt32LE(2 * RATE, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(2 * RATE, 40)
  for (let at = 0; at < RATE; at++)
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / RATE)), 44 + 2 * at)
  return new Uint8Array(bytes)
}
