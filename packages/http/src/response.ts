// What is answered: a status, headers and a body, made without the platform's Response and Headers, which cost more than
// the rest of a short answer.

/** Where a streamed body goes. */
export type Sink = {
  /** A promise: the client does not keep up, and this is settled when it does, or has left. */
  write(bytes: Uint8Array): undefined | Promise<unknown>
}

export type StreamedBody = {
  /**
   * Writes all of the body but its last bytes, which it gives back: they leave together with the end. It runs to its end
   * also where nobody listens any more. A throw breaks the connection: a clean end would pass for success.
   */
  run(sink: Sink): Promise<Uint8Array>
}

export type HttpResponse = {
  status: number
  headers: ResponseHeaders
  body: Uint8Array | StreamedBody
}

export type HeaderSet = Readonly<Record<string, string>>

/** A set of headers that is the same for many answers, written down once. */
export type FixedHeaders = { readonly set: HeaderSet; readonly lines: string }

export function fixedHeaders(set: HeaderSet): FixedHeaders {
  return { set: Object.freeze({ ...set }), lines: Object.entries(set).map(line).join('') }
}

const line = ([name, value]: readonly [string, string]) => `${name}: ${checked(value)}\r\n`

/** With these a value would begin another header, or could not be written in one byte. */
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/

function checked(value: string): string {
  if (UNSAFE.test(value)) throw new TypeError('A header has a character that no header may have.')
  return value
}

/** Names are in small letters. */
export class ResponseHeaders {
  readonly requestId: string
  readonly #fixed: FixedHeaders
  /** Names and values by turns: there are a handful, and looking through them is cheaper than any table. */
  readonly #own: string[]
  #overrides = false

  constructor(fixed: FixedHeaders, requestId: string) {
    this.#fixed = fixed
    this.requestId = requestId
    this.#own = ['x-request-id', requestId, 'request-id', requestId]
  }

  /** Of two with one name the later holds. */
  set(name: string, value: string): void {
    checked(value)
    const own = this.#own
    for (let index = 0; index < own.length; index += 2) {
      if (own[index] !== name) continue
      own[index + 1] = value
      return
    }
    if (Object.hasOwn(this.#fixed.set, name)) this.#overrides = true
    own.push(name, value)
  }

  /** One that was set; the fixed ones stay. */
  remove(name: string): void {
    const own = this.#own
    for (let index = 0; index < own.length; index += 2) if (own[index] === name) own.splice(index, 2)
  }

  get(name: string): string | null {
    const own = this.#own
    for (let index = 0; index < own.length; index += 2) if (own[index] === name) return own[index + 1] ?? null
    const { set } = this.#fixed
    return Object.hasOwn(set, name) ? (set[name] ?? null) : null
  }

  #isOwn(name: string): boolean {
    return this.#own.some((own, index) => index % 2 === 0 && own === name)
  }

  /** As they go over the wire, each with its line end. */
  lines(): string {
    let text = this.#overrides ? this.#remaining() : this.#fixed.lines
    const own = this.#own
    for (let index = 0; index < own.length; index += 2) text += `${own[index]}: ${own[index + 1]}\r\n`
    return text
  }

  /** The fixed ones that were not set to something else. */
  #remaining(): string {
    return Object.entries(this.#fixed.set)
      .filter(([name]) => !this.#isOwn(name))
      .map(line)
      .join('')
  }
}

export function json(status: number, headers: ResponseHeaders, value: unknown): HttpResponse {
  headers.set('content-type', 'application/json; charset=utf-8')
  return { status, headers, body: Buffer.from(JSON.stringify(value)) }
}
