// A response that is the same for all requests except for its id and date, and is serialized once.

import { statusLine } from './framing/status-line.ts'
import { type FixedHeaders, type HttpResponse, ResponseHeaders } from './response.ts'

/** Replaced by the request id in headers and body. As long as any request id. */
export const REQUEST_ID_PLACEHOLDER = 'req_0000000000000000'

/** `body` consists of one-byte characters. */
export type Preparation = { status: number; fixed: FixedHeaders; body: string }

export class PreparedResponse {
  readonly #status: number
  readonly #fixed: FixedHeaders
  readonly #body: string
  readonly #statusLine: string
  /** The text between the ids, from the first header on. */
  readonly #first: string
  readonly #others: readonly string[]

  constructor({ status, fixed, body }: Preparation) {
    this.#status = status
    this.#fixed = fixed
    this.#body = body
    this.#statusLine = statusLine(status)
    const lines = new ResponseHeaders(fixed, REQUEST_ID_PLACEHOLDER).lines()
    const [first = '', ...others] = `${lines}content-length: ${body.length}\r\n\r\n${body}`.split(
      REQUEST_ID_PLACEHOLDER,
    )
    this.#first = first
    this.#others = others
  }

  /** The response as sent. `date` is the whole header line. */
  text(date: string, id: string, keepsAlive: boolean): string {
    let text = `${this.#statusLine}${date}${keepsAlive ? '' : 'connection: close\r\n'}${this.#first}`
    for (const other of this.#others) text += id + other
    return text
  }

  response(id: string): HttpResponse {
    const body = Buffer.from(this.#body.replaceAll(REQUEST_ID_PLACEHOLDER, id), 'latin1')
    return { status: this.#status, headers: new ResponseHeaders(this.#fixed, id), body }
  }
}
