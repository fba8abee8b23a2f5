// The head of a reply: its first line and its headers.
import { Malformed } from '../../http/malformed.ts'

/** What is said about where a body ends. */
export type Framing = number | 'chunked' | 'until-close'

const FIRST_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?![^ \r])/
/**
 * Lines that end otherwise, go on in the next, have no name or a blank behind it, or hide something: what one reader takes
 * for a header, another does not.
 */
const AMBIGUOUS = /[^\r]\n|\r(?!\n)|\0|\r\n(?![\w!#$%&'*+.^`|~-]+:)/
/** In any of the headers of this name. */
const SAYS_CLOSE = /\r\nconnection:[^\r]*\bclose\b/
/** An answer has a few dozen. */
const MOST_HEADERS = 1_000
/** Of the shortest header. */
const LEAST_BYTES = '\r\na:'.length
const LENGTH = /^\d{1,15}$/

export class Head {
  readonly status: number
  readonly framing: Framing
  /** The connection can be used again afterwards. */
  readonly staysOpen: boolean
  readonly #text: string
  /** The same in small letters: names are looked for as they are needed, most never are. */
  readonly #lower: string

  /** `text` is without the empty line at its end. */
  constructor(text: string) {
    const line = FIRST_LINE.exec(text)
    if (!line || AMBIGUOUS.test(text)) throw new Malformed('The reply does not begin as HTTP does.')
    if (hasTooMany(text)) throw new Malformed('The reply has too many headers.')
    this.#text = text
    this.#lower = text.toLowerCase()
    this.status = Number(line[2])
    this.framing = this.#framing()
    const hasEnd = this.framing !== 'until-close' && !hasNoBody(this.status)
    this.staysOpen = line[1] === '1' && hasEnd && !SAYS_CLOSE.test(this.#lower)
  }

  /** The first of this name, which is in small letters. */
  header(name: string): string | null {
    const start = this.#lower.indexOf(`\r\n${name}:`)
    return start === -1 ? null : this.#valueAt(start + name.length + 3)
  }

  #valueAt(start: number): string {
    const text = this.#text
    const lineEnd = text.indexOf('\r\n', start)
    let from = start
    let to = lineEnd === -1 ? text.length : lineEnd
    // Not `trim`, to which half of some letters in UTF-8 is a blank as well.
    while (from < to && isBlank(text.charCodeAt(from))) from++
    while (from < to && isBlank(text.charCodeAt(to - 1))) to--
    return text.slice(from, to)
  }

  #framing(): Framing {
    if (hasNoBody(this.status)) return 0
    const length = this.#only('content-length')
    const encoding = this.#only('transfer-encoding')
    if (encoding !== null) {
      // Together they are how one answer is made to look like two.
      if (encoding.toLowerCase() !== 'chunked' || length !== null) throw new Malformed('The reply has no clear length.')
      return 'chunked'
    }
    if (length === null) return 'until-close'
    if (!LENGTH.test(length)) throw new Malformed('The reply has no clear length.')
    return Number(length)
  }

  /** A header that must not be there twice, unless it says the same. */
  #only(name: string): string | null {
    const mark = `\r\n${name}:`
    const first = this.#lower.indexOf(mark)
    if (first === -1) return null
    const value = this.#valueAt(first + mark.length)
    for (let next = first; ; ) {
      next = this.#lower.indexOf(mark, next + mark.length)
      if (next === -1) return value
      if (this.#valueAt(next + mark.length) !== value) throw new Malformed('The reply has no clear length.')
    }
  }
}

/** Not counted where they cannot be: most heads are short. */
function hasTooMany(text: string): boolean {
  if (text.length < MOST_HEADERS * LEAST_BYTES) return false
  return text.split('\r\n', MOST_HEADERS + 2).length > MOST_HEADERS + 1
}

/** Whatever its headers say. Where a service sends one all the same, it must not meet the next request. */
const hasNoBody = (status: number): boolean => status < 200 || status === 204 || status === 304

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
