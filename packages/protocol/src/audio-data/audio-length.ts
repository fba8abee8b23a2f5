// How long audio lasts, told by its bytes while they pass: frames and pages are counted by their headers, and nothing is decoded.

export type AudioLength = {
  push(bytes: Uint8Array): void
  /** So far. undefined: the bytes do not tell it. */
  seconds(): number | undefined
  /** Bytes between frames, which belong to none. */
  unread(): number
}

/** A header: so many bytes of it are needed, or what it begins is so long, itself included. */
type Step = { need: number } | { length: number }
type ReadHeader = (head: Uint8Array) => Step

const NEVER = Number.MAX_SAFE_INTEGER
/** The page header of Ogg with the beginning of its first packet is the longest. */
const LONGEST_HEAD = 512

/** `rawRate`: the bytes are PCM of 16 bits in one channel, at this rate, unless they begin as a file. */
export function openAudioLength(rawRate?: number): AudioLength {
  let known: number | undefined
  let bytesPerSecond = 0
  const buffer = new Uint8Array(LONGEST_HEAD)
  let filled = 0
  /** Bytes that follow and need not be looked at. `counted`: they are samples. */
  let skip = 0
  let counted = 0
  let unread = 0
  const next = (): Step => {
    unread++
    return { length: 1 }
  }
  const add = (seconds: number) => {
    known = (known ?? 0) + seconds
  }
  const samples = (length: number, perSecond: number, header: number): Step => {
    bytesPerSecond = perSecond
    counted = length
    return { length: header }
  }

  let read: ReadHeader = (head) => {
    if (head.length < 4) return { need: 4 }
    if (hasText(head, 'RIFF')) read = wav(samples)
    else if (hasText(head, 'fLaC')) read = (next) => flac(next, add)
    else if (hasText(head, 'OggS'))
      read = ogg((seconds) => {
        known = seconds
      })
    else if (rawRate !== undefined) return samples(NEVER, rawRate * 2, 0)
    else
      read = hasText(head, 'ID3') || !isAdts(head) ? (frame) => mp3(frame, add, next) : (frame) => aac(frame, add, next)
    return { length: 0 }
  }

  function pass(bytes: Uint8Array, from: number): number {
    const [rest, isCounted] = [bytes.length - from, skip === 0 && counted > 0]
    const taken = Math.min(rest, isCounted ? counted : skip)
    if (isCounted) {
      counted -= taken
      add(taken / bytesPerSecond)
    } else skip -= taken
    return from + taken
  }

  return {
    push(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (filled === 0 && (skip > 0 || counted > 0)) {
          at = pass(bytes, at)
          continue
        }
        buffer[filled++] = bytes[at++] ?? 0
        for (let step = read(buffer.subarray(0, filled)); !('need' in step); step = read(buffer.subarray(0, filled))) {
          const inHead = Math.min(step.length, filled)
          buffer.copyWithin(0, inHead, filled)
          filled -= inHead
          skip = step.length - inHead
          if (counted > 0) {
            // What was read as a header are samples, or the first of them follow it.
            const taken = Math.min(filled, counted)
            add(taken / bytesPerSecond)
            counted -= taken
            filled = 0
          }
          if (filled === 0) break
        }
      }
    },
    seconds: () => known,
    unread: () => unread,
  }
}

const hasText = (bytes: Uint8Array, text: string): boolean =>
  [...text].every((letter, index) => bytes[index] === letter.charCodeAt(0))
const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0
const little = (bytes: Uint8Array, at: number, length: number): number =>
  length === 0 ? 0 : byte(bytes, at) + 256 * little(bytes, at + 1, length - 1)
const big = (bytes: Uint8Array, at: number, length: number): number =>
  length === 0 ? 0 : big(bytes, at, length - 1) * 256 + byte(bytes, at + length - 1)

/** Sizes that a writer who cannot go back leaves open. */
const OPEN_SIZES = [0, 0xffff_ffff, 0x7fff_ffff]

