// Walks over one JSON value in its bytes and keeps counters instead of building objects: how many bytes of text
// stand under certain names, and where a few noted values are. A stream has an event per token, and parsing each
// of them costs several times what forwarding it does.
//
// It follows strings and brackets exactly, so a name or bracket inside text never misleads it, but it does not check
// the whole grammar: what it calls WALKED is what a JSON reader would accept only if the writer was one.

/** Values that a walk remembers: `noted` has bit `code` set when such a value was found and is not null or empty. */
export type WatchedName = { name: string; code: number; depths?: readonly number[] }

type Watched = { bytes: readonly number[]; code: number; depths: number }

/** Watched names by their length. */
export type WatchList = readonly (readonly Watched[])[]

/** Codes below this count the UTF-8 length of the text under the name; the others note where the value is. */
const FIRST_NOTED = 8
/** Nothing inside the array or object under a name with this code is counted. */
export const MUTED = 7
const MAX_CODE = 31
const EVERY_DEPTH = -1

export function watchList(names: readonly WatchedName[]): WatchList {
  const list: Watched[][] = []
  for (const { name, code, depths } of names) {
    const bytes = Array.from(name, (letter) => letter.charCodeAt(0))
    const mask = depths === undefined ? EVERY_DEPTH : depths.reduce((bits, depth) => bits | (1 << depth), 0)
    while (list.length <= bytes.length) list.push([])
    list[bytes.length]?.push({ bytes, code, depths: mask })
  }
  return list
}

export const WALKED = 0
/** The bytes ended before the value did. */
export const CUT = 1
/** Not JSON: the caller finds out why. */
export const BROKEN = 2
export type WalkStatus = typeof WALKED | typeof CUT | typeof BROKEN

export type Walk = {
  /** Where the walk stopped: behind the value. */
  end: number
  /** Text found under each counting code, in bytes of UTF-8 when decoded. */
  textBytes: number[]
  /** Bit per code whose name occurred. */
  seen: number
  /** Bit per code whose value was there and not null, not an empty string, array or object. */
  noted: number
  /** Ranges of noted strings (with their quotes) and objects; valid where `noted` has the bit. */
  starts: number[]
  ends: number[]
  /** How often the pivot's name (see `walkJson`) was met, and where the inside of its first object begins (0: no object). */
  pivots: number
  pivotEnd: number
}

export function newWalk(): Walk {
  const zeros = () => Array.from({ length: MAX_CODE + 1 }, () => 0)
  return { end: 0, textBytes: zeros(), seen: 0, noted: 0, starts: zeros(), ends: zeros(), pivots: 0, pivotEnd: 0 }
}

