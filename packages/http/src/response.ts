// A response: status, headers and body. The platform's Response and Headers cost more than the rest of a short response.

/** Where a streamed body is written. */
export type Sink = {
  /** Returns a promise under backpressure; it settles when the client has caught up or disconnected. */
  write(bytes: Uint8Array): undefined | Promise<unknown>
  /** Gives the response up: what is unsent is dropped, and the client counts as disconnected. Absent: there is no client. */
  abort?(): void
}

export type StreamedBody = {
  /** Sent as Content-Length if given; `run` must then write exactly this many bytes. Otherwise the body is sent in chunks. */
  length?: number
  /**
   * Writes the body except its last bytes, which it returns: they leave together with the end of the response. It runs to
   * completion even after the client disconnects. If it throws, the connection is closed: a clean end would look like success.
   */
  run(sink: Sink): Promise<Uint8Array>
}

export type HttpResponse = {
  status: number
  headers: ResponseHeaders
  body: Uint8Array | StreamedBody
}

export type HeaderSet = Readonly<Record<string, string>>

/** Headers shared by many responses, serialized once. */
export type FixedHeaders = { readonly set: HeaderSet; readonly lines: string }

export function fixedHeaders(set: HeaderSet): FixedHeaders {
  return { set: Object.freeze({ ...set }), lines: Object.entries(set).map(line).join('') }
}

const line = ([name, value]: readonly [string, string]) => `${name}: ${checked(value)}\r\n`

/** Characters that would start another header, or do not fit into one byte. */
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/

function checked(value: string): string {
  if (UNSAFE.test(value)) throw new TypeError('A header value contains a character that is not allowed in headers.')
  return value
}

/** Names are lowercase. */
export class ResponseHeaders {
  readonly requestId: string
  readonly #fixed: FixedHeaders
  /** Alternating names and values: for a handful of headers a linear search is cheaper than a map. */
  readonly #own: string[]
  /** Names of fixed headers that `set` has replaced. */
  #replaced: string[] | undefined

  constructor(fixed: FixedHeaders, requestId: string) {
    this.#fixed = fixed
    this.requestId = requestId
    this.#own = ['x-request-id', requestId, 'request-id', requestId]
  }

  /** Replaces every value of this name, fixed ones included. */
  set(name: string, value: string): void {
    checked(value)
    const own = this.#own
    if (Object.hasOwn(this.#fixed.set, name)) this.#replaced = [...(this.#replaced ?? []), name]
    const first = this.#find(name, 0)
    if (first === -1) {
      own.push(name, value)
      return
    }
    own[first + 1] = value
    for (let next = this.#find(name, first + 2); next !== -1; next = this.#find(name, next)) own.splice(next, 2)
  }

  /** Adds a line of this name beside those that exist, for headers such as `set-cookie` whose values cannot be joined. */
  append(name: string, value: string): void {
    this.#own.push(name, checked(value))
  }

  /** Removes what `set` and `append` added; fixed headers stay. */
  remove(name: string): void {
    for (let at = this.#find(name, 0); at !== -1; at = this.#find(name, at)) this.#own.splice(at, 2)
    this.#replaced = this.#replaced?.filter((replaced) => replaced !== name)
  }

  /** Removes all names that begin like this, as `remove` does. */
  removeAll(prefix: string): void {
    const names = this.#own.filter((name, index) => index % 2 === 0 && name.startsWith(prefix))
    for (const name of names) this.remove(name)
  }

  /** The value of the first line of this name that is not fixed, else the fixed one. */
  get(name: string): string | null {
    const at = this.#find(name, 0)
    return at === -1 ? (this.#fixedValue(name) ?? null) : (this.#own[at + 1] ?? null)
  }

  /** One value per line, in the order in which they are sent. */
  getAll(name: string): string[] {
    const fixed = this.#replaced?.includes(name) ? undefined : this.#fixedValue(name)
    const values = fixed === undefined ? [] : [fixed]
    for (let at = this.#find(name, 0); at !== -1; at = this.#find(name, at + 2)) values.push(this.#own[at + 1] ?? '')
    return values
  }

  /** The header lines as sent, each with its line end. */
  lines(): string {
    let text = this.#replaced ? this.#remaining(this.#replaced) : this.#fixed.lines
    const own = this.#own
    for (let index = 0; index < own.length; index += 2) text += `${own[index]}: ${own[index + 1]}\r\n`
    return text
  }

  #find(name: string, from: number): number {
    const own = this.#own
    for (let index = from; index < own.length; index += 2) if (own[index] === name) return index
    return -1
  }

  #fixedValue(name: string): string | undefined {
    const { set } = this.#fixed
    return Object.hasOwn(set, name) ? set[name] : undefined
  }

  #remaining(replaced: readonly string[]): string {
    return Object.entries(this.#fixed.set)
      .filter(([name]) => !replaced.includes(name))
      .map(line)
      .join('')
  }
}

export function json(status: number, headers: ResponseHeaders, value: unknown): HttpResponse {
  headers.set('content-type', 'application/json; charset=utf-8')
  return { status, headers, body: Buffer.from(JSON.stringify(value)) }
}
