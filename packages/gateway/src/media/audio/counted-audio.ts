// How long a file lasts by its samples, frames and packets, where these can be counted. What such a file says of itself need not be
// true, and the services that decode it do not read that. Bytes that no decoder is known to make anything of count as good music.
import { openAudioLength } from '@trivium/protocol/audio-data/audio-length.ts'
import { FileWindow } from './file-window.ts'
import { aiffSeconds, flacSeconds } from './flac-audio.ts'
import { mp4Seconds } from './mp4-audio.ts'
import { oggSeconds } from './ogg-audio.ts'
import { GOOD_BYTES_PER_SECOND } from './packets.ts'
import { webmSeconds } from './webm-audio.ts'

/** `isWhole`: the count is exact; else there may be more that is not counted. */
export type CountedAudio = { seconds: number | undefined; isWhole: boolean }

const HEAD_BYTES = 64 * 1024

/** undefined: its frames are not counted here. */
export async function countAudio(path: string): Promise<CountedAudio | undefined> {
  const window = new FileWindow(path)
  try {
    return countedIn(window) ?? (isFrames(window, tagBytes(window)) ? await countFrames(path) : undefined)
  } finally {
    window.close()
  }
}

function countedIn(file: FileWindow): CountedAudio | undefined {
  const start = tagBytes(file)
  const head = Buffer.from(file.read(start, HEAD_BYTES))
  const name = head.toString('latin1', 0, 4)
  if (name === 'RIFF') return { seconds: wavSeconds(head, file.size - start), isWhole: true }
  const seconds =
    name === 'fLaC'
      ? flacSeconds(file, start)
      : name === 'OggS'
        ? oggSeconds(file)
        : name === 'FORM'
          ? aiffSeconds(file)
          : name === '\x1aE\xdf\xa3'
            ? webmSeconds(file)
            : head.toString('latin1', 4, 8) === 'ftyp'
              ? mp4Seconds(file)
              : undefined
  return seconds === undefined ? undefined : { seconds, isWhole: true }
}

/** Decoders skip tags before a file of any format. */
function tagBytes(file: FileWindow): number {
  let at = 0
  for (let head = file.read(at, 10); head.toString('latin1', 0, 3) === 'ID3'; head = file.read(at, 10)) {
    const footer = (head[5] ?? 0) & 16 ? 10 : 0
    at += 10 + footer + [6, 7, 8, 9].reduce((size, place) => size * 128 + ((head[place] ?? 0) & 127), 0)
  }
  return at
}

function isFrames(file: FileWindow, at: number): boolean {
  const [first = 0, second = 0] = file.read(at, 2)
  return (first === 0xff && (second & 0xe0) === 0xe0) || at > 0
}

/** The last frame may be cut off, and some files end with a tag. */
const TRAILING_BYTES = 4_096

async function countFrames(path: string): Promise<CountedAudio> {
  const length = openAudioLength()
  for await (const piece of Bun.file(path).stream()) length.push(piece)
  const seconds = length.seconds()
  if (seconds === undefined) return { seconds, isWhole: false }
  const unread = Math.max(0, length.unread() - TRAILING_BYTES)
  return { seconds: seconds + unread / GOOD_BYTES_PER_SECOND, isWhole: false }
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
