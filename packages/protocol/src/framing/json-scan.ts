// Finds the top-level fields of a JSON object in its bytes without building the values inside: a large request
// passes through the gateway, so only where its few interesting fields begin and end has to be known.
//
// The whole token grammar is checked on the way. Left unchecked is only the inside of strings below the top level
// (escapes, control characters): long ones are skipped by native search.

import type { Codec } from './codec.ts'

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
}

/** A long string somewhere below the top level, with the member name it stands under. */
export type LongString = { keyStart: number; keyEnd: number; start: number; end: number }

export type JsonScan = {
  ok: true
  /** Where the closing brace of the object is. */
  close: number
  fields: JsonField[]
  /** How often each of the given words stands as the value of a nested member named `type`; absent: nowhere. */
  typeCounts: Readonly<Record<string, number>>
  longStrings: readonly LongString[]
}

export type JsonMistake = {
  ok: false
  /** What is wrong, to be read after "The body": `has the field model twice`. */
  message: string
  offset: number
  /** The top-level field in which the mistake is, when it is in one. */
  field?: string
}

export const MAX_DEPTH = 512
const MAX_FIELDS = 256
const LONG_STRING = 512
/** A native search costs about as much as looking at this many bytes here. */
const NATIVE_AFTER = 14

/** Names that change an object's prototype when a careless reader assigns them. */
const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Words to count, by their length: at most one word per length keeps the check to one comparison per string. */
export type TypeWords = readonly (string | undefined)[]

export function typeWords(...words: string[]): TypeWords {
  const byLength: (string | undefined)[] = []
  for (const word of words) {
    if (byLength[word.length] !== undefined) throw new Error('two type words of the same length')
    byLength[word.length] = word
  }
  return Array.from(byLength)
}

const NO_WORDS: TypeWords = []
const NO_COUNTS: Record<string, number> = Object.freeze({})
const NO_STRINGS: readonly LongString[] = Object.freeze([])

export function scanObject(bytes: Uint8Array, codec: Codec, words: TypeWords = NO_WORDS): JsonScan | JsonMistake {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return mistake('must be a JSON object', at)
  at = skipSpace(bytes, at + 1)

  const fields: JsonField[] = []
  const nested: Nested = { words, typeCounts: NO_COUNTS, longStrings: undefined, count: 0, mistake: '', offset: 0 }

  if (bytes[at] === CLOSE_BRACE) return finish(bytes, at, fields, nested)
  for (;;) {
    const keyStart = at
    if (bytes[at] !== QUOTE) return mistake('expects a field name in double quotes', at)
    const keyEnd = skipString(bytes, at + 1) + 1
    if (keyEnd === 0) return mistake('has a field name that does not end', keyStart)
    const name = nameAt(bytes, keyStart, keyEnd, codec)
    if (name === undefined) return mistake('has a field name with an invalid escape or control character', keyStart)
    if (REFUSED_NAMES.has(name)) return mistake(`must not have a field named ${name}`, keyStart, name)
    if (fieldNamed(fields, name) !== undefined) return mistake(`has the field ${name} twice`, keyStart, name)
    if (fields.length === MAX_FIELDS) return mistake(`has more than ${MAX_FIELDS} top-level fields`, keyStart)

    at = skipSpace(bytes, keyEnd)
    if (bytes[at] !== COLON) return mistake(`expects a colon after ${name}`, at, name)
    const start = skipSpace(bytes, at + 1)
    const end = skipValue(bytes, start, nested)
    if (end < 0) return mistake(`has a mistake in ${name}: it ${nested.mistake}`, nested.offset, name)
    fields.push({ name, keyStart, keyEnd, start, end, kind: kindOf(bytes[start]), count: nested.count })

    at = skipSpace(bytes, end)
    if (bytes[at] === CLOSE_BRACE) return finish(bytes, at, fields, nested)
    if (bytes[at] !== COMMA) return mistake(`expects a comma or the closing brace after ${name}`, at, name)
    at = skipSpace(bytes, at + 1)
  }
}

/** A loop: asked a dozen times for every request, where a closure each time would cost more than the search. */
export function fieldNamed(fields: readonly JsonField[], name: string): JsonField | undefined {
  for (const field of fields) if (field.name === name) return field
  return undefined
}

/**
 * Field names met before, by a hash of their bytes. They are few and come again with every request, and comparing one
 * costs a fraction of the native call that would make another string of it. Whoever invents names only takes places.
 */
const KNOWN_NAMES: string[] = Array.from({ length: 4096 }, () => '')
const LONGEST_KNOWN = 32

