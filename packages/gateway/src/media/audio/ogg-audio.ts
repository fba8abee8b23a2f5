// How long an Ogg file lasts, by the packets in its pages.
import type { FileWindow } from './file-window.ts'
import {
  GOOD_BYTES_PER_SECOND,
  PACKET_HEAD_BYTES,
  type PacketLength,
  packetLengthOf,
  roundedTo,
  type TrackFormat,
} from './packets.ts'

const PAGE = Buffer.from('OggS')
const CONTINUED = 1
const FIRST = 2
const MOST_STREAMS = 64

type Stream = {
  /** undefined: it is no audio. */
  length: PacketLength | undefined
  rate: number
  /** Samples that a decoder leaves out. */
  skipped: number
  /** Packets before those with audio. */
  headers: number
  head: Buffer
  size: number
  seconds: number
  said: number
}

/** undefined: it has no audio that could be counted. */
export function oggSeconds(file: FileWindow): number | undefined {
  const streams = new Map<number, Stream>()
  let [at, lost, before] = [0, 0, 0]
  while (at + 27 <= file.size) {
    const head = file.read(at, 27 + 255)
    const segments = head[26] ?? 0
    if (!head.subarray(0, 4).equals(PAGE)) {
      const next = file.find(PAGE, at + 1)
      lost += (next === -1 ? file.size : next) - at
      at = next === -1 ? file.size : next
      continue
    }
    const serial = head.readUInt32LE(14)
    const granule = head.readInt32LE(10) < 0 ? 0 : Number(head.readBigInt64LE(6))
    const lengths = Buffer.from(head.subarray(27, 27 + segments))
    const flags = head[5] ?? 0
    let packet = at + 27 + segments
    if (flags & FIRST) {
      const ended = streams.get(serial)
      if (ended) before += secondsOf(ended)
      else if (streams.size === MOST_STREAMS) return undefined
      streams.set(serial, openStream(Buffer.from(file.read(packet, 128))))
    }
    const stream = streams.get(serial)
    if (stream && !(flags & CONTINUED)) stream.size = 0
    for (const length of lengths) {
      if (stream) addSegment(stream, file, packet, length)
      packet += length
    }
    if (stream) stream.said = Math.max(stream.said, (granule - stream.skipped) / stream.rate)
    at = packet
  }
  const heard = [...streams.values()].map(secondsOf)
  const seconds = before + heard.reduce((sum, each) => sum + each, 0)
  return seconds > 0 ? seconds + lost / GOOD_BYTES_PER_SECOND : undefined
}

const secondsOf = ({ seconds, said }: Stream): number => roundedTo(seconds, said)

function addSegment(stream: Stream, file: FileWindow, at: number, length: number): void {
  if (stream.size === 0) stream.head = Buffer.from(file.read(at, Math.min(length, PACKET_HEAD_BYTES)))
  stream.size += length
  // A packet ends with a segment that is not full.
  if (length === 255) return
  if (stream.headers > 0) stream.headers--
  else if (stream.size > 0) stream.seconds += stream.length?.(stream.head, stream.size) ?? 0
  stream.size = 0
}

const NOT_HEARD = { length: undefined, rate: 1, skipped: Number.POSITIVE_INFINITY, headers: 0 }

/** `first`: its first packet. */
function openStream(first: Buffer): Stream {
  return { ...formatOf(first), head: Buffer.alloc(0), size: 0, seconds: 0, said: 0 }
}

function formatOf(first: Buffer): Pick<Stream, 'length' | 'rate' | 'skipped' | 'headers'> {
  const name = first.toString('latin1', 0, 8)
  const format = (codec: TrackFormat['codec'], rate: number, headers: number, skipped = 0) => {
    const length = packetLengthOf({ codec, rate, channels: 1, bits: 16, setup: first })
    return { length, rate: rate || 48_000, headers, skipped }
  }
  if (name === 'OpusHead') return format('opus', 48_000, 2, first.readUInt16LE(10))
  if (name.startsWith('\x01vorbis')) return format('vorbis', first.readUInt32LE(12), 3)
  if (name.startsWith('Speex')) return format('speex', first.readUInt32LE(36), 2)
  // Four bytes of the mapping, their marks, and STREAMINFO.
  if (name.startsWith('\x7fFLAC')) return format('flac', first.readUIntBE(27, 3) >> 4, 1 + first.readUInt16BE(7))
  if (/^(?:\x80theora|\x80daala|fishead|OVP80|BBCD)/.test(name)) return NOT_HEARD
  return format('other', 48_000, 0, Number.POSITIVE_INFINITY)
}
