// One connection to an upstream: a request out, its reply in, one after the other.

import type { Cancel } from '@trivium/http/cancel.ts'
import { ChunkedDecoder } from '@trivium/http/framing/chunked.ts'
import { bufferOf, headEnd } from '@trivium/http/framing/head-end.ts'
import { Malformed } from '@trivium/http/framing/malformed.ts'
import { viewOrCopy } from '@trivium/http/framing/view-or-copy.ts'
import { type GrowingBytes, growingBytes } from '@trivium/protocol/framing/growing-bytes.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Socket } from 'bun'
import { Closed } from './closed.ts'
import { Head } from './head.ts'
import { Http1Reply } from './http1-reply.ts'
import { Unsent } from './unsent.ts'

const MOST_HEAD_BYTES = 2 * 1024 * 1024
/** Upstreams close connections that nobody uses after a while; from one that does not, they are taken back. */
const MOST_IDLE_SECONDS = 60
const HEAD_END_BYTES = '\r\n\r\n'.length

/** What becomes of a connection after a reply. */
export type Owner = {
  free(connection: Connection): void
  closed(connection: Connection): void
}

/** Whose request is under way. Told once, of a reply or a failure. */
export type Asker = {
  readonly cancel: Cancel
  answered(reply: Http1Reply): void
  failed(error: unknown): void
}

export class Connection {
  /** Something of the reply to the last request has come. */
  hasBegun = false
  readonly #owner: Owner
  #socket: Socket<Connection> | undefined
  /** Of the request, what the socket has not taken yet. */
  #unsent: Unsent | undefined
  #asker: Asker | undefined
  /** The beginning of a head that came in bits. */
  #partial: GrowingBytes | undefined
  /** Bytes of the interim (1xx) replies to the current request, without those of the read that is being parsed. */
  #interimBytes = 0
  #reply: Http1Reply | undefined
  #chunked: ChunkedDecoder | undefined
  /** Of a body whose length is known. */
  #left = 0
  #staysOpen = false
  #isPaused = false

  constructor(owner: Owner) {
    this.#owner = owner
  }

  opened(socket: Socket<Connection>): void {
    this.#socket = socket
  }

  send(request: Pieces, asker: Asker): void {
    this.hasBegun = false
    this.#interimBytes = 0
    // Nobody would say so a second time: it would be sent, and billed, with nobody to call it off.
    if (asker.cancel.isCancelled) this.cancel()
    asker.cancel.target = this
    if (this.#socket) {
      this.#asker = asker
      this.#unsent = new Unsent(request)
      this.drained()
    } else asker.failed(new Closed('The connection was closed.'))
  }

  /** The socket takes more. */
  drained(): void {
    if (this.#socket && this.#unsent?.writeTo(this.#socket)) this.#unsent = undefined
  }

  /** It has been there for long. While it is used, that is nobody's concern. */
  aged(): void {
    if (!this.#asker && !this.#reply) this.cancel()
  }

  received(bytes: Buffer): void {
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

  #readHead(asker: Asker, bytes: Buffer): void {
    const partial = this.#partial
    const before = partial?.length ?? 0
    partial?.append(bytes)
    const whole = partial ? bufferOf(partial.peek()) : bytes
    let [start, searchFrom] = [0, Math.max(0, before - HEAD_END_BYTES)]
    for (;;) {
      const end = headEnd(whole, searchFrom)
      if (this.#interimBytes + (end === -1 ? whole.length : end) > MOST_HEAD_BYTES) {
        throw new Malformed('The headers of the reply are too large.')
      }
      if (end === -1) {
        this.#interimBytes += start
        if (partial && start === 0) return
        const unread = viewOrCopy(whole, start)
        this.#partial = unread.length > 0 ? growingBytes() : undefined
        this.#partial?.append(unread)
        return
      }
      const head = new Head({ bytes: whole, start, end })
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

  #begin(asker: Asker, head: Head, rest: Buffer): void {
    const reply = new Http1Reply(head, this)
    this.#asker = undefined
    this.#reply = reply
    this.#staysOpen = head.staysOpen
    this.#chunked = head.framing === 'chunked' ? new ChunkedDecoder() : undefined
    this.#left = typeof head.framing === 'number' ? head.framing : Number.POSITIVE_INFINITY
    // Whoever asked may let go of what was asked as soon as there is an answer.
    this.#unsent?.keepOwn()
    // From now on only the reply may be given up: when it is whole, the connection is somebody else's.
    asker.cancel.target = reply
    asker.answered(reply)
    if (this.#left === 0) this.#finish(reply, rest.length)
    else if (rest.length > 0) this.#readBody(reply, rest)
  }

  #readBody(reply: Http1Reply, bytes: Buffer): void {
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
  #finish(reply: Http1Reply, over: number): void {
    this.#reply = undefined
    this.#chunked = undefined
    reply.end()
    if (this.#staysOpen && over === 0 && !this.#unsent) {
      // Its reader has all of it, or will have.
      if (this.#isPaused) this.resume()
      this.#socket?.timeout(MOST_IDLE_SECONDS)
      this.#owner.free(this)
    } else this.cancel()
  }

  /** The connection is closed, by whomever. */
  ended(error?: Error): void {
    this.#socket = undefined
    this.#owner.closed(this)
    const reply = this.#reply
    if (reply && this.#left === Number.POSITIVE_INFINITY && !this.#chunked && !error) {
      this.#reply = undefined
      reply.end()
    }
    this.#fail(new Closed(error?.message ?? 'The connection was closed.'))
  }

  #fail(error: unknown): void {
    const asker = this.#asker
    const reply = this.#reply
    this.#asker = undefined
    this.#reply = undefined
    this.#unsent = undefined
    this.cancel()
    asker?.failed(error)
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
