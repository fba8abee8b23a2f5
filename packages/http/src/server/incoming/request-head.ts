// The head of a request: its first line and its headers. What has two readings is refused, since a proxy in front may
// have taken the other one, and then the bytes of one caller's body are another caller's request.
import { firstLineLength, type HeadBytes, HeaderLines } from '../../framing/header-lines.ts'
import type { RequestHeaders } from '../../request.ts'

/** Why there is nothing to answer properly: the bare status that is sent instead, before the connection is closed. */
export type RejectionStatus = 400 | 408 | 417 | 431 | 501 | 505

export class RejectedHead extends Error {
  readonly status: RejectionStatus

  constructor(status: RejectionStatus) {
    super(`The head of a request is answered with ${status}.`)
    this.status = status
  }
}

const FIRST_LINE = /^[\w!#$%&'*+.^`|~-]{1,32} [\x21-\x7e\x80-\xff]+ HTTP\/1\.[01](?=\r\n|$)/
const VERSION_LENGTH = ' HTTP/1.1'.length
/** A constant is found in tables faster than the same letters cut out of a head. */
const POST = 'POST'
const OTHER_VERSION = /^[^\r\n]* HTTP\/(?!1\.[01])\d(?:\.\d)?(?=\r\n|$)/
const SAYS_CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i
const LENGTH = /^\d{1,15}$/
const ORIGIN = /^https?:\/\/[^/?]*/i
const ABOVE_ASCII = /[\x80-\xff]+/g
/** As nearly all are. */
const PLAIN_PATH = /^\/[\x21-\x7e]*$/

export class RequestHead implements RequestHeaders {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly length: number | 'chunked'
  readonly isEncoded: boolean
  readonly keepsAlive: boolean
  /** The client waits for a word before it sends the body. */
  readonly expectsContinue: boolean
  /** Chunks are understood. */
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
    this.keepsAlive = this.isHttp11 && (connection === null || !SAYS_CLOSE.test(connection))
  }

  get(name: string): string | null {
    return this.#lines.get(name)
  }

  /** With two of them, joined by a comma, whoever stands in front may have gone by the other one. */
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
    // Together they are how one request is made to look like two.
    if (length !== null || !this.isHttp11) throw new RejectedHead(400)
    if (encoding.toLowerCase() !== 'chunked') throw new RejectedHead(501)
    return 'chunked'
  }
}

/** Proxies name the host in the first line, too. Letters outside of ASCII are not allowed there, but typed all the same. */
function pathOf(target: string): string {
  if (PLAIN_PATH.test(target)) return target
  const path = target.startsWith('/') ? target : target.replace(ORIGIN, '').replace(/^(?=\?|$)/, '/')
  return path.replace(ABOVE_ASCII, (letters) => encodeURIComponent(Buffer.from(letters, 'latin1').toString()))
}
