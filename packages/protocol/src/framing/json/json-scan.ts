// Finds the top-level fields of a JSON object in its bytes without building the values inside: a large request
// passes through the gateway, so only where its few interesting fields begin and end has to be known.
//
// Values are skipped by json-skip.ts, those of large bodies by json-skip-wasm.ts: with the same results.

import type { Codec } from '../codec.ts'
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  isSpace,
  isTextAt,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  type LongString,
  type Nested,
  newNested,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type SkipValue,
  skipSpace,
  skipString,
  skipValue,
  UNLIMITED_VALUES,
} from './json-skip.ts'
import { loadWasmSkip, wasmSkipFor } from './json-skip-wasm.ts'

export { isTextAt, type LongString, MAX_DEPTH, MEMBER_NOTE } from './json-skip.ts'

export type JsonKind = 'string' | 'number' | 'object' | 'array' | 'true' | 'false' | 'null'

/** Ranges are byte offsets, end exclusive; those of strings and keys include the quotes. */
export type JsonField = {
  name: string
  keyStart: number
  keyEnd: number
  start: number
  end: number
  kind: JsonKind
  /** Elements of an array or members of an object; 0 for anything else. */
  count: number
  /** Names of members inside, where they were requested (`WatchedFields`): see `MEMBER_NOTE`. */
  members: ArrayLike<number>
}

export type JsonScan = {
  ok: true
  /** Where the closing brace of the object is. */
  close: number
  fields: JsonField[]
  longStrings: readonly LongString[]
  /** How many values the fields hold, at every depth. */
  values: number
  /** The inside of all strings was checked: escapes are valid, and there are no control characters. */
  stringsAreValid: boolean
}

/**
 * Top-level fields inside of which names of members are noted, with a bit for each depth: 4 for the members of the objects in
 * a list, 8 for those of objects in these, and so on. Where the field is an object and no list, everything is a level higher.
 */
export type WatchedFields = ReadonlyMap<string, number>

export type JsonMistake = {
  ok: false
  /** What is wrong, to be read after "The body": `has the field model twice`. */
  message: string
  offset: number
  /** The top-level field that has the error, if one has it. */
  field?: string
  /** There are more values than allowed. The scan stopped there, and nothing says that the rest is JSON. */
  tooManyValues?: true
}

const MAX_FIELDS = 256

/** Names that change an object's prototype when a careless reader assigns them. */
const REJECTED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const NONE_WATCHED: WatchedFields = new Map()
const NO_STRINGS: readonly LongString[] = Object.freeze([])

export function scanObject(
  bytes: Uint8Array,
  codec: Codec,
  watched: WatchedFields = NONE_WATCHED,
  maxValues: number = UNLIMITED_VALUES,
): JsonScan | JsonMistake {
  return scanObjectWith(wasmSkipFor(bytes) ?? skipValue, bytes, codec, watched, maxValues)
}

/** Whether the inside of all strings of a scanned body is valid. False also where only a parser can say it. */
export function hasValidStrings(bytes: Uint8Array, codec: Codec, scan: JsonScan): boolean {
  if (scan.stringsAreValid) return true
  const skip = loadWasmSkip(bytes)
  const again = skip && scanObjectWith(skip, bytes, codec)
  return again?.ok === true && again.stringsAreValid
}

