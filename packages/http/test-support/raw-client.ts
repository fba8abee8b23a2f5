// For tests: a client that writes HTTP by hand, malformed requests included.
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

export type Received = {
  status: number
  headers: Record<string, string>
  /** One value per line. */
  cookies: string[]
  body: string
  ending: Ending
}
/** How the end of the body was marked. */
type Ending = 'length' | 'chunks' | 'close' | 'cut'

export class RawClient {
  readonly socket: Socket
  /** Everything, taken by responses or not. */
  receivedBytes = 0
  #text = ''
  /** How the other side ended the connection, if it has. */
  #end: 'end' | 'reset' | undefined
  #changed = Promise.withResolvers<void>()

  constructor(port: number, secure = false) {
    const where = { port, host: '127.0.0.1', allowHalfOpen: true }
    this.socket = secure ? connectSecurely({ ...where, rejectUnauthorized: false }) : connect(where)
    this.socket.on('data', (data) => {
      this.receivedBytes += data.length
      this.#text += data.toString('latin1')
      this.#change()
    })
    this.socket.on('end', () => this.#ended('end'))
    this.socket.on('error', () => this.#ended('reset'))
    this.socket.on('close', () => this.#ended('reset'))
  }

  send(data: string | Uint8Array): this {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
    return this
  }

  /** With pauses, so that each arrives by itself. */
  async sendEach(pieces: readonly (string | Uint8Array)[]): Promise<void> {
    this.socket.setNoDelay(true)
    for (const piece of pieces) {
      this.send(piece)
      await Bun.sleep(1)
    }
  }

  /** The next response, to a request with this method: a response to HEAD has no body. */
  async response(method = 'GET'): Promise<Received> {
    for (;;) {
      const taken = takeResponse(this.#text, this.#end !== undefined, method)
      if (taken) {
        this.#text = this.#text.slice(taken.length)
        return taken.answer
      }
      if (this.#end) throw new Error(`No answer, but the ${this.#end}: ${JSON.stringify(this.#text)}`)
      await this.#changed.promise
    }
  }

  async responses(count: number): Promise<Received[]> {
    const all: Received[] = []
    while (all.length < count) all.push(await this.response())
    return all
  }

  /** What arrived beyond the responses, once the other side has closed the connection, and how it was closed. */
  async end(): Promise<{ rest: string; how: 'end' | 'reset' }> {
    for (;;) {
      if (this.#end) return { rest: this.#text, how: this.#end }
      await this.#changed.promise
    }
  }

  /** Resolves when so many bytes have arrived that no response has taken. */
  async hasReceived(bytes: number): Promise<string> {
    while (this.#text.length < bytes && !this.#end) await this.#changed.promise
    return this.#text
  }

  disconnect(): void {
    this.socket.destroy()
  }

  reset(): void {
    this.socket.resetAndDestroy()
  }

  #ended(how: 'end' | 'reset'): void {
    this.#end ??= how
    this.#change()
  }

  #change(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}

function takeResponse(text: string, isOver: boolean, method: string): { answer: Received; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [first = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const said = /^HTTP\/1\.1 (\d{3}) [\w ']+$/.exec(first)
  if (!said) throw new Error(`Not the first line of an answer: ${JSON.stringify(first)}`)
  const status = Number(said[1])
  const headers: Record<string, string> = {}
  const cookies: string[] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([a-z-]+): (.*)$/.exec(line) ?? []
    if (name === 'set-cookie') cookies.push(value)
    else if (name === '' || name in headers) throw new Error(`Malformed or repeated header: ${JSON.stringify(line)}`)
    else headers[name] = value
  }
  const at = headEnd + 4
  const done = (body: string, ending: Ending, end: number) => ({
    answer: { status, headers, cookies, body, ending },
    length: end,
  })
  if (status < 200 || method === 'HEAD') return done('', 'length', at)
  if (headers['transfer-encoding'] === 'chunked') return takeChunks(text, at, isOver, done)
  const length = headers['content-length']
  if (length === undefined) return isOver ? done(text.slice(at), 'close', text.length) : undefined
  const end = at + Number(length)
  if (text.length >= end) return done(text.slice(at, end), 'length', end)
  return isOver ? done(text.slice(at), 'cut', text.length) : undefined
}

type Done = (body: string, ending: Ending, end: number) => { answer: Received; length: number }

function takeChunks(text: string, from: number, isOver: boolean, done: Done): ReturnType<Done> | undefined {
  let body = ''
  for (let at = from; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (lineEnd === -1 || text.length < end) return isOver ? done(body, 'cut', text.length) : undefined
    if (text.slice(end - 2, end) !== '\r\n') throw new Error('A chunk is longer than its size.')
    if (size === 0) return done(body, 'chunks', end)
    body += text.slice(lineEnd + 2, end - 2)
    at = end
  }
}
