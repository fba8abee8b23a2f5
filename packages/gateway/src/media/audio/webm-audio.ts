// How long a WebM or Matroska file lasts, by its blocks.
import type { FileWindow } from './file-window.ts'
import { GOOD_BYTES_PER_SECOND, PACKET_HEAD_BYTES, packetLengthOf, type TrackFormat } from './packets.ts'

const [SEGMENT, INFO, TRACKS, TRACK, CLUSTER, BLOCK_GROUP, AUDIO] = [
  0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1f43b675, 0xa0, 0xe1,
]
/** What is in these is read as if it followed them: then it does not matter whether they say how long they are. */
const OPENED: ReadonlySet<number> = new Set([SEGMENT, INFO, TRACKS, TRACK, CLUSTER, BLOCK_GROUP, AUDIO])
const [TIME_SCALE, TRACK_NUMBER, TRACK_TYPE, CODEC, SETUP, ENCODINGS, RATE, CHANNELS, BITS, TIME, SIMPLE_BLOCK, BLOCK] =
  [0x2ad7b1, 0xd7, 0x83, 0x86, 0x63a2, 0x6d80, 0xb5, 0x9f, 0x6264, 0xe7, 0xa3, 0xa1]

const CODECS: readonly [RegExp, TrackFormat['codec']][] = [
  [/^A_AAC/, 'aac'],
  [/^A_ALAC/, 'alac'],
  [/^A_FLAC/, 'flac'],
  [/^A_MPEG\/L3/, 'mp3'],
  [/^A_OPUS/, 'opus'],
  [/^A_PCM/, 'pcm'],
  [/^A_VORBIS/, 'vorbis'],
]
const LONGEST_SETUP = 64

type Track = TrackFormat & { isAudio: boolean; seconds: number; first: number; last: number; length?: LengthOf }
type LengthOf = ReturnType<typeof packetLengthOf>

/** undefined: it has no audio that could be counted. */
export function webmSeconds(file: FileWindow): number | undefined {
  const tracks = new Map<number, Track>()
  let track = newTrack()
  let [scale, cluster, at] = [1e-3, 0, 0]
  while (at < file.size) {
    const id = vint(file.read(at, 4), 0, true)
    const size = id && vint(file.read(at + id.length, 8), 0, false)
    if (!id || !size) break
    const from = at + id.length + size.length
    if (OPENED.has(id.value)) {
      if (id.value === TRACK) track = newTrack()
      at = from
      continue
    }
    const most = Math.min(size.value, file.size - from)
    if (id.value === TIME_SCALE) scale = uint(file.read(from, most)) / 1e9
    else if (id.value === TIME) cluster = uint(file.read(from, most))
    else if (id.value === SIMPLE_BLOCK || id.value === BLOCK) addBlock(file, from, most, { tracks, cluster, scale })
    else {
      readTrack(track, id.value, file.read(from, Math.min(most, LONGEST_SETUP)))
      if (id.value === TRACK_NUMBER) tracks.set(uint(file.read(from, most)), track)
    }
    if (size.value > most && id.value !== SIMPLE_BLOCK && id.value !== BLOCK) break
    at = from + size.value
  }
  const heard = [...tracks.values()].filter(({ isAudio, seconds }) => isAudio && seconds > 0)
  if (heard.length === 0) return undefined
  const rest = Math.max(0, file.size - at) / GOOD_BYTES_PER_SECOND
  return rest + Math.max(...heard.map(({ seconds, first, last }) => Math.max(seconds, last - first)))
}

const newTrack = (): Track => ({
  codec: 'other',
  rate: 8_000,
  channels: 1,
  bits: 8,
  setup: Buffer.alloc(0),
  isAudio: false,
  seconds: 0,
  first: Number.POSITIVE_INFINITY,
  last: 0,
})

function readTrack(track: Track, id: number, content: Buffer): void {
  if (id === TRACK_TYPE) track.isAudio = uint(content) === 2
  else if (id === CODEC) track.codec = CODECS.find(([name]) => name.test(content.toString('latin1')))?.[1] ?? 'other'
  else if (id === RATE)
    track.rate = content.length === 4 ? content.readFloatBE() : content.length === 8 ? content.readDoubleBE() : 0
  else if (id === CHANNELS) track.channels = uint(content)
  else if (id === BITS) track.bits = uint(content)
  // Vorbis has three packets in one, after the number of the others and their lengths.
  else if (id === SETUP) track.setup = Buffer.from(content.subarray(Math.max(0, content.indexOf('\x01vorbis'))))
  // Compressed or encrypted, a packet does not tell how long it is.
  else if (id === ENCODINGS) track.length = (_, size) => size / GOOD_BYTES_PER_SECOND
}

type Place = { tracks: ReadonlyMap<number, Track>; cluster: number; scale: number }

function addBlock(file: FileWindow, from: number, size: number, { tracks, cluster, scale }: Place): void {
  const head = file.read(from, Math.min(size, LACED_HEAD_BYTES))
  const number = vint(head, 0, false)
  const track = number && tracks.get(number.value)
  if (!number || !track?.isAudio || head.length < number.length + 4) return
  const time = (cluster + head.readInt16BE(number.length)) * scale
  const { frames, begin } = framesIn(head, number.length + 2)
  track.length ??= packetLengthOf(track)
  const bytes = Math.max(0, size - begin) / frames
  const seconds = frames * track.length(head.subarray(begin, begin + PACKET_HEAD_BYTES), bytes)
  track.seconds += seconds
  track.first = Math.min(track.first, time)
  track.last = Math.max(track.last, time + seconds)
}

/** A block may have 256 frames, each with its length before the first. */
const LACED_HEAD_BYTES = 4_096

/** `begin`: where the first frame is. */
function framesIn(head: Buffer, flagsAt: number): { frames: number; begin: number } {
  const lacing = ((head[flagsAt] ?? 0) >> 1) & 3
  if (lacing === 0) return { frames: 1, begin: flagsAt + 1 }
  const frames = (head[flagsAt + 1] ?? 0) + 1
  let begin = flagsAt + 2
  // Lengths are bytes that add up (1), are all the same (2), or are numbers as elsewhere (3).
  for (let left = frames - 1; left > 0 && lacing !== 2; left--) {
    if (lacing === 3) begin += vint(head, begin, false)?.length ?? 1
    else {
      while (head[begin] === 255) begin++
      begin++
    }
  }
  return { frames, begin }
}

/** A number whose first byte says how long it is, by its leading zeros; `isId`: with them. */
function vint(bytes: Buffer, at: number, isId: boolean): { value: number; length: number } | undefined {
  const first = bytes[at]
  if (!first) return undefined
  const length = Math.clz32(first) - 23
  let value = isId ? first : first & (0xff >> length)
  for (let each = 1; each < length; each++) value = value * 256 + (bytes[at + each] ?? 0)
  return { value, length }
}

const uint = (bytes: Buffer): number => (bytes.length > 8 ? 0 : bytes.reduce((sum, byte) => sum * 256 + byte, 0))