function nameAt(bytes: Uint8Array, keyStart: number, keyEnd: number, codec: Codec): string | undefined {
  const length = keyEnd - keyStart - 2
  if (length > LONGEST_KNOWN) return decodeString(bytes, keyStart, keyEnd, codec)
  let hash = length
  for (let at = keyStart + 1; at < keyEnd - 1; at++) hash = (hash * 31 + (bytes[at] ?? 0)) & 0xffffff
  const place = hash % KNOWN_NAMES.length
  const known = KNOWN_NAMES[place] ?? ''
  if (isTextAt(bytes, keyStart + 1, length, known)) return known
  const name = decodeString(bytes, keyStart, keyEnd, codec)
  // Only plain characters: a name that had escapes or more bytes than letters never equals its bytes.
  if (name?.length === length) KNOWN_NAMES[place] = name
  return name
}

function isTextAt(bytes: Uint8Array, at: number, length: number, text: string): boolean {
  if (text.length !== length) return false
  for (let index = 0; index < length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
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

type Nested = {
  words: TypeWords
  typeCounts: Record<string, number>
  longStrings: LongString[] | undefined
  count: number
  mistake: string
  offset: number
}

function finish(bytes: Uint8Array, close: number, fields: JsonField[], nested: Nested): JsonScan | JsonMistake {
  const rest = skipSpace(bytes, close + 1)
  if (rest < bytes.length) return mistake('has something after the closing brace', rest)
  return { ok: true, close, fields, typeCounts: nested.typeCounts, longStrings: nested.longStrings ?? NO_STRINGS }
}

function mistake(message: string, offset: number, field?: string): JsonMistake {
  return field === undefined ? { ok: false, message, offset } : { ok: false, message, offset, field }
}

function fail(nested: Nested, message: string, offset: number): -1 {
  nested.mistake = message
  nested.offset = offset
  return -1
}

// One stack for all calls: a scan is synchronous and never calls itself.
const enclosing = new Uint8Array(MAX_DEPTH + 1)
const TOP = 0
/** Inside an array or an object: what closes it. */
const IN_ARRAY = CLOSE_BRACKET
const IN_OBJECT = CLOSE_BRACE

/** The end of the value at `at`, or -1 with the mistake noted. Iterative: nesting must not use the call stack. */
function skipValue(bytes: Uint8Array, at: number, nested: Nested): number {
  let depth = 0
  let inside = TOP
  let keyStart = 0
  let keyEnd = 0
  nested.count = 0

  value: for (;;) {
    const first = bytes[at] ?? 0
    let expectKey = false
    if (first === QUOTE) {
      const start = at
      at = skipString(bytes, at + 1) + 1
      if (at === 0) return fail(nested, 'has a string that does not end', start)
      if (inside === IN_OBJECT) {
        const length = at - start - 2
        if (length >= LONG_STRING) noteLong(nested, { keyStart, keyEnd, start, end: at })
        else if (length < nested.words.length && keyEnd - keyStart === 6)
          countWord(bytes, keyStart, start, length, nested)
      }
    } else if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (depth === MAX_DEPTH) return fail(nested, `is nested more than ${MAX_DEPTH} levels deep`, at)
      enclosing[depth++] = inside
      inside = first === OPEN_BRACE ? IN_OBJECT : IN_ARRAY
      at = skipSpace(bytes, at + 1)
      if (bytes[at] === inside) {
        inside = enclosing[--depth] ?? TOP
        at++
      } else {
        if (depth === 1) nested.count = 1
        if (inside === IN_ARRAY) continue
        expectKey = true
      }
    } else {
      const start = at
      at = skipPrimitive(bytes, at)
      if (at < 0) return fail(nested, primitiveMistake(bytes, start), start)
    }

    // After a value: its container goes on, or ends, and then that container was a value itself.
    while (!expectKey) {
      if (depth === 0) return at
      const next = bytes[at] ?? 0
      if (next === COMMA) {
        if (depth === 1) nested.count++
        at = skipSpace(bytes, at + 1)
        if (inside === IN_ARRAY) continue value
        expectKey = true
      } else if (next === inside) {
        inside = enclosing[--depth] ?? TOP
        at++
      } else if (isSpace(next)) {
        at++
      } else {
        return fail(nested, afterValueMistake(bytes, at, inside), at)
      }
    }

    if (bytes[at] !== QUOTE) return fail(nested, 'expects a member name in double quotes', at)
    keyStart = at
    keyEnd = skipString(bytes, at + 1) + 1
    if (keyEnd === 0) return fail(nested, 'has a string that does not end', keyStart)
    at = bytes[keyEnd] === COLON ? keyEnd : skipSpace(bytes, keyEnd)
    if (bytes[at] !== COLON) return fail(nested, 'expects a colon after a member name', at)
    at = skipSpace(bytes, at + 1)
  }
}

/** The closing quote of the string whose content begins at `at`, or -1. */
function skipString(bytes: Uint8Array, at: number): number {
  const length = bytes.length
  for (;;) {
    const stop = Math.min(at + NATIVE_AFTER, length)
    while (at < stop) {
      const byte = bytes[at]
      if (byte === QUOTE) return at
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return -1
    // `at` never stands inside an escape, so only backslashes from there on can belong to this quote.
    let before = quote - 1
    while (before >= at && bytes[before] === BACKSLASH) before--
    if (((quote - before) & 1) === 1) return quote
    at = quote + 1
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function skipSpace(bytes: Uint8Array, at: number): number {
  while (at < bytes.length && isSpace(bytes[at] ?? 0)) at++
  return at
}

const LETTER_T = 0x74
const LETTER_F = 0x66
const LETTER_N = 0x6e

/** The end of a number or literal, or -1. */
function skipPrimitive(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === LETTER_T) return isLiteral(bytes, at, 0x72, 0x75, 0x65) ? at + 4 : -1
  if (first === LETTER_N) return isLiteral(bytes, at, 0x75, 0x6c, 0x6c) ? at + 4 : -1
  if (first === LETTER_F) return isLiteral(bytes, at, 0x61, 0x6c, 0x73) && bytes[at + 4] === 0x65 ? at + 5 : -1
  return skipNumber(bytes, at)
}

/** Whether these three letters follow the one at `at`. */
function isLiteral(bytes: Uint8Array, at: number, second: number, third: number, fourth: number): boolean {
  return bytes[at + 1] === second && bytes[at + 2] === third && bytes[at + 3] === fourth
}

function skipNumber(bytes: Uint8Array, at: number): number {
  if (bytes[at] === 0x2d) at++
  const digits = at
  at = skipDigits(bytes, at)
  if (at === digits || (bytes[digits] === 0x30 && at > digits + 1)) return -1
  if (bytes[at] === 0x2e) {
    const fraction = at + 1
    at = skipDigits(bytes, fraction)
    if (at === fraction) return -1
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
    const exponent = at
    at = skipDigits(bytes, exponent)
    if (at === exponent) return -1
  }
  return at
}

function skipDigits(bytes: Uint8Array, at: number): number {
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    if (byte < 0x30 || byte > 0x39) break
    at++
  }
  return at
}

/** Notes the string at `start` when it stands under the name `type` and is one of the words. */
function countWord(bytes: Uint8Array, keyStart: number, start: number, length: number, nested: Nested): void {
  const word = nested.words[length]
  if (word === undefined) return
  // t, y, p, e
  if (bytes[keyStart + 1] !== 0x74 || bytes[keyStart + 2] !== 0x79) return
  if (bytes[keyStart + 3] !== 0x70 || bytes[keyStart + 4] !== 0x65) return
  if (!isTextAt(bytes, start + 1, length, word)) return
  if (nested.typeCounts === NO_COUNTS) nested.typeCounts = {}
  nested.typeCounts[word] = (nested.typeCounts[word] ?? 0) + 1
}

function noteLong(nested: Nested, string: LongString): void {
  if (nested.longStrings === undefined) nested.longStrings = [string]
  else nested.longStrings.push(string)
}

function kindOf(first: number | undefined): JsonKind {
  if (first === QUOTE) return 'string'
  if (first === OPEN_BRACE) return 'object'
  if (first === OPEN_BRACKET) return 'array'
  if (first === LETTER_T) return 'true'
  if (first === LETTER_F) return 'false'
  return first === LETTER_N ? 'null' : 'number'
}

function primitiveMistake(bytes: Uint8Array, at: number): string {
  return at >= bytes.length ? 'ends where a value should be' : 'expects a value'
}

function afterValueMistake(bytes: Uint8Array, at: number, inside: number): string {
  if (at >= bytes.length) return 'does not end'
  const next = bytes[at]
  if (next === CLOSE_BRACE || next === CLOSE_BRACKET) return 'closes a bracket that was not opened that way'
  return inside === IN_OBJECT ? 'expects a comma or a closing brace' : 'expects a comma or a closing bracket'
}
