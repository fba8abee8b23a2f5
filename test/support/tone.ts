// A recording for uploads: a tone as a WAV file, 16 bits and 8,000 samples a second.

const RATE = 8_000

export function tone(seconds: number): Buffer {
  const samples = Math.round(seconds * RATE)
  const wav = Buffer.alloc(44 + samples * 2)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + samples * 2, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(RATE, 24)
  wav.writeUInt32LE(RATE * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(samples * 2, 40)
  for (let at = 0; at < samples; at++)
    wav.writeInt16LE(Math.round(8_000 * Math.sin((at * 440 * 2 * Math.PI) / RATE)), 44 + at * 2)
  return wav
}
