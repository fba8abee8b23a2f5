// Finds the end of a JSON value in its bytes, and what is worth knowing of its inside. The whole token grammar is checked
// meanwhile. Left unchecked here is only the inside of strings (escapes, control characters): long ones are skipped by
// native search. The WebAssembly of json-skip-code.ts checks that, too.

/** A long string somewhere below the top level, with the member name it stands under. */
export type LongString = { keyStart: number; keyEnd: number; start: number; end: number }

export const MAX_DEPTH = 512
/** Strings of so many bytes are reported. */
export const LONG_STRING = 512
/** A native search costs about as much as looking at this many bytes here. */
const NATIVE_AFTER = 14

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** What is found inside of values, of all that are skipped with it. */
export type Nested = {
  longStrings: LongString[] | undefined
  /** Elements or members of the value skipped last. */
  count: number
  /** Values found so far, at every depth, and how many there may be: each one costs memory once it is parsed. */
  values: number
  maxValues: number
  /** At which depths of the next value names of members are noted: a bit for each depth, at most 31. */
  noteDepths: number
  /** The names of the value skipped last: see `MEMBER_NOTE`. May hold other notes in between. */
  members: ArrayLike<number>
  /** The inside of all strings was checked: escapes are valid, and there are no control characters. */
  stringsAreValid: boolean
  mistake: string
  offset: number
}

/** Four numbers are noted of each name: keyStart, keyEnd, the start of the value, and the depth as a negative number. */
export const MEMBER_NOTE = 4
export const NO_NOTES: ArrayLike<number> = Object.freeze([])

export const newNested = (maxValues: number): Nested => ({
  longStrings: undefined,
  count: 0,
  values: 0,
  maxValues,
  noteDepths: 0,
  members: NO_NOTES,
  stringsAreValid: true,
  mistake: '',
  offset: 0,
})

/** Returns the end of the value at `at`, or -1 with the error noted. */
export type SkipValue = (bytes: Uint8Array, at: number, nested: Nested) => number

export function isTextAt(bytes: Uint8Array, at: number, length: number, text: string): boolean {
  if (text.length !== length) return false
  for (let index = 0; index < length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

function fail(nested: Nested, message: string, offset: number): -1 {
  nested.mistake = message
  nested.offset = offset
  return -1
}

function failAtLimit(nested: Nested, offset: number): -1 {
  nested.values = nested.maxValues + 1
  return fail(nested, `has more than ${nested.maxValues} values`, offset)
}

/** More values than any text has: no limit. A number that WebAssembly can take. */
export const UNLIMITED_VALUES = 0x7fffffff

// One stack for all calls: a scan is synchronous and never calls itself.
const enclosing = new Uint8Array(MAX_DEPTH + 1)
const TOP = 0
/** Inside an array or an object: what closes it. */
const IN_ARRAY = CLOSE_BRACKET
const IN_OBJECT = CLOSE_BRACE

/** Iterative: nesting must not use the call stack. */
export function skipValue(bytes: Uint8Array, at: number, nested: Nested): number {
  let depth = 0
  let inside = TOP
  let keyStart = 0
  let keyEnd = 0
  let valuesLeft = nested.maxValues - nested.values
  const { noteDepths } = nested
  const members: number[] | undefined = noteDepths === 0 ? undefined : []
  nested.count = 0
  nested.stringsAreValid = false

  value: for (;;) {
    if (--valuesLeft < 0) return failAtLimit(nested, at)
    const first = bytes[at] ?? 0
    let expectKey = false
    if (first === QUOTE) {
      const start = at
      at = skipString(bytes, at + 1) + 1
      if (at === 0) return fail(nested, 'has a string that does not end', start)
      if (inside === IN_OBJECT) {
        if (at - start - 2 >= LONG_STRING) noteLong(nested, { keyStart, keyEnd, start, end: at })
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
      if (depth === 0) {
        nested.values = nested.maxValues - valuesLeft
        nested.members = members ?? NO_NOTES
        return at
      }
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
    if (members !== undefined && depth < 32 && ((noteDepths >> depth) & 1) === 1)
      members.push(keyStart, keyEnd, at, -depth)
  }
}

/** The closing quote of the string whose content begins at `at`, or -1. */
export function skipString(bytes: Uint8Array, at: number): number {
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

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export function skipSpace(bytes: Uint8Array, at: number): number {
  while (at < bytes.length && isSpace(bytes[at] ?? 0)) at++
  return at
}

export const LETTER_T = 0x74
export const LETTER_F = 0x66
export const LETTER_N = 0x6e

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

export function noteLong(nested: Nested, string: LongString): void {
  if (nested.longStrings === undefined) nested.longStrings = [string]
  else nested.longStrings.push(string)
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
