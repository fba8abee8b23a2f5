// An answer that is the same for everybody but for its id and its time, and so is put together once.
import { type Answer, AnswerHeaders, type FixedHeaders } from './response.ts'
import { statusLine } from './server/status.ts'

/** Stands for the id until there is one, in a body as well. As long as any. */
export const ID = 'req_0000000000000000'

/** `body`: has only characters of one byte. */
export type Preparation = { status: number; fixed: FixedHeaders; body: string }

export class PreparedAnswer {
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
    const lines = new AnswerHeaders(fixed, ID).lines()
    const [first = '', ...others] = `${lines}content-length: ${body.length}\r\n\r\n${body}`.split(ID)
    this.#first = first
    this.#others = others
  }

  /** As it goes over the wire. `date`: the line that tells it. */
  text(date: string, id: string, staysOpen: boolean): string {
    let text = `${this.#statusLine}${date}${staysOpen ? '' : 'connection: close\r\n'}${this.#first}`
    for (const other of this.#others) text += id + other
    return text
  }

  answer(id: string): Answer {
    const body = Buffer.from(this.#body.replaceAll(ID, id), 'latin1')
    return { status: this.#status, headers: new AnswerHeaders(this.#fixed, id), body }
  }
}
