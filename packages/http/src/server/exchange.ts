// One request on a connection, and the response to it.
import { statusLine } from '../framing/status-line.ts'
import type { HttpResponse, Sink, StreamedBody } from '../response.ts'
import { ClientDisconnected } from './incoming/incoming-body.ts'
import type { IncomingRequest } from './incoming/incoming-request.ts'
import type { SocketWriter } from './outgoing/socket-writer.ts'
import { lengthLine, StreamedResponse } from './outgoing/streamed-response.ts'
import type { ServerContext } from './server-context.ts'

/** The connection of an exchange. */
export type ExchangeConnection = {
  /** The response has been handed to the socket. Some of the request body may still be on its way. */
  responded(exchange: Exchange): void
  /** Sends this status unless a response has begun, and closes the connection. */
  fail(status: 500): void
  /** Closes the connection once everything has been sent. */
  close(): void
  /** Resets the connection. */
  cut(): void
}

type Context = Pick<ServerContext<never>, 'handle' | 'date' | 'isDraining' | 'failed'>

/** Up to this much of an unread body is received and discarded to keep the connection alive; beyond it a new one is cheaper. */
const MAX_DISCARDED_BYTES = 256 * 1024
const NOTHING = new Uint8Array(0)

export class Exchange {
  readonly request: IncomingRequest
  keepsAlive: boolean
  isAnswered = false
  readonly #connection: ExchangeConnection
  readonly #context: Context
  readonly #writer: SocketWriter
  #stream: StreamedResponse | undefined
  /** The connection is closed, or has given the exchange up: the response goes nowhere. */
  #isDetached = false

  constructor(request: IncomingRequest, connection: ExchangeConnection, context: Context, writer: SocketWriter) {
    this.request = request
    this.keepsAlive = request.headers.keepsAlive
    this.#connection = connection
    this.#context = context
    this.#writer = writer
  }

  /** Whether bytes of the response have been sent, so that no other response is possible. */
  get hasBegun(): boolean {
    return this.isAnswered || this.#stream?.hasBegun === true
  }

  /** Throws what the handler throws synchronously. */
  start(): void {
    const response = this.#context.handle(this.request)
    if (!(response instanceof Promise)) this.#respond(response)
    else
      response.then(
        (response) => this.#respondOrFail(response),
        (error) => this.#fail(error),
      )
  }

  detach(): void {
    this.#isDetached = true
    this.#stream?.close()
    this.#stream = undefined
  }

  #respondOrFail(response: HttpResponse): void {
    try {
      this.#respond(response)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    // A handler that was reading the body of a client that has disconnected.
    if (!(error instanceof ClientDisconnected)) this.#context.failed(error)
    if (!this.#isDetached) this.#connection.fail(500)
  }

  #respond({ status, headers, body }: HttpResponse): void {
    const isStreamed = !(body instanceof Uint8Array)
    if (this.#isDetached) {
      if (isStreamed) runDiscarded(body)
      return
    }
    if (this.#context.isDraining() || isCheaperToClose(this.request)) this.keepsAlive = false
    if (headers.get('connection') === 'close') this.keepsAlive = false
    else if (!this.keepsAlive) headers.set('connection', 'close')
    const lines = `${statusLine(status)}${this.#context.date()}${headers.lines()}`
    const isHead = this.request.method === 'HEAD'
    if (isStreamed && !isHead) {
      this.#sendStream(lines, body)
      return
    }
    if (isStreamed) runDiscarded(body)
    // A 304 has no body, and its length would be that of another response.
    const length = body.length === undefined || status === 304 ? '' : lengthLine(body.length)
    this.#writer.write(`${lines}${length}\r\n`, isHead || isStreamed ? NOTHING : body, '')
    this.#answered()
  }

  async #sendStream(lines: string, body: StreamedBody): Promise<void> {
    const { isHttp11: inChunks } = this.request.headers
    const cut = () => this.#connection.cut()
    const stream = new StreamedResponse(this.#writer, { lines, inChunks, length: body.length, cut })
    this.#stream = stream
    try {
      const last = await body.run(stream)
      if (this.#isDetached) return
      stream.end(last)
      this.#answered()
    } catch {
      if (!this.#isDetached) this.#abort(stream)
    }
  }

  #answered(): void {
    this.isAnswered = true
    this.#stream = undefined
    this.#connection.responded(this)
  }

  /** A streamed response that cannot be completed must not look complete. */
  #abort(stream: StreamedResponse): void {
    stream.flush()
    if (!stream.hasBegun) this.#connection.fail(500)
    else if (stream.inChunks) this.#connection.close()
    else this.#connection.cut()
  }
}

/** The rest of the body costs more than a new connection; or the client alone knows whether it will send it. */
const isCheaperToClose = ({ body }: IncomingRequest): boolean =>
  body.remainingBytes > MAX_DISCARDED_BYTES || body.awaitsContinue

const NOWHERE: Sink = { write: () => undefined }

/** Streamed bodies run to completion even if the client has disconnected. */
const runDiscarded = (body: StreamedBody): void => void body.run(NOWHERE).catch(() => {})