function wav(samples: (length: number, perSecond: number, header: number) => Step): ReadHeader {
  let byteRate = 0
  return (head) => {
    if (head.length < 8) return { need: 8 }
    if (hasText(head, 'RIFF')) return { length: 12 }
    const size = little(head, 4, 4)
    if (hasText(head, 'fmt ')) {
      if (head.length < 24) return { need: 24 }
      byteRate = little(head, 16, 4)
    }
    if (hasText(head, 'data') && byteRate > 0) return samples(OPEN_SIZES.includes(size) ? NEVER : size, byteRate, 8)
    return { length: 8 + size + (size % 2) }
  }
}

function flac(head: Uint8Array, add: (seconds: number) => void): Step {
  if (head.length < 4) return { need: 4 }
  if (hasText(head, 'fLaC')) return { length: 4 }
  const type = byte(head, 0) & 0x7f
  // Frames do not say how long they are, but the first block tells the whole, unless the writer did not know it.
  if (type !== 0) return { length: NEVER }
  if (head.length < 22) return { need: 22 }
  const rate = big(head, 14, 3) >> 4
  const total = (byte(head, 17) & 0x0f) * 2 ** 32 + big(head, 18, 4)
  if (rate > 0 && total > 0) add(total / rate)
  return { length: NEVER }
}

/** The last page says how many samples there are up to its end. */
function ogg(tell: (seconds: number) => void): ReadHeader {
  let preSkip: number | undefined
  return (head) => {
    if (head.length < 27) return { need: 27 }
    const segments = byte(head, 26)
    const body = 27 + segments
    if (head.length < body) return { need: body }
    let length = body
    for (let index = 0; index < segments; index++) length += byte(head, 27 + index)
    if (preSkip === undefined) {
      if (!hasText(head, 'OggS') || length < body + 19) return { length: NEVER }
      if (head.length < body + 19) return { need: body + 19 }
      if (!hasText(head.subarray(body), 'OpusHead')) return { length: NEVER }
      preSkip = little(head, body + 10, 2)
      return { length }
    }
    if (!hasText(head, 'OggS')) return { length: NEVER }
    const samples = little(head, 6, 6)
    const isTold = big(head, 6, 4) !== 0xffff_ffff
    if (isTold && samples > preSkip) tell((samples - preSkip) / 48_000)
    return { length }
  }
}

const isAdts = (head: Uint8Array): boolean => byte(head, 0) === 0xff && (byte(head, 1) & 0xf6) === 0xf0
const AAC_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]

function aac(head: Uint8Array, add: (seconds: number) => void, next: () => Step): Step {
  if (head.length < 7) return { need: 7 }
  const rate = AAC_RATES[(byte(head, 2) >> 2) & 15]
  const length = ((byte(head, 3) & 3) << 11) | (byte(head, 4) << 3) | (byte(head, 5) >> 5)
  if (!isAdts(head) || rate === undefined || length < 7) return next()
  add((((byte(head, 6) & 3) + 1) * 1_024) / rate)
  return { length }
}

const MP3_RATES = [44_100, 48_000, 32_000]
const KILOBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KILOBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

function mp3(head: Uint8Array, add: (seconds: number) => void, next: () => Step): Step {
  if (head.length < 4) return { need: 4 }
  if (hasText(head, 'ID3')) {
    if (head.length < 10) return { need: 10 }
    return { length: 10 + [6, 7, 8, 9].reduce((size, at) => size * 128 + (byte(head, at) & 127), 0) }
  }
  const version = (byte(head, 1) >> 3) & 3
  const isFirst = version === 3
  const rate = MP3_RATES[(byte(head, 2) >> 2) & 3]
  const kilobits = (isFirst ? KILOBITS_1 : KILOBITS_2)[byte(head, 2) >> 4]
  // Layer III alone is called mp3.
  const isFrame = byte(head, 0) === 0xff && (byte(head, 1) & 0xe6) === 0xe2 && version !== 1
  if (!isFrame || rate === undefined || !kilobits) return next()
  const perSecond = isFirst ? rate : version === 2 ? rate / 2 : rate / 4
  const samples = isFirst ? 1_152 : 576
  add(samples / perSecond)
  return { length: Math.floor((samples * kilobits * 125) / perSecond) + ((byte(head, 2) >> 1) & 1) }
}