/** Exported for tests, which compare the two implementations that skip a value. */
export function scanObjectWith(
  skip: SkipValue,
  bytes: Uint8Array,
  codec: Codec,
  watched: WatchedFields = NONE_WATCHED,
  maxValues: number = UNLIMITED_VALUES,
): JsonScan | JsonMistake {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return mistake('must be a JSON object', at)
  at = skipSpace(bytes, at + 1)

  const fields: JsonField[] = []
  const nested = newNested(maxValues)

  if (bytes[at] === CLOSE_BRACE) return finish(bytes, at, fields, nested)
  for (;;) {
    const keyStart = at
    if (bytes[at] !== QUOTE) return mistake('is not valid JSON: expected a field name in double quotes', at)
    const keyEnd = skipString(bytes, at + 1) + 1
    if (keyEnd === 0) return mistake('has a field name that does not end', keyStart)
    const name = nameAt(bytes, keyStart, keyEnd, codec)
    if (name === undefined) return mistake('has a field name with an invalid escape or control character', keyStart)
    if (REJECTED_NAMES.has(name)) return mistake(`must not have a field named ${name}`, keyStart, name)
    if (fieldNamed(fields, name) !== undefined) return mistake(`has the field ${name} twice`, keyStart, name)
    if (fields.length === MAX_FIELDS) return mistake(`has more than ${MAX_FIELDS} top-level fields`, keyStart)

    at = skipSpace(bytes, keyEnd)
    if (bytes[at] !== COLON) return mistake(`is not valid JSON: expected a colon after ${name}`, at, name)
    const start = skipSpace(bytes, at + 1)
    nested.noteDepths = watched.size === 0 ? 0 : (watched.get(name) ?? 0) >> (bytes[start] === OPEN_BRACE ? 1 : 0)
    const end = skip(bytes, start, nested)
    if (nested.values > maxValues) return { ...mistake(nested.mistake, nested.offset, name), tooManyValues: true }
    if (end < 0) return mistake(`has a mistake in ${name}: it ${nested.mistake}`, nested.offset, name)
    const { count, members } = nested
    fields.push({ name, keyStart, keyEnd, start, end, kind: kindOf(bytes[start]), count, members })

    at = skipSpace(bytes, end)
    if (bytes[at] === CLOSE_BRACE) return finish(bytes, at, fields, nested)
    if (bytes[at] !== COMMA)
      return mistake(`is not valid JSON: expected a comma or the closing brace after ${name}`, at, name)
    at = skipSpace(bytes, at + 1)
  }
}

/** A loop: called a dozen times for every request, where a closure each time would cost more than the search. */
export function fieldNamed(fields: readonly JsonField[], name: string): JsonField | undefined {
  for (const field of fields) if (field.name === name) return field
  return undefined
}

/**
 * Names met before, by a hash of their length and three of their bytes. They are few and come again with every
 * request, and comparing one costs a fraction of the native call that would make another string of it. A client that invents
 * names only takes places.
 */
const KNOWN_NAMES: string[] = Array.from({ length: 4096 }, () => '')
const LONGEST_KNOWN = 32

export function nameAt(bytes: Uint8Array, keyStart: number, keyEnd: number, codec: Codec): string | undefined {
  const length = keyEnd - keyStart - 2
  if (length > LONGEST_KNOWN) return decodeString(bytes, keyStart, keyEnd, codec)
  const first = bytes[keyStart + 1] ?? 0
  const middle = bytes[keyStart + 1 + (length >> 1)] ?? 0
  const last = bytes[keyEnd - 2] ?? 0
  const place = (((length * 31 + first) * 31 + middle) * 31 + last) % KNOWN_NAMES.length
  const known = KNOWN_NAMES[place] ?? ''
  if (isTextAt(bytes, keyStart + 1, length, known)) return known
  const name = decodeString(bytes, keyStart, keyEnd, codec)
  // Only plain characters: a name that had escapes or more bytes than letters never equals its bytes.
  if (name?.length === length) KNOWN_NAMES[place] = name
  return name
}

/** Whether the name at `keyStart` is the first one of its object; a comma stands before each of the others. */
export function isFirstMember(bytes: Uint8Array, keyStart: number): boolean {
  let at = keyStart - 1
  while (isSpace(bytes[at] ?? 0)) at--
  return bytes[at] === OPEN_BRACE
}

/** The text of a JSON string given with its quotes, or undefined when it is not a valid one. */
export function decodeString(bytes: Uint8Array, start: number, end: number, codec: Codec): string | undefined {
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] ?? 0
    if (byte === BACKSLASH || byte < 0x20) return parseString(codec.decode(bytes, start, end))
  }
  return codec.decode(bytes, start + 1, end - 1)
}

function parseString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function finish(bytes: Uint8Array, close: number, fields: JsonField[], nested: Nested): JsonScan | JsonMistake {
  const rest = skipSpace(bytes, close + 1)
  if (rest < bytes.length) return mistake('has something after the closing brace', rest)
  const { longStrings = NO_STRINGS, values, stringsAreValid } = nested
  return { ok: true, close, fields, longStrings, values, stringsAreValid }
}

function mistake(message: string, offset: number, field?: string): JsonMistake {
  return field === undefined ? { ok: false, message, offset } : { ok: false, message, offset, field }
}

function kindOf(first: number | undefined): JsonKind {
  if (first === QUOTE) return 'string'
  if (first === OPEN_BRACE) return 'object'
  if (first === OPEN_BRACKET) return 'array'
  if (first === LETTER_T) return 'true'
  if (first === LETTER_F) return 'false'
  return first === LETTER_N ? 'null' : 'number'
}
