// The lines of a head behind its first: looked through once, byte by byte, and kept as they came. Lines that end
// otherwise, go on in the next, have no name or a blank behind it, or hide something are refused: what one reader takes for
// a header, another does not.

/** The letters of names. */
const TOKEN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[\w!#$%&'*+.^`|~-]/.test(String.fromCharCode(byte))),
)
const CR = 0x0d
const LF = 0x0a
const COLON = 0x3a
const TAB = 0x09
const BLANK = 0x20
const DELETE = 0x7f

/** A head without the empty line at its end. */
export type HeadBytes = { bytes: Buffer; start: number; end: number }

/** Of the text of a head. */
export function firstLineLength(text: string): number {
  const end = text.indexOf('\r')
  return end === -1 ? text.length : end
}

export class HeaderLines {
  /** A character for each byte of the head. */
  readonly #text: string
  /** Of each line where its name begins and ends, and its value. */
  readonly #bounds: readonly number[]
  /** A bit for each length that a name here has: most names that are asked for are not there, and most of those have another. */
  readonly #lengths: number
  /** false: nothing of this is to be believed. */
  readonly isValid: boolean

  /** `firstLine` is how long that is. Bytes are looked through far faster than the text that is made of them. */
  constructor(head: HeadBytes, text: string, firstLine: number) {
    this.#text = text
    const count = readBounds(head, head.start + firstLine)
    this.isValid = count !== -1
    this.#bounds = bounds.slice(0, Math.max(0, count))
    this.#lengths = lengthsIn(this.#bounds)
  }

  get count(): number {
    return this.#bounds.length / 4
  }

  /** The value under this name, which is in small letters; what stands there more than once is joined by commas. */
  get(name: string): string | null {
    let found: string | null = null
    for (let line = this.#find(name, 0); line !== -1; line = this.#find(name, line + 4)) {
      const value = this.#value(line)
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  /** The same of the first line alone that has this name. */
  first(name: string): string | null {
    const line = this.#find(name, 0)
    return line === -1 ? null : this.#value(line)
  }

  /** The value that all lines of this name agree on; undefined where they do not. */
  only(name: string): string | null | undefined {
    const first = this.#find(name, 0)
    if (first === -1) return null
    const value = this.#value(first)
    for (let next = this.#find(name, first + 4); next !== -1; next = this.#find(name, next + 4))
      if (this.#value(next) !== value) return undefined
    return value
  }

  #find(name: string, from: number): number {
    if ((this.#lengths & bitOf(name.length)) === 0) return -1
    for (let line = from; line < this.#bounds.length; line += 4) if (this.#isNamed(line, name)) return line
    return -1
  }

  #value(line: number): string {
    return this.#text.slice(this.#bounds[line + 2], this.#bounds[line + 3])
  }

  #isNamed(line: number, name: string): boolean {
    const start = this.#bounds[line] ?? 0
    if ((this.#bounds[line + 1] ?? 0) - start !== name.length) return false
    for (let index = 0; index < name.length; index++) {
      const code = this.#text.charCodeAt(start + index)
      const isCapital = code >= 0x41 && code <= 0x5a
      if ((isCapital ? code + 32 : code) !== name.charCodeAt(index)) return false
    }
    return true
  }
}

const bitOf = (length: number): number => 1 << (length & 31)

function lengthsIn(bounds: readonly number[]): number {
  let lengths = 0
  for (let line = 0; line < bounds.length; line += 4) lengths |= bitOf((bounds[line + 1] ?? 0) - (bounds[line] ?? 0))
  return lengths
}

/** Of the head that was read last. One for all: a list that grows while it is filled would be copied several times over. */
export const bounds: number[] = []
/** What a head of thousands of lines has left behind is not kept for the next. */
const MOST_KEPT = 4_096

/**
 * Finds the `bounds` of each line: where its name begins and ends, and its value. Gives how many there are, -1: nothing of it
 * is to be believed. `at`, the end of the first line, may not be beyond the end of the head, where the body begins.
 */
export function readBounds({ bytes, start, end }: HeadBytes, at: number): number {
  if (bounds.length > MOST_KEPT) bounds.length = 0
  let count = 0
  while (at < end) {
    if (bytes[at] !== CR || bytes[at + 1] !== LF) return -1
    const name = at + 2
    at = name
    while (at < end && TOKEN[bytes[at] ?? 0] === 1) at++
    if (at === name || at >= end || bytes[at] !== COLON) return -1
    const nameEnd = at++
    while (at < end && isBlank(bytes[at])) at++
    const value = at
    while (at < end && isShown(bytes[at] ?? 0)) at++
    let valueEnd = at
    while (valueEnd > value && isBlank(bytes[valueEnd - 1])) valueEnd--
    bounds[count++] = name - start
    bounds[count++] = nameEnd - start
    bounds[count++] = value - start
    bounds[count++] = valueEnd - start
  }
  return count
}

const isBlank = (byte: number | undefined): boolean => byte === BLANK || byte === TAB
const isShown = (byte: number): boolean => (byte >= BLANK ? byte !== DELETE : byte === TAB)
