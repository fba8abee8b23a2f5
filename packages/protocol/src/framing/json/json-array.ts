// One JSON array as a stream: its elements as they become complete, from bytes that are cut anywhere; and back.

import type { Codec } from '../codec.ts'
import { growingBytes } from '../growing-bytes.ts'
import { SseOverflow } from '../sse.ts'

export type ArrayReader = {
  /** Throws SseOverflow. */
  push(bytes: Uint8Array): void
  /** Hands out an element that the stream was cut in: it will not parse, and that is how a cut is noticed. */
  end(): void
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** White space, and the bytes of a byte order mark. */
export const isFiller = (byte: number): boolean =>
  byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf

/** Also takes objects that stand alone, without an array around them. What is no object is handed out as it is. */
export function openArrayReader(onElement: (text: string) => void, codec: Codec, limit: number): ArrayReader {
  const pending = growingBytes()
  let depth = 0
  let isInString = false
  let isEscaped = false
  let isGarbage = false

  /** Where the element that begins or goes on at `from` ends; -1 when it goes on. */
  function endOfElement(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (byte === QUOTE) isInString = true
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth--
        if (depth === 0) return at + 1
      }
    }
    return -1
  }

  function keep(bytes: Uint8Array): void {
    if (pending.length + bytes.length > limit) {
      pending.drop()
      throw new SseOverflow(`an element of a JSON array is longer than ${limit} bytes`)
    }
    pending.append(bytes)
  }

  function handOut(bytes: Uint8Array, start: number, end: number): void {
    if (pending.length === 0) {
      onElement(codec.decode(bytes, start, end))
      return
    }
    pending.append(bytes.subarray(start, end))
    const whole = pending.take()
    onElement(codec.decode(whole, 0, whole.length))
  }

  return {
    push(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (isGarbage) {
          keep(bytes.subarray(at))
          return
        }
        if (depth === 0) {
          at = skipBetween(bytes, at)
          if (at === bytes.length) return
          if (bytes[at] !== OPEN_BRACE) {
            isGarbage = true
            continue
          }
        }
        const end = endOfElement(bytes, at)
        if (end < 0) {
          keep(bytes.subarray(at))
          return
        }
        handOut(bytes, at, end)
        at = end
      }
    },
    end() {
      if (pending.length === 0) return
      const rest = pending.take()
      onElement(codec.decode(rest, 0, rest.length))
    },
  }
}

/** Past brackets, commas and white space between elements. */
function skipBetween(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== COMMA && byte !== OPEN_BRACKET && byte !== CLOSE_BRACKET && !isFiller(byte)) break
  }
  return at
}

export type ArrayWriter = {
  /** What to send for one more element, given as JSON text. */
  element(json: string): string
  /** What closes the array, also one that never had an element. */
  end(): string
}

/** The opening bracket goes out with the first element: until then nothing has been promised to the client. */
export function openArrayWriter(): ArrayWriter {
  let isBegun = false
  return {
    element(json) {
      const before = isBegun ? ',\r\n' : '['
      isBegun = true
      return before + json
    },
    end: () => (isBegun ? ']' : '[]'),
  }
}
