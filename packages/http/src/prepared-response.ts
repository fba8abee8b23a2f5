// An answer that is the same for everybody but for its id and its time, and so is put together once.

import { statusLine } from './framing/status-line.ts'
import { type FixedHeaders, type HttpResponse, ResponseHeaders } from './response.ts'

/** Stands for the id until there is one, in a body as well. As long as any. */
export const REQUEST_ID_PLACEHOLDER = 'req_0000000000000000'

/** `body`: has only characters of one byte. */
export type Preparation = { status: number; fixed: FixedHeaders; body: string }

export class PreparedResponse {
  readonly #status: number
  readonly #fixed: FixedHeaders
  readonly #body: string
  readonly #statusLine: string
  /** What is between the ids, from the first header on. */
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

  /** As it goes over the wire. `date`: the line that tells it. */
  text(date: string, id: string, staysOpen: boolean): string {
    let text = `${this.#statusLine}${date}${staysOpen ? '' : 'connection: close\r\n'}${this.#first}`
    for (const other of this.#others) text += id + other
    return text
  }

  response(id: string): HttpResponse {
    const body = Buffer.from(this.#body.replaceAll(REQUEST_ID_PLACEHOLDER, id), 'latin1')
    return { status: this.#status, headers: new ResponseHeaders(this.#fixed, id), body }
  }
}
