// JSON that arrives in pieces, with its long strings taken out while it arrives. An image is one string of up to 128 MiB:
// it stays in the pieces that the network delivered, so it is in memory once, and what remains is small enough to parse.

import type { Codec } from '../codec.ts'
import type { Pieces } from '../splice.ts'

/**
 * `bytes` is the JSON text with a placeholder in the place of each long string: a string of U+0000 and the index in
 * `strings`. No JSON writer of an upstream begins a string that way; one that did would only name its own other strings.
 */
export type ThinJson = { bytes: Uint8Array; strings: readonly TakenString[] }

/** `start` and `end` of the placeholder in the thin text, quotes included. */
export type TakenString = {
  start: number
  end: number
  /** The string's JSON text without its quotes. */
  pieces: Pieces
  length: number
  hasEscapes: boolean
}

export type ThinJsonReader = {
  /** Bytes received since the last `take`, long strings included. */
  readonly length: number
  /** Pieces of at least 16 KiB are kept as they are: they must not be changed afterwards. Throws ThinJsonOverflow. */
  push(bytes: Uint8Array, start?: number, end?: number): void
  /** What has arrived; the reader begins anew. */
  take(): ThinJson
}

export class ThinJsonOverflow extends Error {
  override name = 'ThinJsonOverflow'
}

/** Strings of so many bytes are taken out. */
export const LONG_STRING = 2_048
/** Everything besides the long strings. No reply with images has this much. */
export const MAX_THIN_BYTES = 4 * 1024 * 1024
/** Smaller pieces are copied together: a view keeps all of the array alive that it belongs to. */
const SMALL_PIECE = 16 * 1024
const BLOCK = 256 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c

export function openThinJson(limit: number): ThinJsonReader {
  let thin = openCopy()
  let strings: TakenString[] = []
  let total = 0
  let isInString = false
  /** An odd number of backslashes stands before the next byte of the string. */
  let isEscaped = false
  let string = openPieces()
  let hasEscapes = false

  /** Takes the part of the string in these bytes, and returns where the closing quote is, or `end`. */
  function stringEnd(bytes: Uint8Array, from: number, end: number): number {
    let at = from
    if (isEscaped) {
      isEscaped = false
      at++
    }
    let quote = -1
    for (;;) {
      // Only an escaped quote makes another search necessary: base64 with `\/` has escapes by the thousand.
      if (quote < at) quote = bytes.indexOf(QUOTE, at)
      if (quote < 0 || quote > end) quote = end
      const backslash = bytes.subarray(at, quote).indexOf(BACKSLASH)
      if (backslash < 0) return quote
      hasEscapes = true
      at += backslash + 2
      if (at > end) {
        isEscaped = true
        return end
      }
      if (at === end) return end
    }
  }

  function closeString(): void {
    const { length } = string
    if (length < LONG_STRING) for (const piece of string.take()) thin.append(piece)
    else {
      const start = thin.length - 1
      thin.append(ascii(`\\u0000${strings.length}`))
      strings.push({ start, end: thin.length + 1, pieces: string.take(), length, hasEscapes })
    }
  }

  return {
    get length() {
      return total
    },
    push(bytes, start = 0, end = bytes.length) {
      total += end - start
      if (total > limit) throw new ThinJsonOverflow(`the JSON text is longer than ${limit} bytes`)
      let at = start
      while (at < end) {
        if (isInString) {
          const to = stringEnd(bytes, at, end)
          const part = bytes.subarray(at, to)
          at = to
          // Most strings are short and arrive in one piece.
          if (string.length === 0 && to < end && part.length < LONG_STRING) thin.append(part)
          else {
            string.append(part)
            if (to === end) return
            closeString()
          }
          hasEscapes = false
          isInString = false
          thin.append(bytes.subarray(at, ++at))
        } else {
          const quote = bytes.indexOf(QUOTE, at)
          const to = quote < 0 || quote >= end ? end : quote + 1
          isInString = to <= end && quote >= 0 && quote < end
          thin.append(bytes.subarray(at, to))
          at = to
        }
        if (thin.length > MAX_THIN_BYTES)
          throw new ThinJsonOverflow(`the JSON text is longer than ${MAX_THIN_BYTES} bytes without its long strings`)
      }
    },
    take() {
      // A string that did not end: what is left of it shows that the text is not JSON.
      if (isInString) for (const piece of string.take()) thin.append(piece.subarray(0, LONG_STRING))
      const taken = { bytes: thin.bytes(), strings }
      thin = openCopy()
      string = openPieces()
      strings = []
      total = 0
      isInString = false
      isEscaped = false
      hasEscapes = false
      return taken
    },
  }
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

function openCopy() {
  let buffer = new Uint8Array(1_024)
  let filled = 0
  return {
    get length() {
      return filled
    },
    append(bytes: Uint8Array) {
      if (filled + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(filled + bytes.length, buffer.length * 2))
        larger.set(buffer.subarray(0, filled))
        buffer = larger
      }
      buffer.set(bytes, filled)
      filled += bytes.length
    },
    bytes: () => buffer.subarray(0, filled),
  }
}

function openPieces() {
  let pieces: Uint8Array[] = []
  let block: Uint8Array | undefined
  let filled = 0
  let length = 0
  const closeBlock = () => {
    if (block !== undefined && filled > 0) pieces.push(block.subarray(0, filled))
    block = undefined
    filled = 0
  }
  return {
    get length() {
      return length
    },
    append(bytes: Uint8Array) {
      if (bytes.length === 0) return
      length += bytes.length
      if (bytes.length >= SMALL_PIECE) {
        closeBlock()
        pieces.push(bytes)
        return
      }
      if (block !== undefined && filled + bytes.length > block.length) closeBlock()
      // The first block is small: most strings are.
      block ??= new Uint8Array(Math.max(bytes.length, length < SMALL_PIECE ? LONG_STRING : BLOCK))
      block.set(bytes, filled)
      filled += bytes.length
    },
    take(): Uint8Array[] {
      closeBlock()
      const taken = pieces
      pieces = []
      length = 0
      return taken
    },
  }
}

/** The thin text parsed, long strings as placeholders; undefined when it is not JSON. */
export function parseThin({ bytes }: ThinJson, codec: Codec): unknown {
  try {
    return JSON.parse(codec.decode(bytes, 0, bytes.length))
  } catch {
    return undefined
  }
}

/** The long string that a parsed placeholder stands for; undefined: the value is itself. */
export function takenString({ strings }: ThinJson, value: string): TakenString | undefined {
  if (value.charCodeAt(0) !== 0) return undefined
  const index = value.slice(1)
  return /^\d{1,9}$/.test(index) ? strings[Number(index)] : undefined
}

/** The JSON text at `start` to `end` of the thin text, with the long strings back in their places. */
export function wholeJson({ bytes, strings }: ThinJson, start: number, end: number): Pieces {
  const pieces: Uint8Array[] = []
  let at = start
  for (const string of strings) {
    if (string.start < start || string.end > end) continue
    pieces.push(bytes.subarray(at, string.start + 1), ...string.pieces)
    at = string.end - 1
  }
  pieces.push(bytes.subarray(at, end))
  return pieces
}
