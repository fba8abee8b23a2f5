// How long an MP4 or QuickTime file lasts, by the tables of its samples, which are packets here; or by those of its fragments.
import type { FileWindow } from './file-window.ts'
import { GOOD_BYTES_PER_SECOND, type PacketLength, packetLengthOf, roundedTo, type TrackFormat } from './packets.ts'

/** What is in these is read as if it followed them. */
const OPENED: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf'])
const CODECS: Readonly<Record<string, TrackFormat['codec']>> = {
  mp4a: 'aac',
  alac: 'alac',
  '.mp3': 'mp3',
  sowt: 'pcm',
  twos: 'pcm',
  lpcm: 'pcm',
  ipcm: 'pcm',
  in24: 'pcm',
  in32: 'pcm',
}
const MP3_OBJECTS = [0x69, 0x6b]
const AAC_OBJECTS = [0x40, 0x66, 0x67, 0x68]
const LONGEST_ENTRY = 4_096
/** What a table of samples may say of their number. */
const MOST_SAMPLES = 2 ** 32

type Track = {
  isAudio: boolean
  /** Units of `ticks` in a second. */
  scale: number
  ticks: number
  bytes: number
  /** By its packets. */
  seconds: number
  length: PacketLength
  /** The defaults of samples in fragments that do not say it. */
  usual: { ticks: number; bytes: number }
}

const OTHER: TrackFormat = { codec: 'other', rate: 0, channels: 1, bits: 16, setup: Buffer.alloc(0) }

const newTrack = (): Track => ({
  isAudio: false,
  scale: 0,
  ticks: 0,
  bytes: 0,
  seconds: 0,
  length: packetLengthOf(OTHER),
  usual: { ticks: 0, bytes: 0 },
})

/** undefined: it has no audio that could be counted. */
export function mp4Seconds(file: FileWindow): number | undefined {
  const all: Track[] = []
  const byId = new Map<number, Track>()
  let track = newTrack()
  let [at, media] = [0, 0]
  while (at + 8 <= file.size) {
    const head = file.read(at, 16)
    const type = head.toString('latin1', 4, 8)
    const said = head.readUInt32BE(0)
    const isLong = said === 1 && head.length === 16
    const size = isLong ? Number(head.readBigUInt64BE(8)) : said === 0 ? file.size - at : said
    const from = at + (isLong ? 16 : 8)
    if (size < from - at) break
    if (type === 'trak') {
      track = newTrack()
      all.push(track)
    }
    if (type === 'mdat') media += Math.min(at + size, file.size) - from
    const box = { file, from, end: Math.min(at + size, file.size) }
    if (type === 'tkhd') byId.set(idIn(box), track)
    else if (type === 'trex') readUsual(byId.get(number(box, 4)), box)
    else if (type === 'tfhd') track = byId.get(number(box, 4)) ?? track
    if (!OPENED.has(type)) READERS[type]?.(track, box)
    at = OPENED.has(type) ? from : at + size
  }
  const audio = all.filter(({ isAudio, bytes }) => isAudio && bytes > 0)
  if (audio.length === 0) return undefined
  const known = all.reduce((sum, { bytes }) => sum + bytes, 0)
  const unknown = Math.max(0, media - known) + Math.max(0, file.size - at)
  const seconds = audio.map((each) => roundedTo(each.seconds, each.scale > 0 ? each.ticks / each.scale : 0))
  return Math.max(...seconds) + unknown / GOOD_BYTES_PER_SECOND
}

type Box = { file: FileWindow; from: number; end: number }

/** Zero beyond the box. */
function number({ file, from, end }: Box, offset: number, length = 4): number {
  const bytes = from + offset + length <= end ? file.read(from + offset, length) : NOTHING
  return bytes.length === length ? bytes.readUIntBE(0, length) : 0
}

const NOTHING = Buffer.alloc(0)
const flagsOf = (box: Box): number => number(box, 1, 3)
const idIn = (box: Box): number => number(box, number(box, 0, 1) === 1 ? 20 : 12)

