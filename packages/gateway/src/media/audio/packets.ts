// How long the packets of an audio track last, by what a decoder makes of them. Times that a container notes beside its packets
// need not be true, and services that decode audio do not read them.
/** The rate of most music: so much is a second of audio whose packets cannot be read. */
export const GOOD_BYTES_PER_SECOND = 16_000
/** The rate of eight channels in the best lossy quality. */
const MOST_LOSSY_BYTES_PER_SECOND = 80_000
/** No packet of AAC, MP3 or Opus is longer: it would have several frames. */
const LONGEST_LOSSY_PACKET = 8_192

export type TrackFormat = {
  codec: 'aac' | 'alac' | 'flac' | 'mp3' | 'opus' | 'pcm' | 'speex' | 'vorbis' | 'other'
  /** Samples per second. */
  rate: number
  channels: number
  bits: number
  /** What a decoder is set up with. */
  setup: Buffer
}

/** The seconds of a packet. `head`: its first bytes, or as many as it has. */
export type PacketLength = (head: Buffer, size: number) => number

/** So many bytes of a packet tell how long it is. */
export const PACKET_HEAD_BYTES = 32

export function packetLengthOf(format: TrackFormat): PacketLength {
  const { codec, rate } = format
  if (codec === 'pcm') {
    const perSecond = rate * format.channels * Math.ceil(format.bits / 8)
    return (_, size) => size / (perSecond || GOOD_BYTES_PER_SECOND)
  }
  const samples = samplesOf(format)
  const perSecond = codec === 'opus' ? 48_000 : codec === 'aac' ? slowest(rate, aacSetup(format.setup).rate) : rate
  const most = codec === 'flac' || codec === 'alac' ? Number.POSITIVE_INFINITY : MOST_LOSSY_BYTES_PER_SECOND
  const longest = ['aac', 'mp3', 'opus'].includes(codec) ? LONGEST_LOSSY_PACKET : Number.POSITIVE_INFINITY
  return (head, size) => {
    const count = size > longest ? undefined : samples(head)
    if (count === undefined || !(perSecond > 0)) return size / GOOD_BYTES_PER_SECOND
    return Math.max(count / (codec === 'mp3' ? mp3Rate(head) : perSecond), size / most)
  }
}

function samplesOf({ codec, setup }: TrackFormat): (head: Buffer) => number | undefined {
  switch (codec) {
    case 'aac': {
      const { samples } = aacSetup(setup)
      return () => samples
    }
    case 'alac': {
      const samples = setup.length >= 4 ? setup.readUInt32BE(0) : 4_096
      return () => samples
    }
    case 'flac':
      return (head) => flacFrame(head)?.samples
    case 'mp3':
      return (head) => (mp3Rate(head) > 24_000 ? 1_152 : 576)
    case 'opus':
      return opusSamples
    case 'speex': {
      const samples = setup.length >= 68 ? setup.readUInt32LE(56) * Math.max(1, setup.readUInt32LE(64)) : undefined
      return () => samples
    }
    case 'vorbis': {
      // Encoders have two modes, the one with long blocks second: the bit after the first tells which.
      const sizes = setup[28] ?? 0xb8
      return (head) => (1 << ((head[0] ?? 0) & 2 ? sizes >> 4 : sizes & 15)) / 2
    }
    default:
      return () => undefined
  }
}

const OPUS_MILLISECONDS = [
  [10, 20, 40, 60],
  [10, 20, 10, 20],
  [2.5, 5, 10, 20],
] as const

function opusSamples(head: Buffer): number {
  const [first = 0, second = 0] = head
  const mode = first >> 3
  const milliseconds = OPUS_MILLISECONDS[mode < 12 ? 0 : mode < 16 ? 1 : 2][mode & 3] ?? 20
  const frames = [1, 2, 2, second & 63][first & 3] ?? 1
  return milliseconds * frames * 48
}

const AAC_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
const LOW_DELAY = [23, 39]

function aacSetup(setup: Buffer): { samples: number; rate: number } {
  if (setup.length < 2) return { samples: 1_024, rate: 0 }
  const bits = setup.readUInt16BE(0)
  const samples = LOW_DELAY.includes(bits >> 11) ? 512 : bits & 4 ? 960 : 1_024
  return { samples, rate: AAC_RATES[(bits >> 7) & 15] ?? 0 }
}

/** A decoder goes by one of two rates. 0: it is not given. */
const slowest = (one: number, other: number): number => Math.min(one || other, other || one)

const MP3_RATES = [44_100, 48_000, 32_000]

function mp3Rate(head: Buffer): number {
  const rate = MP3_RATES[((head[2] ?? 0) >> 2) & 3] ?? 8_000
  const version = ((head[1] ?? 0) >> 3) & 3
  return version === 3 ? rate : version === 2 ? rate / 2 : rate / 4
}

/** undefined: no frame begins here. */
export function flacFrame(head: Buffer): { samples: number } | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, number = 0] = head
  const [size, rate] = [third >> 4, third & 15]
  if (first !== 0xff || (second & 0xfe) !== 0xf8 || size === 0 || rate === 15) return undefined
  if (fourth >> 4 > 10 || (fourth & 1) !== 0) return undefined
  const sizeAt = 4 + (number < 0x80 ? 1 : Math.clz32(~(number << 24)))
  const [sizeBytes, rateBytes] = [size === 6 ? 1 : size === 7 ? 2 : 0, rate === 12 ? 1 : rate > 12 ? 2 : 0]
  const end = sizeAt + sizeBytes + rateBytes
  if (end >= head.length || crc8(head, end) !== head[end]) return undefined
  if (sizeBytes > 0) return { samples: head.readUIntBE(sizeAt, sizeBytes) + 1 }
  return { samples: size === 1 ? 192 : size < 6 ? 576 << (size - 2) : 256 << (size - 8) }
}

function crc8(bytes: Buffer, end: number): number {
  let crc = 0
  for (let at = 0; at < end; at++) {
    crc ^= bytes[at] ?? 0
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x80 ? 0x107 : 0)
  }
  return crc
}

/** What an encoder adds to fill its first and last frames. */
const FILLING_SECONDS = 0.25

/**
 * What was counted, or what the file says of itself where that leaves out no more than what encoders add. A file that says more
 * than was counted is believed.
 */
export const roundedTo = (counted: number, said: number): number =>
  said >= counted - FILLING_SECONDS && said > 0 ? said : counted
