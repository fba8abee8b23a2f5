// A client's connection: receives requests and sends their responses, one after the other.

import type { Socket } from 'bun'
import { viewOrCopy } from '../framing/buffers.ts'
import { bareResponse } from '../framing/status-line.ts'
import type { PreparedResponse } from '../prepared-response.ts'
import { Exchange, type ExchangeConnection } from './exchange.ts'
import { FlowControl } from './flow-control.ts'
import type { BodySource } from './incoming/incoming-body.ts'
import { CR, HEAD_END, IncomingHead, LF } from './incoming/incoming-head.ts'
import { IncomingRequest } from './incoming/incoming-request.ts'
import { RejectedHead, type RejectionStatus, RequestHead } from './incoming/request-head.ts'
import { SocketWriter } from './outgoing/socket-writer.ts'
import type { ServerContext } from './server-context.ts'
import { type Awaited, SLOW_HEAD_MS, SLOW_READER_MS, TIMEOUTS } from './timeouts.ts'
import { type BufferedRequest, type RequestHost, submitToGate } from './unread-request.ts'

const NOTHING = new Uint8Array(0)
const EMPTY = Buffer.alloc(0)

export class Connection implements BodySource, RequestHost, ExchangeConnection {
  readonly #context: ServerContext<Connection>
  /** undefined once the socket is closed. */
  #socket: Socket<Connection> | undefined
  readonly #writer: SocketWriter
  readonly #flow: FlowControl
  readonly #head = new IncomingHead()
  /** Received bytes that belong to the next requests. */
  #pipelined: Buffer | undefined
  /** Until the response is sent and all of the request has arrived. */
  #exchange: Exchange | undefined
  /** A request that the admission gate has queued or rejected before it was parsed. */
  #unread: BufferedRequest | undefined
  /** How long the next request was queued by the gate. */
  #queuedMs = 0
  #isReading = false
  /** Nothing more is read; what remains is to send what is buffered, and the client's own end. */
  #isClosing = false
  /** When the current wait began, or last made progress. */
  #since: number

  constructor(context: ServerContext<Connection>, socket: Socket<Connection>) {
    this.#context = context
    this.#socket = socket
    this.#writer = new SocketWriter(socket, () => context.now())
    this.#flow = new FlowControl(socket)
    this.#since = context.now()
  }

  /** Whether a response is outstanding. */
  get isBusy(): boolean {
    const isAwaited = this.#unread !== undefined || (this.#exchange !== undefined && !this.#exchange.isAnswered)
    return isAwaited || !this.#writer.isEmpty
  }