function add(track: Track, count: number, bytes: number, ticks: number): void {
  track.bytes += count * bytes
  track.ticks += count * ticks
  track.seconds += count * track.length(NOTHING, bytes)
}

const READERS: Readonly<Record<string, (track: Track, box: Box) => void>> = {
  mdhd(track, box) {
    track.scale = number(box, number(box, 0, 1) === 1 ? 20 : 12)
  },
  hdlr(track, { file, from }) {
    track.isAudio = file.read(from + 8, 4).toString('latin1') === 'soun'
  },
  stsd(track, { file, from, end }) {
    track.length = packetLengthOf(formatOf(Buffer.from(file.read(from + 8, Math.min(end - from - 8, LONGEST_ENTRY)))))
  },
  stts(track, box) {
    for (let at = 8; box.from + at + 8 <= box.end; at += 8) track.ticks += number(box, at) * number(box, at + 4)
  },
  stsz(track, box) {
    const [bytes, count] = [number(box, 4), number(box, 8)]
    if (bytes > 0) add(track, Math.min(count, MOST_SAMPLES), bytes, 0)
    else for (let at = 12; box.from + at + 4 <= box.end; at += 4) add(track, 1, number(box, at), 0)
  },
  tfhd(track, box) {
    const flags = flagsOf(box)
    let at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
    if (flags & 8) track.usual = { ...track.usual, ticks: number(box, at) }
    if (flags & 8) at += 4
    if (flags & 16) track.usual = { ...track.usual, bytes: number(box, at) }
  },
  trun(track, box) {
    const flags = flagsOf(box)
    const count = number(box, 4)
    const { usual } = track
    const fields = [0x100, 0x200, 0x400, 0x800].filter((each) => flags & each)
    let at = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
    if (fields.length === 0) add(track, count, usual.bytes, usual.ticks)
    else
      for (let left = count; left > 0 && box.from + at < box.end; left--) {
        const ticks = flags & 0x100 ? number(box, at) : usual.ticks
        const bytes = flags & 0x200 ? number(box, at + (flags & 0x100 ? 4 : 0)) : usual.bytes
        add(track, 1, bytes, ticks)
        at += fields.length * 4
      }
  },
}

function readUsual(track: Track | undefined, box: Box): void {
  if (track) track.usual = { ticks: number(box, 12), bytes: number(box, 16) }
}

/** `entry`: the first of the sample descriptions. */
function formatOf(entry: Buffer): TrackFormat {
  if (entry.length < 36) return OTHER
  const type = entry.toString('latin1', 4, 8)
  const rate = entry.readUInt16BE(32)
  const format = { rate, channels: entry.readUInt16BE(24), bits: entry.readUInt16BE(26), setup: NOTHING }
  const codec = CODECS[type] ?? 'other'
  if (codec === 'alac') return { ...format, codec, setup: entry.subarray(entry.indexOf('alac', 36) + 8) }
  if (type !== 'mp4a') return { ...format, codec }
  const { object, setup } = decoderIn(entry.subarray(entry.indexOf('esds', 36) + 8))
  if (MP3_OBJECTS.includes(object)) return { ...format, codec: 'mp3' }
  return AAC_OBJECTS.includes(object) ? { ...format, codec, setup } : OTHER
}

/** Descriptors have a tag and a length of up to four bytes with seven bits each; those that lead to the setup contain it. */
function decoderIn(descriptors: Buffer): { object: number; setup: Buffer } {
  let object = 0
  for (let at = 0; at < descriptors.length; ) {
    const tag = descriptors[at++]
    while ((descriptors[at] ?? 0) >= 0x80) at++
    const length = descriptors[at++] ?? 0
    if (tag === 5) return { object, setup: descriptors.subarray(at, at + length) }
    if (tag === 4) object = descriptors[at] ?? 0
    at += tag === 3 ? 3 : tag === 4 ? 13 : length
  }
  return { object, setup: NOTHING }
}
