// Finds the vectors of a reply in its bytes. The end of a list of numbers is found by a native search for its bracket, and the
// numbers themselves are not looked at: there are millions of bytes of them, and the client parses them anyway.

import { type ErrorInfo, errorInfo } from '../../../canonical/error.ts'
import { isObject, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { nameAt } from '../../../framing/json/json-scan.ts'
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  newNested,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
  UNLIMITED_VALUES,
} from '../../../framing/json/json-skip.ts'

const CLOSE_BRACKET = 0x5d

/** Byte offsets, end exclusive. */
export type Place = { start: number; end: number }

export type ScannedReply = {
  /** The fields at the top. */
  fields: ReadonlyMap<string, Place>
  vectors: readonly (Place & { index: number })[]
}

/** `lists`: fields with the elements, or with one of them. `vector`: the field of each element. */
export type VectorNames = { lists: readonly string[]; vector: string }

/** undefined: it is no JSON object. */
export function scanVectors(bytes: Uint8Array, { lists, vector }: VectorNames, codec: Codec): ScannedReply | undefined {
  const fields = new Map<string, Place>()
  const vectors: (Place & { index: number })[] = []

  function element(at: number): number {
    const found = { start: 0, end: 0, index: vectors.length }
    const end = walkObject(bytes, at, codec, (name, start) => {
      const end = name === vector ? skipVector(bytes, start) : skipAny(bytes, start)
      if (name === vector) Object.assign(found, { start, end })
      else if (name === 'index' && end > 0) found.index = indexIn(codec.decode(bytes, start, end), found.index)
      return end
    })
    if (found.end > found.start) vectors.push(found)
    return end
  }

  const close = walkObject(bytes, skipSpace(bytes, 0), codec, (name, start) => {
    const end = lists.includes(name) ? walkElements(bytes, start, element) : skipAny(bytes, start)
    fields.set(name, { start, end })
    return end
  })
  if (close < 0 || skipSpace(bytes, close) < bytes.length) return undefined
  return { fields, vectors }
}

const indexIn = (text: string, otherwise: number): number => (/^\d{1,9}$/.test(text) ? Number(text) : otherwise)

/** Returns where the object ends, or -1. `onField` gets where a value begins, and returns where it ends, or -1. */
function walkObject(
  bytes: Uint8Array,
  open: number,
  codec: Codec,
  onField: (name: string, start: number) => number,
): number {
  if (bytes[open] !== OPEN_BRACE) return -1
  let at = skipSpace(bytes, open + 1)
  if (bytes[at] === CLOSE_BRACE) return at + 1
  for (;;) {
    if (bytes[at] !== QUOTE) return -1
    const keyEnd = skipString(bytes, at + 1) + 1
    if (keyEnd === 0) return -1
    const name = nameAt(bytes, at, keyEnd, codec)
    at = skipSpace(bytes, keyEnd)
    if (name === undefined || bytes[at] !== COLON) return -1
    at = onField(name, skipSpace(bytes, at + 1))
    if (at < 0) return -1
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE_BRACE) return at + 1
    if (bytes[at] !== COMMA) return -1
    at = skipSpace(bytes, at + 1)
  }
}

/** The elements of a list, or the only one. What is no object has no vector. */
function walkElements(bytes: Uint8Array, start: number, element: (at: number) => number): number {
  if (bytes[start] === OPEN_BRACE) return element(start)
  if (bytes[start] !== OPEN_BRACKET) return skipAny(bytes, start)
  let at = skipSpace(bytes, start + 1)
  if (bytes[at] === CLOSE_BRACKET) return at + 1
  for (;;) {
    const end = bytes[at] === OPEN_BRACE ? element(at) : skipAny(bytes, at)
    if (end < 0) return -1
    at = skipSpace(bytes, end)
    if (bytes[at] === CLOSE_BRACKET) return at + 1
    if (bytes[at] !== COMMA) return -1
    at = skipSpace(bytes, at + 1)
  }
}

/** Where numbers begin, the next closing bracket is the end of the list. */
function skipVector(bytes: Uint8Array, at: number): number {
  const first = bytes[at] === OPEN_BRACKET ? (bytes[skipSpace(bytes, at + 1)] ?? 0) : 0
  const isNumbers = first === MINUS || (first >= ZERO && first <= NINE)
  return isNumbers ? bytes.indexOf(CLOSE_BRACKET, at) + 1 || -1 : skipAny(bytes, at)
}

const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39]

const skipAny = (bytes: Uint8Array, at: number): number => skipValue(bytes, at, newNested(UNLIMITED_VALUES))

/** The vectors in the order of the inputs. */
export const orderedVectors = (bytes: Uint8Array, { vectors }: ScannedReply): Uint8Array[] =>
  vectors.toSorted((one, other) => one.index - other.index).map(({ start, end }) => bytes.subarray(start, end))

export const jsonIn = (bytes: Uint8Array, place: Place | undefined, codec: Codec): unknown =>
  place && parsedJson(codec.decode(bytes, place.start, place.end))

/** A reply without vectors: an error with the status 200, or something else. */
export function errorWithout(
  bytes: Uint8Array,
  scanned: ScannedReply | undefined,
  codec: Codec,
  decodeError: (status: number, body: unknown) => ErrorInfo,
): ErrorInfo {
  const error = jsonIn(bytes, scanned?.fields.get('error'), codec)
  if (isObject(error) || typeof error === 'string') return decodeError(200, { error })
  return errorInfo('upstream_error', 'The upstream answered without vectors.')
}
