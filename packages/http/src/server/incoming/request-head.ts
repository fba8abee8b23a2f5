// The head of a request: its first line and its headers. Ambiguous heads are rejected (request smuggling): if a proxy parsed
// one differently, bytes of one client's body would become another client's request.
import { firstLineLength, type HeadBytes, HeaderLines } from '../../framing/header-lines.ts'
import type { RequestHeaders } from '../../request.ts'

/** The status sent for a head that cannot be parsed, before the connection is closed. */
export type RejectionStatus = 400 | 408 | 417 | 431 | 501 | 505

export class RejectedHead extends Error {
  readonly status: RejectionStatus

  constructor(status: RejectionStatus) {
    super(`A request head was rejected with ${status}.`)
    this.status = status
  }
}

const FIRST_LINE = /^[\w!#$%&'*+.^`|~-]{1,32} [\x21-\x7e\x80-\xff]+ HTTP\/1\.[01](?=\r\n|$)/
const VERSION_LENGTH = ' HTTP/1.1'.length
/** Map lookups by a constant string are faster than by a slice of the head. */
const POST = 'POST'
const OTHER_VERSION = /^[^\r\n]* HTTP\/(?!1\.[01])\d(?:\.\d)?(?=\r\n|$)/
const HAS_CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i
const LENGTH = /^\d{1,15}$/
const ORIGIN = /^https?:\/\/[^/?]*/i
const ABOVE_ASCII = /[\x80-\xff]+/g
/** The common form, in which a target is the path itself. */
const PLAIN_PATH = /^\/[\x21-\x7e]*$/

export class RequestHead implements RequestHeaders {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly length: number | 'chunked'
  readonly isEncoded: boolean
  readonly keepsAlive: boolean
  /** The client awaits `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean
  /** HTTP/1.1, as opposed to 1.0: the client understands chunked responses. */
  readonly isHttp11: boolean
  readonly #lines: HeaderLines

  constructor(head: HeadBytes) {
    const text = head.bytes.toString('latin1', head.start, head.end)
    if (!FIRST_LINE.test(text)) throw new RejectedHead(OTHER_VERSION.test(text) ? 505 : 400)
    const length = firstLineLength(text)
    const methodEnd = text.indexOf(' ')
    const method = text.slice(0, methodEnd)
    this.method = method === POST ? POST : method
    this.target = pathOf(text.slice(methodEnd + 1, length - VERSION_LENGTH))
    this.isHttp11 = text[length - 1] === '1'
    this.#lines = new HeaderLines(head, text, length)
    if (!this.#lines.isValid) throw new RejectedHead(400)
    this.#checkHost()
    this.length = this.#length()
    this.isEncoded = this.get('content-encoding') !== null
    const expects = this.get('expect')
    if (expects !== null && expects.toLowerCase() !== '100-continue') throw new RejectedHead(417)
    this.expectsContinue = expects !== null && this.isHttp11
    const connection = this.get('connection')
    this.keepsAlive = this.isHttp11 && (connection === null || !HAS_CLOSE.test(connection))
  }

  get(name: string): string | null {
    return this.#lines.get(name)
  }

  getAll(name: string): string[] {
    return this.#lines.getAll(name)
  }

  /** Two hosts appear joined with a comma: a proxy may have used the other one. */
  #checkHost(): void {
    const host = this.get('host')
    if (host === null ? this.isHttp11 : host.includes(',')) throw new RejectedHead(400)
  }

  #length(): number | 'chunked' {
    const length = this.get('content-length')
    const encoding = this.get('transfer-encoding')
    if (encoding === null) {
      if (length === null) return 0
      if (!LENGTH.test(length)) throw new RejectedHead(400)
      return Number(length)
    }
    // Content-Length together with Transfer-Encoding is the classic form of request smuggling.
    if (length !== null || !this.isHttp11) throw new RejectedHead(400)
    if (encoding.toLowerCase() !== 'chunked') throw new RejectedHead(501)
    return 'chunked'
  }
}

/** Removes the origin that proxies put into the first line, and percent-encodes non-ASCII bytes, which some clients send. */
function pathOf(target: string): string {
  if (PLAIN_PATH.test(target)) return target
  const path = target.startsWith('/') ? target : target.replace(ORIGIN, '').replace(/^(?=\?|$)/, '/')
  return path.replace(ABOVE_ASCII, (bytes) => encodeURIComponent(Buffer.from(bytes, 'latin1').toString()))
}
