// How long a file lasts by its samples, frames and packets, where these can be counted. What such a file says of itself need not be
// true, and the services that decode it do not read that. Bytes that no decoder is known to make anything of count as good music.
import { openAudioLength } from '@trivium/protocol/audio-data/audio-length.ts'
import { FileWindow } from './file-window.ts'
import { mp4Seconds } from './mp4-audio.ts'
import { oggSeconds } from './ogg-audio.ts'
import { flacFrame, GOOD_BYTES_PER_SECOND, PACKET_HEAD_BYTES, roundedTo } from './packets.ts'
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

// How long FLAC and AIFF files last, by their frames and samples.
/** `start`: of `fLaC`. Frames are found by their first bytes and the checksum of their headers. */
function flacSeconds(file: FileWindow, start: number): number | undefined {
  let at = start + 4
  let [rate, total] = [0, 0]
  for (let isLast = false; !isLast && at + 4 <= file.size; ) {
    const head = file.read(at, 26)
    const type = head[0] ?? 0
    isLast = type >= 0x80
    if ((type & 0x7f) === 0 && head.length >= 22) {
      rate = head.readUIntBE(14, 3) >> 4
      total = ((head[17] ?? 0) & 15) * 2 ** 32 + head.readUInt32BE(18)
    }
    at += 4 + head.readUIntBE(1, 3)
  }
  if (rate === 0) return undefined
  const frames = at
  let [samples, end] = [0, at]
  for (at = file.find(SYNC, at); at !== -1; at = file.find(SYNC, at + 1)) {
    const frame = flacFrame(file.read(at, PACKET_HEAD_BYTES))
    if (!frame) continue
    samples += frame.samples
    end = at
  }
  if (samples === 0) return Math.max(total / rate, (file.size - frames) / GOOD_BYTES_PER_SECOND)
  const rest = Math.max(0, file.size - end - LONGEST_FRAME) / GOOD_BYTES_PER_SECOND
  return roundedTo(samples / rate, total / rate) + rest
}

const SYNC = Buffer.from([0xff])
/** The last one has no other behind it. */
const LONGEST_FRAME = 256 * 1024

/** Uncompressed samples alone. */
function aiffSeconds(file: FileWindow): number | undefined {
  let perSecond = 0
  for (let at = 12; at + 8 <= file.size; ) {
    const head = file.read(at, 30)
    const name = head.toString('latin1', 0, 4)
    const length = head.readUInt32BE(4)
    if (name === 'COMM' && head.length >= 26) {
      const isPlain = length < 22 || ['NONE', 'sowt', 'twos'].includes(head.toString('latin1', 26, 30))
      // The exponent and the upper half of a number of 80 bits.
      const rate = head.readUInt32BE(18) * 2 ** ((head.readUInt16BE(16) & 0x7fff) - 16_383 - 31)
      perSecond = isPlain ? rate * head.readUInt16BE(8) * Math.ceil(head.readUInt16BE(14) / 8) : 0
    }
    if (name === 'SSND') return perSecond > 0 ? (file.size - at - 16) / perSecond : undefined
    at += 8 + length + (length % 2)
  }
  return undefined
}
