// Audio of any length, for uploads, and how long audio is.
import { openAudioLength } from '../../../packages/protocol/src/audio-data/audio-length.ts'

const RATE = 8_000
const HEAD_BYTES = 44

/** A WAV file of silence: 8 kHz, 16 bits, one channel. */
export function wavOf(seconds: number): Buffer<ArrayBuffer> {
  const bytes = Math.round(seconds * RATE) * 2
  const wav = Buffer.alloc(HEAD_BYTES + bytes)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(HEAD_BYTES - 8 + bytes, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(RATE, 24)
  wav.writeUInt32LE(RATE * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(bytes, 40)
  return wav
}

/** `rawRate`: of samples without a header. */
export function secondsOf(bytes: Uint8Array, rawRate?: number): number | undefined {
  const length = openAudioLength(rawRate)
  length.push(bytes)
  return length.seconds()
}