export function resetWalk(walk: Walk): void {
  walk.seen = 0
  walk.noted = 0
  walk.pivots = 0
  walk.pivotEnd = 0
  for (let code = 1; code < FIRST_NOTED; code++) walk.textBytes[code] = 0
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const COLON = 0x3a
const LETTER_N = 0x6e
const LETTER_U = 0x75

/** Outside strings: 1 what may stand in numbers and literals, 2 white space, 3 an opening, 4 a closing bracket, 0 nothing. */
const CLASS = new Uint8Array(256)
for (const letter of '0123456789+-.eEtrufalsn,:') CLASS[letter.charCodeAt(0)] = 1
for (const letter of ' \t\n\r') CLASS[letter.charCodeAt(0)] = 2
for (const letter of '{[') CLASS[letter.charCodeAt(0)] = 3
for (const letter of '}]') CLASS[letter.charCodeAt(0)] = 4

/**
 * Walks from `at`, which is inside `depth` brackets, until all of them are closed, `to` at the latest.
 * `pivot` is the code of a name whose first object is remembered, so that a caller can begin behind it next time.
 * Results add to what is in `walk`: `resetWalk` before a new value.
 */
export function walkJson(
  bytes: Uint8Array,
  at: number,
  to: number,
  depth: number,
  watched: WatchList,
  pivot: number,
  walk: Walk,
): WalkStatus {
  let code = 0
  let openCode = 0
  let openDepth = -1
  let mutedDepth = -1
  while (at < to) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      const start = at + 1
      let escaped = 0
      at = start
      for (;;) {
        if (at >= to) return CUT
        const letter = bytes[at] ?? 0
        if (letter === QUOTE) break
        if (letter === BACKSLASH) {
          // What the escape takes beyond the character it stands for.
          escaped += escapeSurplus(bytes, at)
          at += 2
        } else if (letter < 0x20) return BROKEN
        else at++
      }
      const end = at++
      if (bytes[at] === COLON || (at < to && CLASS[bytes[at] ?? 0] === 2 && isName(bytes, at, to))) {
        code = codeOf(bytes, start, end - start, depth, watched)
        if (code !== 0) {
          walk.seen |= 1 << code
          if (code === pivot) walk.pivots++
        }
      } else if (code !== 0) {
        if (code < FIRST_NOTED) {
          if (mutedDepth < 0) walk.textBytes[code] = (walk.textBytes[code] ?? 0) + (end - start - escaped)
        } else if (end > start) note(walk, code, start - 1, at)
        code = 0
      }
      continue
    }
    if (byte === LETTER_N && bytes[at + 1] === LETTER_U) {
      at += 4
      code = 0
      continue
    }
    const kind = CLASS[byte]
    at++
    if (kind === 3) {
      depth++
      if (code >= FIRST_NOTED) {
        if (CLASS[bytes[skipSpace(bytes, at, to)] ?? 0] !== 4) note(walk, code, at - 1, at)
        if (code === pivot) {
          if (walk.pivots === 1) walk.pivotEnd = at
        } else if (byte === OPEN_BRACE && openDepth < 0) {
          openCode = code
          openDepth = depth
        }
      } else if (code === MUTED && mutedDepth < 0) mutedDepth = depth
      code = 0
    } else if (kind === 4) {
      if (depth === openDepth) {
        walk.ends[openCode] = at
        openDepth = -1
      }
      if (depth === mutedDepth) mutedDepth = -1
      if (--depth === 0) {
        walk.end = at
        return WALKED
      }
    } else if (kind === 0) return BROKEN
  }
  return CUT
}

/** A name is a string with a colon behind it, here after white space. */
function isName(bytes: Uint8Array, at: number, to: number): boolean {
  return bytes[skipSpace(bytes, at, to)] === COLON
}

function skipSpace(bytes: Uint8Array, at: number, to: number): number {
  while (at < to && CLASS[bytes[at] ?? 0] === 2) at++
  return at
}

function codeOf(bytes: Uint8Array, start: number, length: number, depth: number, watched: WatchList): number {
  const candidates = watched[length]
  if (candidates === undefined) return 0
  candidate: for (const { bytes: name, code, depths } of candidates) {
    if (depths !== EVERY_DEPTH && (depth > MAX_CODE || (depths & (1 << depth)) === 0)) continue
    for (let index = 0; index < length; index++) if (bytes[start + index] !== name[index]) continue candidate
    return code
  }
  return 0
}

function note(walk: Walk, code: number, start: number, end: number): void {
  walk.noted |= 1 << code
  walk.starts[code] = start
  walk.ends[code] = end
}

/** Bytes of UTF-8 that the JSON string at `start` to `end`, given with its quotes, stands for. */
export function textLength(bytes: Uint8Array, start: number, end: number): number {
  let length = end - start - 2
  for (let at = start + 1; at < end - 1; at++) {
    if (bytes[at] !== BACKSLASH) continue
    length -= escapeSurplus(bytes, at)
    at++
  }
  return length
}

/** By how many bytes the escape at `at` is longer than the UTF-8 of what it stands for. */
function escapeSurplus(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== LETTER_U) return 1
  const first = bytes[at + 2] ?? 0
  const second = bytes[at + 3] ?? 0
  if (first === 0x30 && second < 0x38) return second === 0x30 && (bytes[at + 4] ?? 0) < 0x38 ? 5 : 4
  // Each half of a surrogate pair stands for two of the four bytes of its character.
  const isSurrogate = (first | 0x20) === 0x64 && second > 0x37
  return isSurrogate ? 4 : 3
}
