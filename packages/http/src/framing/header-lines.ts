// The header lines of a head: validated once, byte by byte, and kept as received. Rejected are bare line feeds, folded lines,
// empty names, whitespace before the colon and control characters: parsers disagree on what they mean.

/** Characters allowed in header names. */
const TOKEN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[\w!#$%&'*+.^`|~-]/.test(String.fromCharCode(byte))),
)
const CR = 0x0d
const LF = 0x0a
const COLON = 0x3a
const TAB = 0x09
const BLANK = 0x20
const DELETE = 0x7f

/** A head without the empty line that ends it. */
export type HeadBytes = { bytes: Buffer; start: number; end: number }

/** The length of the first line of a head's text. */
export function firstLineLength(text: string): number {
  const end = text.indexOf('\r')
  return end === -1 ? text.length : end
}

export class HeaderLines {
  /** The head as latin1: one character per byte. */
  readonly #text: string
  /** Four offsets per line: start and end of its name, start and end of its value. */
  readonly #bounds: readonly number[]
  /** A bit for each length of a name: most lookups are for absent headers, and most of those end here. */
  readonly #lengths: number
  /** False: a line is malformed, and nothing of the head may be used. */
  readonly isValid: boolean

  /** `firstLine` is the length of the first line. Scanning bytes is far faster than scanning the text made of them. */
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

  /** The names of all lines, lowercase. */
  names(): string[] {
    const names: string[] = []
    for (let line = 0; line < this.#bounds.length; line += 4)
      names.push(this.#text.slice(this.#bounds[line], this.#bounds[line + 1]).toLowerCase())
    return names
  }

  /** The value of this lowercase name; the values of repeated lines are joined with commas. */
  get(name: string): string | null {
    let found: string | null = null
    for (let line = this.#find(name, 0); line !== -1; line = this.#find(name, line + 4)) {
      const value = this.#value(line)
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  /** One value per line of this name. */
  getAll(name: string): string[] {
    const values: string[] = []
    for (let line = this.#find(name, 0); line !== -1; line = this.#find(name, line + 4)) values.push(this.#value(line))
    return values
  }

  /** The value of the first line of this name. */
  first(name: string): string | null {
    const line = this.#find(name, 0)
    return line === -1 ? null : this.#value(line)
  }

  /** The value that all lines of this name share; undefined if they differ. */
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

/** The offsets of the head that was scanned last. Shared by all heads: an array that grows while it is filled is copied repeatedly. */
export const bounds: number[] = []
/** An array that grew beyond this, by a head of thousands of lines, is not reused. */
const MAX_REUSED = 4_096

/**
 * Writes four offsets per header line into `bounds` and returns how many were written, or -1 if a line is malformed. `at`, the
 * end of the first line, must not exceed the end of the head, where the body starts.
 */
export function readBounds({ bytes, start, end }: HeadBytes, at: number): number {
  if (bounds.length > MAX_REUSED) bounds.length = 0
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
    while (at < end && isVisible(bytes[at] ?? 0)) at++
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
const isVisible = (byte: number): boolean => (byte >= BLANK ? byte !== DELETE : byte === TAB)
