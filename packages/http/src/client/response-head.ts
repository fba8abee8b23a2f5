// The head of a response: status line and headers.

import { Malformed } from '../framing/chunked.ts'
import { firstLineLength, type HeadBytes, HeaderLines } from '../framing/header-lines.ts'

/** How the end of the body is found. */
export type Framing = number | 'chunked' | 'until-close'

const FIRST_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [^\r\n\0]*)?(?=\r|$)/
const VERSION_AT = 'HTTP/1.'.length
const STATUS_AT = 'HTTP/1.1 '.length
const MAX_HEADERS = 1_000
const LENGTH = /^\d{1,15}$/
const CLOSE = /\bclose\b/i

export class ResponseHead {
  readonly status: number
  readonly framing: Framing
  /** The connection can be used again after this response. */
  readonly staysOpen: boolean
  readonly #lines: HeaderLines

  constructor(head: HeadBytes) {
    const text = head.bytes.toString('latin1', head.start, head.end)
    if (!FIRST_LINE.test(text)) throw new Malformed('The response is not HTTP/1.')
    this.#lines = new HeaderLines(head, text, firstLineLength(text))
    if (!this.#lines.isValid) throw new Malformed('The response is not HTTP/1.')
    if (this.#lines.count > MAX_HEADERS) throw new Malformed('The response has too many headers.')
    this.status = digit(text, STATUS_AT) * 100 + digit(text, STATUS_AT + 1) * 10 + digit(text, STATUS_AT + 2)
    this.framing = this.#framing()
    const hasEnd = this.framing !== 'until-close' && !hasNoBody(this.status)
    this.staysOpen = hasEnd && digit(text, VERSION_AT) === 1 && !this.#closes()
  }

  /** The first header of this name (lowercase). */
  header(name: string): string | null {
    return this.#lines.first(name)
  }

  /** Lowercase, in order. */
  headerNames(): string[] {
    return this.#lines.names()
  }

  #closes(): boolean {
    const wish = this.#lines.get('connection')
    return wish !== null && CLOSE.test(wish)
  }

  #framing(): Framing {
    if (hasNoBody(this.status)) return 0
    const length = this.#only('content-length')
    const encoding = this.#only('transfer-encoding')
    if (encoding !== null) {
      // Both together are a way to smuggle in a second response.
      if (encoding.toLowerCase() !== 'chunked' || length !== null)
        throw new Malformed('The length of the response is ambiguous.')
      return 'chunked'
    }
    if (length === null) return 'until-close'
    if (!LENGTH.test(length)) throw new Malformed('The length of the response is ambiguous.')
    return Number(length)
  }

  /** A header that may be repeated only with the same value. */
  #only(name: string): string | null {
    const value = this.#lines.only(name)
    if (value === undefined) throw new Malformed('The length of the response is ambiguous.')
    return value
  }
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 0x30

/** Whatever the headers say. If a service sends a body nevertheless, the connection is not used again. */
const hasNoBody = (status: number): boolean => status < 200 || status === 204 || status === 304
