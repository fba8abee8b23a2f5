// The binary event stream of Amazon's services (application/vnd.amazon.eventstream): frames with two checksums each, which may
// arrive cut anywhere.

import type { Codec } from './codec.ts'
import { growingBytes } from './growing-bytes.ts'

/** `headers`: those whose value is text. `payload` is valid until more bytes are pushed. */
export type AmazonFrame = { headers: ReadonlyMap<string, string>; payload: Uint8Array }

export type AmazonEventReader = {
  /** The frames that are complete with these bytes. Throws BrokenEventStream at a broken one, and ever after. */
  push(bytes: Uint8Array): AmazonFrame[]
  /** The bytes have ended. Throws BrokenEventStream within a frame: what follows is missing, so this is no end. */
  end(): void
}

/** What arrived is no such stream, was damaged, or was cut. */
export class BrokenEventStream extends Error {
  override readonly name = 'BrokenEventStream'
}

/** Lengths of frame and headers, and the checksum of these two. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
const EMPTY_FRAME = PRELUDE_BYTES + CHECKSUM_BYTES
/** The service sends a million bytes at most in one event, which are a third more in base64. */
export const MOST_FRAME_BYTES = 2 * 1024 * 1024
/** That of the format itself. */
export const MOST_HEADER_BYTES = 128 * 1024

export function openAmazonEvents(codec: Codec): AmazonEventReader {
  const kept = growingBytes()
  let needed = PRELUDE_BYTES
  let broken: unknown

  /** What comes before a broken frame was sent, and is told before it. */
  function framesIn(bytes: Uint8Array): AmazonFrame[] {
    const frames: AmazonFrame[] = []
    let at = 0
    try {
      for (;;) {
        const left = bytes.length - at
        needed = left < PRELUDE_BYTES ? PRELUDE_BYTES : lengthAt(bytes, at)
        if (left < needed) break
        frames.push(readFrame(bytes.subarray(at, at + needed), codec))
        at += needed
      }
    } catch (error) {
      broken = error
      if (frames.length === 0) throw error
      return frames
    }
    if (at < bytes.length) kept.append(bytes.subarray(at))
    return frames
  }

  return {
    push(bytes) {
      if (broken) throw broken
      if (kept.length === 0) return framesIn(bytes)
      kept.append(bytes)
      return kept.length < needed ? [] : framesIn(kept.take())
    },
    end() {
      if (broken) throw broken
      if (kept.length > 0) throw new BrokenEventStream('the event stream ended within a frame')
    },
  }
}

const u32 = (bytes: Uint8Array, at: number): number => new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0)

/** The whole length of the frame that begins here, of which the prelude has arrived. */
function lengthAt(bytes: Uint8Array, at: number): number {
  // Lengths are believed only then: nothing waits for bytes that nobody announced.
  if (u32(bytes, at + 8) !== crc32(bytes, at, at + 8)) throw damaged('the lengths of a frame')
  const length = u32(bytes, at)
  const headers = u32(bytes, at + 4)
  if (length > MOST_FRAME_BYTES || headers > MOST_HEADER_BYTES || EMPTY_FRAME + headers > length)
    throw new BrokenEventStream(`a frame of ${length} bytes with ${headers} bytes of headers is not possible`)
  return length
}

function readFrame(frame: Uint8Array, codec: Codec): AmazonFrame {
  const end = frame.length - CHECKSUM_BYTES
  if (u32(frame, end) !== crc32(frame, 0, end)) throw damaged('a frame')
  const payloadAt = PRELUDE_BYTES + u32(frame, 4)
  return { headers: readHeaders(frame, payloadAt, codec), payload: frame.subarray(payloadAt, end) }
}

const TEXT = 7
/** The bytes of a value by its type: true, false, 1, 2, 4 and 8 bytes, bytes and text behind their length, a time, a UUID. */
const VALUE_BYTES: readonly (number | 'behind its length')[] = [
  0,
  0,
  1,
  2,
  4,
  8,
  'behind its length',
  'behind its length',
  8,
  16,
]

function readHeaders(frame: Uint8Array, end: number, codec: Codec): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  const byteAt = (at: number): number => (at < end ? (frame[at] ?? 0) : Number.POSITIVE_INFINITY)
  for (let at = PRELUDE_BYTES; at < end; ) {
    const typeAt = at + 1 + byteAt(at)
    const type = byteAt(typeAt)
    const size = VALUE_BYTES[type]
    const isCounted = size === 'behind its length'
    const start = typeAt + (isCounted ? 3 : 1)
    const next = start + (isCounted ? byteAt(typeAt + 1) * 256 + byteAt(typeAt + 2) : (size ?? Number.NaN))
    // Comparing with Infinity and NaN rejects what begins behind the headers, and types that do not exist.
    if (!(next <= end)) throw new BrokenEventStream('the headers of a frame cannot be read')
    if (type === TEXT) headers.set(codec.decode(frame, at + 1, typeAt), codec.decode(frame, start, next))
    at = next
  }
  return headers
}

const damaged = (what: string) => new BrokenEventStream(`the checksum of ${what} is wrong`)

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(bytes: Uint8Array, start: number, end: number): number {
  let value = 0xffffffff
  for (let at = start; at < end; at++) value = (value >>> 8) ^ (TABLE[(value ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}