  get #isIdle(): boolean {
    return !this.#exchange && !this.#unread && !this.#head.hasBegun && !this.#pipelined
  }

  /** What waits in memory for the client to read. */
  get unsentBytes(): number {
    return this.#writer.unsentBytes
  }

  /** Since when bytes wait for the client without progress; undefined: none wait. */
  get stalledSince(): number | undefined {
    return this.#writer.stalledSince
  }

  address(): string {
    return this.#socket?.remoteAddress ?? ''
  }

  received(bytes: Buffer): void {
    if (this.#isClosing) return
    if (this.#isIdle && this.#writer.isEmpty) {
      // Line ends alone are no request; otherwise they would keep an idle connection open forever.
      if (!isLineEnd(bytes)) this.#since = this.#context.now()
      if (this.#context.gate.isActive) {
        this.#unread = submitToGate(bytes, this.#context.gate, this)
        if (this.#unread) return
      }
    }
    const exchange = this.#exchange
    const rest = exchange && !exchange.request.body.isComplete ? this.#pushBody(exchange.request, bytes) : bytes
    if (rest.length > 0) this.#pipelined = this.#pipelined ? Buffer.concat([this.#pipelined, rest]) : rest
    if (exchange?.request.body.isComplete && exchange.isAnswered) this.#finish(exchange)
    else this.#readRequests()
  }

  admit(bytes: Buffer, queuedMs: number): void {
    this.#unread = undefined
    this.#pipelined = this.#pipelined ? Buffer.concat([bytes, this.#pipelined]) : bytes
    this.#queuedMs = queuedMs
    this.#readRequests()
  }

  reject(response: PreparedResponse): void {
    this.#unread = undefined
    const keepsAlive = !this.#context.isDraining()
    const id = this.#context.gate.nextRequestId()
    this.#writer.write(response.text(this.#context.date(), id, keepsAlive), NOTHING, '')
    if (keepsAlive) this.#next()
    else this.close()
  }

  /** Returns the bytes after the body. */
  #pushBody(request: IncomingRequest, bytes: Buffer): Buffer {
    try {
      return viewOrCopy(bytes, request.body.push(bytes))
    } catch {
      // After a malformed chunk the start of the next request is unknown.
      this.fail(400)
      return EMPTY
    }
  }

  /**
   * A loop, since pipelined requests may be answered synchronously. It stops while a response is unsent: otherwise a client
   * that sends requests without reading would accumulate responses here.
   */
  #readRequests(): void {
    if (this.#isReading) return
    this.#isReading = true
    while (this.#pipelined && !this.#exchange && !this.#unread && !this.#isClosing && this.#writer.isEmpty) {
      const bytes = this.#pipelined
      this.#pipelined = undefined
      try {
        this.#readRequest(bytes)
      } catch (error) {
        if (error instanceof RejectedHead) this.#rejectHead(error.status)
        else {
          this.#context.failed(error)
          this.fail(500)
        }
      }
    }
    this.#isReading = false
    this.#updateFlow()
  }

  #readRequest(bytes: Buffer): void {
    const head = this.#head.take(bytes)
    if (!head) return
    const request = new IncomingRequest(new RequestHead(head), this, this.#queuedMs)
    this.#queuedMs = 0
    const exchange = new Exchange(request, this, this.#context, this.#writer)
    this.#exchange = exchange
    let rest = viewOrCopy(head.bytes, head.end + HEAD_END.length)
    if (rest.length > 0 && !request.body.isComplete) rest = this.#pushBody(request, rest)
    if (rest.length > 0) this.#pipelined = rest
    if (this.#exchange === exchange) exchange.start()
  }

  responded(exchange: Exchange): void {
    this.#since = this.#context.now()
    if (!exchange.keepsAlive) this.close()
    else if (exchange.request.body.isComplete) this.#finish(exchange)
    else exchange.request.body.discard()
  }

  #finish(exchange: Exchange): void {
    if (this.#exchange !== exchange) return
    this.#exchange = undefined
    this.#next()
  }

  #next(): void {
    this.#since = this.#context.now()
    this.#readRequests()
    // A streamed response that began before the server was stopped did not announce the end of the connection.
    if (this.#context.isStopping()) this.closeIfIdle()
  }

  #rejectHead(status: RejectionStatus): void {
    this.#context.malformed()
    this.fail(status)
  }

  fail(status: RejectionStatus | 500): void {
    const exchange = this.#exchange
    if (!exchange?.hasBegun) this.#writer.write(bareResponse(status, this.#context.date()), NOTHING, '')
    exchange?.request.disconnected()
    this.close()
  }

  close(): void {
    this.#isClosing = true
    this.#since = this.#context.now()
    this.#reset()?.request.body.discard()
    this.#updateFlow()
    if (this.#writer.isEmpty) this.#socket?.shutdown()
  }

  /** Drops everything that was received, and returns the exchange that was in progress. */
  #reset(): Exchange | undefined {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.detach()
    this.#unread?.disconnected()
    this.#unread = undefined
    this.#pipelined = undefined
    this.#head.drop()
    return exchange
  }

  /** The socket may accept more bytes. */
  drained(): void {
    const socket = this.#socket
    if (!socket || this.#writer.isEmpty) return
    this.#writer.flush()
    if (!this.#writer.isEmpty) return
    this.#since = this.#context.now()
    if (this.#isClosing) socket.shutdown()
    else this.#readRequests()
  }

  /** The socket is closed, by either side. */
  ended(): void {
    this.#socket = undefined
    this.#isClosing = true
    this.#context.closed(this)
    const exchange = this.#reset()
    this.#writer.close()
    if (exchange && !exchange.isAnswered) exchange.request.disconnected()
  }

  /** `ended` is called when the socket is closed. */
  cut(): void {
    this.#socket?.terminate()
  }

  closeIfIdle(): void {
    if (this.#isIdle && !this.#isClosing) this.close()
  }

  tick(now: number): void {
    // The system reports room when a third of its buffer is free, which a slow reader may need minutes for.
    this.drained()
    if (this.#writer.isTooSlow(now)) {
      this.cut()
      return
    }
    const awaited = this.#awaited
    if (awaited === undefined || now - this.#since <= TIMEOUTS[awaited]) return
    if (awaited === 'idle') this.close()
    else if (awaited === 'head') this.#rejectHead(408)
    else this.cut()
  }

  /**
   * Since when the connection is idle; undefined: a request is being received, queued or answered. A head that arrives slowly,
   * and a response that is not read, count as idle: otherwise one byte on each connection, or none, would be enough to lock
   * every other client out.
   */
  get idleSince(): number | undefined {
    const now = this.#context.now()
    const { stalledSince } = this.#writer
    if (stalledSince !== undefined) return now - stalledSince > SLOW_READER_MS ? stalledSince : undefined
    const awaited = this.#awaited
    const isSlowHead = awaited === 'head' && now - this.#since > SLOW_HEAD_MS
    return awaited === 'idle' || awaited === 'end' || isSlowHead ? this.#since : undefined
  }

  /** Frees the descriptor at once, without waiting for the client's own end. */
  evict(): void {
    if (this.#writer.isEmpty) this.#socket?.end()
    else this.cut()
  }

  /** undefined: a request is being received, queued or answered, or bytes wait for the client to read. */
  get #awaited(): Awaited | undefined {
    if (this.#exchange) return this.#exchange.isAnswered ? 'body' : undefined
    if (!this.#writer.isEmpty) return undefined
    if (this.#isClosing) return 'end'
    if (this.#unread) return undefined
    return this.#head.hasBegun ? 'head' : 'idle'
  }

  pause(): void {
    this.#flow.isBodyHeld = true
    this.#updateFlow()
  }

  resume(): void {
    this.#flow.isBodyHeld = false
    this.#updateFlow()
  }

  #updateFlow(): void {
    if (this.#socket) this.#flow.update(this.#pipelined?.length ?? 0)
  }

  sendContinue(): void {
    this.#writer.write('HTTP/1.1 100 Continue\r\n\r\n', NOTHING, '')
  }
}

const isLineEnd = (bytes: Buffer): boolean => bytes.length <= 2 && (bytes[0] === CR || bytes[0] === LF)
