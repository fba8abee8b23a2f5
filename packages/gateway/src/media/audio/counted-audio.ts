// How long a file lasts by its samples and frames, where these can be counted. What such a file says of itself need not be true, and
// the services that decode it do not read that.
import { openAudioLength } from '@trivium/protocol/audio-data/audio-length.ts'

/** `isWhole`: the count is exact; else there may be more that is not counted. */
export type CountedAudio = { seconds: number | undefined; isWhole: boolean }

const HEAD_BYTES = 64 * 1024

/** undefined: its frames are not counted here. */
export async function countAudio(path: string): Promise<CountedAudio | undefined> {
  const file = Bun.file(path)
  const head = Buffer.from(await file.slice(0, HEAD_BYTES).bytes())
  if (head.toString('latin1', 0, 4) === 'RIFF') return { seconds: wavSeconds(head, file.size), isWhole: true }
  const isFrames = head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0
  if (!isFrames && head.toString('latin1', 0, 3) !== 'ID3') return undefined
  const length = openAudioLength()
  for await (const piece of file.stream()) length.push(piece)
  return { seconds: length.seconds(), isWhole: false }
}

const [PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe]
const SAMPLES: ReadonlySet<number> = new Set([PCM, FLOAT, A_LAW, MU_LAW])

/** All that follows the header counts as samples, whatever size it says, unless only a little more than that follows. */
export function wavSeconds(head: Buffer, size: number): number | undefined {
  let perSecond = 0
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4)
    const length = head.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= head.length) perSecond = bytesPerSecond(head.subarray(at + 8, at + 8 + length))
    if (name === 'data') {
      const rest = size - at - 8
      const samples = rest - length >= 0 && rest - length < HEAD_BYTES && length > 0 ? length : rest
      return perSecond > 0 ? samples / perSecond : undefined
    }
    at += 8 + length + (length % 2)
  }
  return undefined
}

/** 0: not known, since samples are compressed. */
function bytesPerSecond(format: Buffer): number {
  const tag = format.readUInt16LE(0)
  const sampleTag = tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag
  const [channels, rate, bits] = [format.readUInt16LE(2), format.readUInt32LE(4), format.readUInt16LE(14)]
  return SAMPLES.has(sampleTag) && bits % 8 === 0 ? (rate * channels * bits) / 8 : 0
}
