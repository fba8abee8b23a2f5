// Audio files in many containers, whose packets an encoder made: what the container says of their length can be anything.
import { TONES } from '@trivium/sandbox/speech/tones.ts'

export const tone = (format: keyof typeof TONES): Buffer => Buffer.from(TONES[format], 'base64')

/** Packets of its last pages, until there are so many. 20 ms each. */
function opusPackets(): Buffer[] {
  const [file, packets] = [tone('opus'), [] as Buffer[]]
  for (let at = 0; at < file.length; ) {
    const segments = file[at + 26] ?? 0
    let [from, length] = [at + 27 + segments, 0]
    for (const each of file.subarray(at + 27, from)) {
      length += each
      if (each === 255) continue
      packets.push(file.subarray(from, from + length))
      from += length
      length = 0
    }
    at = from
  }
  return packets.slice(2)
}

/** 1,024 samples at 24 kHz each. */
function aacPackets(): Buffer[] {
  const [file, packets] = [tone('aac'), [] as Buffer[]]
  for (let at = 0; at < file.length; ) {
    const length = (((file[at + 3] ?? 0) & 3) << 11) | ((file[at + 4] ?? 0) << 3) | ((file[at + 5] ?? 0) >> 5)
    packets.push(file.subarray(at + 7, at + length))
    at += length
  }
  return packets
}

const repeated = (packets: readonly Buffer[], count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => packets[index % packets.length] as Buffer)

export const OPUS = opusPackets()
export const AAC = aacPackets()

const uint = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}
const element = (id: number, ...content: readonly Buffer[]): Buffer => {
  const name = uint(id, Math.ceil((32 - Math.clz32(id)) / 8))
  const body = Buffer.concat(content)
  return Buffer.concat([name, uint(body.length + 2 ** 28, 4), body])
}
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** `said`: the duration in the header; blocks are all at the same time. `laced`: packets of a block, which are all as long. */
export function webm(packets: number, { said = 0.001, laced = 1, codec = 'A_OPUS' } = {}): Buffer {
  const frames = codec === 'A_OPUS' ? OPUS : AAC
  const track = element(
    0xae,
    element(0xd7, uint(1, 1)),
    element(0x83, uint(2, 1)),
    element(0x86, Buffer.from(codec)),
    element(0x63a2, codec === 'A_AAC' ? AAC_SETUP : Buffer.alloc(0)),
    element(0xe1, element(0xb5, double(codec === 'A_AAC' ? 96_000 : 48_000)), element(0x9f, uint(1, 1))),
  )
  const lace = laced === 1 ? [0x80] : [0x84, laced - 1]
  const block = (packet: Buffer) =>
    element(0xa3, Buffer.from([0x81, 0, 0, ...lace]), ...Array.from({ length: laced }, () => packet))
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from('webm'))),
    element(
      0x18538067,
      element(0x1549a966, element(0x2ad7b1, uint(1e6, 3)), element(0x4489, double(said * 1_000))),
      element(0x1654ae6b, track),
      element(0x1f43b675, element(0xe7, uint(0, 1)), ...repeated(frames, packets / laced).map(block)),
    ),
  ])
}

/** Low complexity, 24 kHz, one channel. */
const AAC_SETUP = Buffer.from([0x13, 0x08])

const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([uint(body.length + 8, 4), Buffer.from(type), body])
}
const words = (...values: readonly number[]): Buffer => Buffer.concat(values.map((value) => uint(value, 4)))
const NONE = words(0)

/** `delta`: of all samples, in units of a 96,000th. `listed`: samples that the tables know, of all that are in the file. */
export function mp4(packets: number, { delta = 1, listed = packets, isFragmented = false } = {}): Buffer {
  const data = repeated(AAC, packets)
  const descriptors = Buffer.from([3, 25, 0, 1, 0, 4, 17, 0x40, 0x15, ...Buffer.alloc(11), 5, 2, ...AAC_SETUP])
  const entry = box(
    'mp4a',
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 0]),
    words(48_000 * 65_536),
    box('esds', NONE, descriptors),
  )
  const sizes = data.slice(0, listed).map(({ length }) => length)
  const table = isFragmented ? [] : sizes
  const sound = box(
    'mdia',
    box('mdhd', words(0, 0, 0, 96_000, packets * delta, 0)),
    box('hdlr', words(0, 0), Buffer.from('soun'), Buffer.alloc(13)),
    box(
      'minf',
      box(
        'stbl',
        box('stsd', words(0, 1), entry),
        box('stts', isFragmented ? words(0, 0) : words(0, 1, listed, delta)),
        box('stsz', words(0, 0, table.length, ...table)),
      ),
    ),
  )
  const moov = box(
    'moov',
    box('trak', box('tkhd', words(0, 0, 0, 7, 0)), sound),
    box('mvex', box('trex', words(0, 7, 1, delta, 0, 0))),
  )
  const run = words(0x200, sizes.length, ...sizes)
  const moof = isFragmented ? [box('moof', box('traf', box('tfhd', words(0, 7)), box('trun', run)))] : []
  return Buffer.concat([box('ftyp', Buffer.from('M4A '), NONE), moov, ...moof, box('mdat', ...data)])
}

/** `said`: samples at the end, by the last page. */
export function ogg(packets: number, said = 48): Buffer {
  const page = (flags: number, number: number, granule: number, contents: readonly Buffer[]) => {
    const lengths = contents.flatMap(({ length }) => [...new Array(Math.floor(length / 255)).fill(255), length % 255])
    const head = Buffer.alloc(27)
    head.write('OggS')
    head[5] = flags
    head.writeUInt32LE(granule, 6)
    head.writeUInt32LE(1, 14)
    head.writeUInt32LE(number, 18)
    head[26] = lengths.length
    return Buffer.concat([head, Buffer.from(lengths), ...contents])
  }
  const head = Buffer.concat([Buffer.from('OpusHead'), Buffer.from([1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0])])
  const pages = Array.from({ length: packets / 25 }, (_, at) => page(0, at + 2, said, repeated(OPUS, 25)))
  return Buffer.concat([page(2, 0, 0, [head]), page(0, 1, 0, [Buffer.from('OpusTags\0\0\0\0\0\0\0\0')]), ...pages])
}

/** The tones again and again, with so many samples by its header. */
export function flac(times: number, said = 16): Buffer {
  const file = tone('flac')
  const frames = file.indexOf(Buffer.from([0xff, 0xf8]))
  const head = Buffer.from(file.subarray(0, frames))
  head.writeUInt32BE(said, 22)
  head[21] = (head[21] ?? 0) & 0xf0
  return Buffer.concat([head, ...repeated([file.subarray(frames)], times)])
}
