// One connection to an upstream: a request out, its reply in, one after the other.

import type { Socket } from 'bun'
import type { Cancel } from '../cancel.ts'
import { ChunkedDecoder } from '../framing/chunked.ts'
import { GrowingBuffer } from '../framing/growing-buffer.ts'
import { headEnd } from '../framing/head-end.ts'
import { Malformed } from '../framing/malformed.ts'
import { viewOrCopy } from '../framing/view-or-copy.ts'
import { ConnectionClosed } from './errors.ts'
import { IncomingResponse } from './incoming-response.ts'
import { type Pieces, RequestWriter } from './request-writer.ts'
import { ResponseHead } from './response-head.ts'

const MAX_HEAD_BYTES = 2 * 1024 * 1024
/** Upstreams close connections that nobody uses after a while; from one that does not, they are taken back. */
const MAX_IDLE_SECONDS = 60
const HEAD_END_BYTES = '\r\n\r\n'.length

/** What becomes of a connection after a reply. */
export type ConnectionOwner = {
  release(connection: Connection): void
  closed(connection: Connection): void
}

/** Whose request is under way. Told once, of a reply or a failure. */
export type ResponseListener = {
  readonly cancel: Cancel
  onResponse(reply: IncomingResponse): void
  onError(error: unknown): void
}

export class Connection {
  /** Something of the reply to the last request has come. */
  hasBegun = false
  readonly #owner: ConnectionOwner
  #socket: Socket<Connection> | undefined
  /** Of the request, what the socket has not taken yet. */
  #unsent: RequestWriter | undefined
  #asker: ResponseListener | undefined
  /** The beginning of a head that came in bits. */
  #partial: GrowingBuffer | undefined
  /** Bytes of the interim (1xx) replies to the current request, without those of the read that is being parsed. */
  #interimBytes = 0
  #reply: IncomingResponse | undefined
  #chunked: ChunkedDecoder | undefined
  /** Of a body whose length is known. */
  #left = 0
  #staysOpen = false
  #isPaused = false

  constructor(owner: ConnectionOwner) {
    this.#owner = owner
  }

  onOpen(socket: Socket<Connection>): void {
    this.#socket = socket
  }

  send(request: Pieces, asker: ResponseListener): void {
    this.hasBegun = false
    this.#interimBytes = 0
    // Nobody would say so a second time: it would be sent, and billed, with nobody to call it off.
    if (asker.cancel.isCancelled) this.cancel()
    asker.cancel.target = this
    if (this.#socket) {
      this.#asker = asker
      this.#unsent = new RequestWriter(request)
      this.onDrain()
    } else asker.onError(new ConnectionClosed('The connection was closed.'))
  }

  /** The socket takes more. */
  onDrain(): void {
    if (this.#socket && this.#unsent?.writeTo(this.#socket)) this.#unsent = undefined
  }

  /** It has been there for long. While it is used, that is nobody's concern. */
  onTimeout(): void {
    if (!this.#asker && !this.#reply) this.cancel()
  }

  onData(bytes: Buffer): void {
    this.hasBegun = true
    try {
      if (this.#reply) this.#readBody(this.#reply, bytes)
      else if (this.#asker) this.#readHead(this.#asker, bytes)
      // Nobody has asked: whatever this answers, it is not the next request.
      else this.cancel()
    } catch (error) {
      this.#fail(error)
    }
  }

  #readHead(asker: ResponseListener, bytes: Buffer): void {
    const partial = this.#partial
    const before = partial?.length ?? 0
    const whole = partial ? partial.append(bytes) : bytes
    let [start, searchFrom] = [0, Math.max(0, before - HEAD_END_BYTES)]
    for (;;) {
      const end = headEnd(whole, searchFrom)
      if (this.#interimBytes + (end === -1 ? whole.length : end) > MAX_HEAD_BYTES) {
        throw new Malformed('The headers of the reply are too large.')
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
      // Something else was agreed upon: by nobody here.
      if (head.status === 101) throw new Malformed('The reply changes the protocol.')
      if (head.status < 200) continue
      this.#partial = undefined
      this.#begin(asker, head, viewOrCopy(whole, start))
      return
    }
  }

  #begin(asker: ResponseListener, head: ResponseHead, rest: Buffer): void {
    const reply = new IncomingResponse(head, this)
    this.#asker = undefined
    this.#reply = reply
    this.#staysOpen = head.staysOpen
    this.#chunked = head.framing === 'chunked' ? new ChunkedDecoder() : undefined
    this.#left = typeof head.framing === 'number' ? head.framing : Number.POSITIVE_INFINITY
    // Whoever asked may let go of what was asked as soon as there is an answer.
    this.#unsent?.copyRemaining()
    // From now on only the reply may be given up: when it is whole, the connection is somebody else's.
    asker.cancel.target = reply
    asker.onResponse(reply)
    if (this.#left === 0) this.#finish(reply, rest.length)
    else if (rest.length > 0) this.#readBody(reply, rest)
  }

  #readBody(reply: IncomingResponse, bytes: Buffer): void {
    const chunked = this.#chunked
    if (chunked) {
      const piece = chunked.push(bytes)
      reply.received += chunked.used
      if (piece.length > 0) reply.push(piece)
      if (chunked.done) this.#finish(reply, bytes.length - chunked.used)
      return
    }
    const over = bytes.length - this.#left
    this.#left -= bytes.length
    reply.push(over > 0 ? bytes.subarray(0, bytes.length - over) : bytes)
    if (over >= 0) this.#finish(reply, over)
  }

  /** The reply is whole. `over`: bytes behind it, which answer nothing that was asked. */
  #finish(reply: IncomingResponse, over: number): void {
    this.#reply = undefined
    this.#chunked = undefined
    reply.end()
    if (this.#staysOpen && over === 0 && !this.#unsent) {
      // Its reader has all of it, or will have.
      if (this.#isPaused) this.resume()
      this.#socket?.timeout(MAX_IDLE_SECONDS)
      this.#owner.release(this)
    } else this.cancel()
  }

  /** The connection is closed, by whomever. */
  onClose(error?: Error): void {
    this.#socket = undefined
    this.#owner.closed(this)
    const reply = this.#reply
    if (reply && this.#left === Number.POSITIVE_INFINITY && !this.#chunked && !error) {
      this.#reply = undefined
      reply.end()
    }
    this.#fail(new ConnectionClosed(error?.message ?? 'The connection was closed.'))
  }

  #fail(error: unknown): void {
    const asker = this.#asker
    const reply = this.#reply
    this.#asker = undefined
    this.#reply = undefined
    this.#unsent = undefined
    this.cancel()
    asker?.onError(error)
    reply?.fail(error)
  }

  pause(): void {
    this.#isPaused = true
    this.#socket?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#socket?.resume()
  }

  /** Closes it. */
  cancel(): void {
    const socket = this.#socket
    this.#socket = undefined
    // The handler for a closed socket does the rest.
    socket?.terminate()
  }
}
