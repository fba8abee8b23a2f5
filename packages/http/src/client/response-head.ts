// The head of a reply: its first line and its headers.
import { firstLineLength, type HeadBytes, HeaderLines } from '../framing/header-lines.ts'
import { Malformed } from '../framing/malformed.ts'

/** What is said about where a body ends. */
export type Framing = number | 'chunked' | 'until-close'

const FIRST_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [^\r\n\0]*)?(?=\r|$)/
const VERSION_AT = 'HTTP/1.'.length
const STATUS_AT = 'HTTP/1.1 '.length
/** An answer has a few dozen. */
const MAX_HEADERS = 1_000
const LENGTH = /^\d{1,15}$/
const CLOSE = /\bclose\b/i

export class ResponseHead {
  readonly status: number
  readonly framing: Framing
  /** The connection can be used again afterwards. */
  readonly staysOpen: boolean
  readonly #lines: HeaderLines

  constructor(head: HeadBytes) {
    const text = head.bytes.toString('latin1', head.start, head.end)
    if (!FIRST_LINE.test(text)) throw new Malformed('The reply does not begin as HTTP does.')
    this.#lines = new HeaderLines(head, text, firstLineLength(text))
    if (!this.#lines.isValid) throw new Malformed('The reply does not begin as HTTP does.')
    if (this.#lines.count > MAX_HEADERS) throw new Malformed('The reply has too many headers.')
    this.status = digit(text, STATUS_AT) * 100 + digit(text, STATUS_AT + 1) * 10 + digit(text, STATUS_AT + 2)
    this.framing = this.#framing()
    const hasEnd = this.framing !== 'until-close' && !hasNoBody(this.status)
    this.staysOpen = hasEnd && digit(text, VERSION_AT) === 1 && !this.#closes()
  }

  /** The first of this name, which is in small letters. */
  header(name: string): string | null {
    return this.#lines.first(name)
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
    const value = this.#lines.only(name)
    if (value === undefined) throw new Malformed('The reply has no clear length.')
    return value
  }
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 0x30

/** Whatever its headers say. Where a service sends one all the same, it must not meet the next request. */
const hasNoBody = (status: number): boolean => status < 200 || status === 204 || status === 304
