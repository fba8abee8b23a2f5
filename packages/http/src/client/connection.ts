// One connection to an upstream: it carries one request and its response at a time.

import type { Socket } from 'bun'
import type { Cancel } from '../cancel.ts'
import { GrowingBuffer, viewOrCopy } from '../framing/buffers.ts'
import { ChunkedDecoder, Malformed } from '../framing/chunked.ts'
import { headEnd } from '../framing/head-end.ts'
import { ConnectionClosed } from './errors.ts'
import { IncomingResponse } from './incoming-response.ts'
import { type Pieces, RequestWriter } from './request-writer.ts'
import { ResponseHead } from './response-head.ts'

const MAX_HEAD_BYTES = 2 * 1024 * 1024
/** Idle connections are closed after this time, if the upstream has not done so before. */
const MAX_IDLE_SECONDS = 60
const HEAD_END_BYTES = '\r\n\r\n'.length

/** The pool that a connection belongs to. */
export type ConnectionOwner = {
  release(connection: Connection): void
  closed(connection: Connection): void
}

/** The request in progress. Either `onResponse` or `onError` is called, once. */
export type ResponseListener = {
  readonly cancel: Cancel
  onResponse(response: IncomingResponse): void
  onError(error: unknown): void
}

export class Connection {
  /** Bytes have arrived since the last request was sent. */
  hasBegun = false
  readonly #owner: ConnectionOwner
  #socket: Socket<Connection> | undefined
  /** The part of the request that the socket has not accepted yet. */
  #writer: RequestWriter | undefined
  #listener: ResponseListener | undefined
  /** The start of an incomplete head. */
  #partial: GrowingBuffer | undefined
  /** Bytes of interim (1xx) responses to the current request, except those in the read that is being parsed. */
  #interimBytes = 0
  #response: IncomingResponse | undefined
  #chunked: ChunkedDecoder | undefined
  /** Infinite unless the response announced its length. */
  #bytesLeft = 0
  #staysOpen = false
  #isPaused = false

  constructor(owner: ConnectionOwner) {
    this.#owner = owner
  }

  onOpen(socket: Socket<Connection>): void {
    this.#socket = socket
  }

  send(request: Pieces, listener: ResponseListener): void {
    this.hasBegun = false
    this.#interimBytes = 0
    // A cancellation is signalled only once: the request would be sent and billed, and could not be cancelled any more.
    if (listener.cancel.isCancelled) this.cancel()
    listener.cancel.target = this
    if (this.#socket) {
      this.#listener = listener
      this.#writer = new RequestWriter(request)
      this.onDrain()
    } else listener.onError(new ConnectionClosed('The connection was closed.'))
  }

  onDrain(): void {
    if (this.#socket && this.#writer?.writeTo(this.#socket)) this.#writer = undefined
  }

  /** Ignored while the connection is in use: requests have time limits of their own. */
  onTimeout(): void {
    if (!this.#listener && !this.#response) this.cancel()
  }

  onData(bytes: Buffer): void {
    this.hasBegun = true
    try {
      if (this.#response) this.#readBody(this.#response, bytes)
      else if (this.#listener) this.#readHead(this.#listener, bytes)
      // No request is in progress: these bytes must not be taken for the response to the next one.
      else this.cancel()
    } catch (error) {
      this.#fail(error)
    }
  }

  #readHead(listener: ResponseListener, bytes: Buffer): void {
    const partial = this.#partial
    const before = partial?.length ?? 0
    const whole = partial ? partial.append(bytes) : bytes
    let [start, searchFrom] = [0, Math.max(0, before - HEAD_END_BYTES)]
    for (;;) {
      const end = headEnd(whole, searchFrom)
      if (this.#interimBytes + (end === -1 ? whole.length : end) > MAX_HEAD_BYTES) {
        throw new Malformed('The headers of the response are too large.')
      }
      if (end === -1) {
        this.#interimBytes += start
        if (partial && start === 0) return
        this.#partial = start < whole.length ? new GrowingBuffer() : undefined
        this.#partial?.append(whole.subarray(start))
        return
      }
      const head = new ResponseHead({ bytes: whole, start, end })
      start = end + HEAD_END_BYTES
      searchFrom = start
      if (head.status === 101) throw new Malformed('The response switches the protocol.')
      if (head.status < 200) continue
      this.#partial = undefined
      this.#begin(listener, head, viewOrCopy(whole, start))
      return
    }
  }

  #begin(listener: ResponseListener, head: ResponseHead, rest: Buffer): void {
    const response = new IncomingResponse(head, this)
    this.#listener = undefined
    this.#response = response
    this.#staysOpen = head.staysOpen
    this.#chunked = head.framing === 'chunked' ? new ChunkedDecoder() : undefined
    this.#bytesLeft = typeof head.framing === 'number' ? head.framing : Number.POSITIVE_INFINITY
    // From now on a cancellation ends only the response: once it is complete, the connection serves another request.
    listener.cancel.target = response
    listener.onResponse(response)
    if (this.#bytesLeft === 0) this.#finish(response, rest.length)
    else if (rest.length > 0) this.#readBody(response, rest)
  }

  #readBody(response: IncomingResponse, bytes: Buffer): void {
    const chunked = this.#chunked
    if (chunked) {
      const piece = chunked.push(bytes)
      response.received += chunked.used
      if (piece.length > 0) response.push(piece)
      if (chunked.done) this.#finish(response, bytes.length - chunked.used)
      return
    }
    const over = bytes.length - this.#bytesLeft
    this.#bytesLeft -= bytes.length
    response.push(over > 0 ? bytes.subarray(0, bytes.length - over) : bytes)
    if (over >= 0) this.#finish(response, over)
  }

  /** The response is complete. `over`: bytes after it, which belong to no request. */
  #finish(response: IncomingResponse, over: number): void {
    this.#response = undefined
    this.#chunked = undefined
    response.end()
    if (this.#staysOpen && over === 0 && !this.#writer) {
      if (this.#isPaused) this.resume()
      this.#socket?.timeout(MAX_IDLE_SECONDS)
      this.#owner.release(this)
    } else this.cancel()
  }

  onClose(error?: Error): void {
    this.#socket = undefined
    this.#owner.closed(this)
    const response = this.#response
    if (response && this.#bytesLeft === Number.POSITIVE_INFINITY && !this.#chunked && !error) {
      this.#response = undefined
      response.end()
    }
    this.#fail(new ConnectionClosed(error?.message ?? 'The connection was closed.'))
  }

  #fail(error: unknown): void {
    const listener = this.#listener
    const response = this.#response
    this.#listener = undefined
    this.#response = undefined
    this.#writer = undefined
    this.cancel()
    listener?.onError(error)
    response?.fail(error)
  }

  pause(): void {
    this.#isPaused = true
    this.#socket?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#socket?.resume()
  }

  /** Closes the connection. */
  cancel(): void {
    const socket = this.#socket
    this.#socket = undefined
    // `onClose` does the rest.
    socket?.terminate()
  }
}
