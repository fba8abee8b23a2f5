// One connection of a client: a request in, its answer out, one after the other.

import { type GrowingBytes, growingBytes } from '@trivium/protocol/framing/growing-bytes.ts'
import type { Socket } from 'bun'
import type { Answer, Sink, StreamedBody } from '../answer.ts'
import { headEnd } from '../head-end.ts'
import type { HttpRequest } from '../request.ts'
import type { Source } from './incoming-body.ts'
import { IncomingRequest } from './incoming-request.ts'
import { Outgoing } from './outgoing.ts'
import { BadHead, type BareStatus, RequestHead } from './request-head.ts'
import { bareAnswer, statusLine } from './status.ts'

export type Handler = (request: HttpRequest) => Answer | Promise<Answer>

/** What a connection asks of the server that it belongs to. */
export type Owner = {
  handle: Handler
  /** Milliseconds, to within a tick. */
  now(): number
  /** The line that tells the time. */
  date(): string
  /** Connections are closed after their next answer. */
  isLeaving(): boolean
  closed(connection: Connection): void
}

const MOST_HEAD_BYTES = 64 * 1024
/** Of requests that come before their turn. */
const MOST_EARLY_BYTES = 64 * 1024
/** So much of an unwanted body is taken in for the sake of the connection; a larger one costs more than a new one. */
const MOST_DISCARDED_BYTES = 256 * 1024
/** Longer than the balancers in front usually keep theirs, so that it is they who close. */
const IDLE_MS = 75_000
const HEAD_MS = 30_000
/** A reader that takes nothing for so long has stopped for good. */
const STALLED_MS = 75_000
/** A client that is still sending hears of the end only when it has read the answer, and must not be cut off before. */
const LINGER_MS = 30_000
const HEAD_END = '\r\n\r\n'
const NOTHING = new Uint8Array(0)

export class Connection implements Source, Sink {
  readonly #owner: Owner
  #socket: Socket<Connection> | undefined
  readonly #outgoing = new Outgoing()
  /** The beginning of a head that came in bits. */
  #partial: GrowingBytes | undefined
  /** What came before its turn: the next requests. */
  #early: Buffer | undefined
  /** Until it is answered and all of it has come. */
  #request: IncomingRequest | undefined
  #isAnswered = false
  #staysOpen = true
  /** Of a streamed answer: not sent yet, it leaves with the first piece. */
  #head = ''
  #inChunks = false
  #isReading = false
  #isPaused = false
  /** Everything has been said: all that is waited for is the client's own end. */
  #isClosing = false
  /** When what is being waited for began, or last went on. */
  #since: number

  constructor(owner: Owner, socket: Socket<Connection>) {
    this.#owner = owner
    this.#socket = socket
    this.#since = owner.now()
  }

  /** Something is being answered. */
  get isBusy(): boolean {
    return this.#request !== undefined || !this.#outgoing.isEmpty
  }

  address(): string {
    return this.#socket?.remoteAddress ?? ''
  }

  received(bytes: Buffer): void {
    if (this.#isClosing) return
    const request = this.#request
    if (!request) this.#since = this.#partial ? this.#since : this.#owner.now()
    let rest = bytes
    if (request && !request.body.isComplete) {
      rest = this.#intoBody(request, bytes)
      if (request.body.isComplete && this.#isAnswered) this.#end(request)
    }
    if (rest.length > 0) this.#keepEarly(rest)
    this.#readOn()
  }

  /** Gives what is behind the body. */
  #intoBody(request: IncomingRequest, bytes: Buffer): Buffer {
    try {
      return bytes.subarray(request.body.push(bytes))
    } catch {
      // A chunk that is none. Where the next request begins cannot be known either.
      this.#refuse(400)
      return EMPTY
    }
  }

  #keepEarly(bytes: Buffer): void {
    this.#early = this.#early ? Buffer.concat([this.#early, bytes]) : bytes
    if (this.#request && this.#early.length > MOST_EARLY_BYTES) this.pause()
  }

  /** A loop, since many requests may have come at once and be answered at once. */
  #readOn(): void {
    if (this.#isReading) return
    this.#isReading = true
    while (this.#early && !this.#request && !this.#isClosing) {
      const bytes = this.#early
      this.#early = undefined
      try {
        this.#readHead(bytes)
      } catch (error) {
        this.#refuse(error instanceof BadHead ? error.status : 400)
      }
    }
    this.#isReading = false
    if (this.#isPaused && !this.#early && !this.#request) this.resume()
  }

  #readHead(bytes: Buffer): void {
    const partial = this.#partial
    const before = partial?.length ?? 0
    partial?.append(bytes)
    const whole = partial ? asBuffer(partial.peek()) : bytes
    const end = headEnd(whole, Math.max(0, before - HEAD_END.length))
    if (end === -1 || end > MOST_HEAD_BYTES) {
      if (whole.length > MOST_HEAD_BYTES) throw new BadHead(431)
      if (partial) return
      this.#partial = growingBytes()
      this.#partial.append(bytes)
      return
    }
    this.#partial = undefined
    const request = new IncomingRequest(new RequestHead(whole.toString('latin1', 0, end)), this)
    this.#request = request
    this.#isAnswered = false
    this.#staysOpen = request.headers.staysOpen
    let rest = whole.subarray(end + HEAD_END.length)
    if (rest.length > 0 && !request.body.isComplete) rest = this.#intoBody(request, rest)
    if (rest.length > 0) this.#keepEarly(rest)
    this.#answer(request)
  }

  #answer(request: IncomingRequest): void {
    const answer = this.#owner.handle(request)
    if (!(answer instanceof Promise)) this.#respond(request, answer)
    else
      answer.then(
        (answer) => this.#respond(request, answer),
        () => this.#refuse(500),
      )
  }

  #respond(request: IncomingRequest, { status, headers, body }: Answer): void {
    if (this.#request !== request) {
      // Nobody is there any more. What has been begun is brought to its end all the same.
      if (!(body instanceof Uint8Array)) body.run(NOWHERE).catch(() => {})
      return
    }
    if (this.#owner.isLeaving() || request.body.left > MOST_DISCARDED_BYTES) this.#staysOpen = false
    if (headers.get('connection') === 'close') this.#staysOpen = false
    else if (!this.#staysOpen) headers.set('connection', 'close')
    const lines = `${statusLine(status)}${this.#owner.date()}${headers.lines()}`
    if (!(body instanceof Uint8Array)) {
      this.#stream(request, lines, body)
      return
    }
    const isHead = request.method === 'HEAD'
    this.#write(`${lines}content-length: ${body.length}${HEAD_END}`, isHead ? NOTHING : body, '')
    this.#answered(request)
  }

  async #stream(request: IncomingRequest, lines: string, body: StreamedBody): Promise<void> {
    this.#inChunks = request.headers.isCurrent
    if (!this.#inChunks) this.#staysOpen = false
    this.#head = `${lines}${this.#inChunks ? 'transfer-encoding: chunked\r\n' : ''}\r\n`
    try {
      const last = await body.run(this)
      if (this.#request !== request) return
      this.#writePiece(last, true)
      this.#answered(request)
    } catch {
      if (this.#request === request) this.#breakOff()
    }
  }

  /** A piece of a streamed answer. */
  write(bytes: Uint8Array): undefined | Promise<unknown> {
    // A chunk of nothing would be the end.
    if (bytes.length === 0 || this.#isClosing) return undefined
    this.#writePiece(bytes, false)
    return this.#outgoing.isEmpty ? undefined : this.#outgoing.drained()
  }

  #writePiece(bytes: Uint8Array, isLast: boolean): void {
    const head = this.#head
    this.#head = ''
    if (!this.#inChunks) {
      this.#write(head, bytes, '')
      return
    }
    const size = bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n`
    const end = `${bytes.length === 0 ? '' : '\r\n'}${isLast ? '0\r\n\r\n' : ''}`
    this.#write(head + size, bytes, end)
  }

  #write(before: string, bytes: Uint8Array, after: string): void {
    // Nobody is there any more.
    if (!this.#socket) return
    this.#outgoing.write(this.#socket, before, bytes, after)
  }

  /** The answer has been handed over. The rest of the request may still be on its way. */
  #answered(request: IncomingRequest): void {
    this.#isAnswered = true
    this.#since = this.#owner.now()
    if (!this.#staysOpen) this.#close()
    else if (request.body.isComplete) this.#end(request)
    else request.body.discard()
  }

  #end(request: IncomingRequest): void {
    if (this.#request !== request) return
    this.#request = undefined
    this.#since = this.#owner.now()
    this.#readOn()
  }

  /** Nothing of this can be answered properly, or the connection cannot be used after it. */
  #refuse(status: BareStatus | 500): void {
    // Within an answer there is nothing left to say.
    if (this.#head === '' && !this.#isAnswered) this.#write(bareAnswer(status, this.#owner.date()), NOTHING, '')
    this.#staysOpen = false
    this.#request?.left()
    this.#close()
  }

  /** A streamed answer that cannot be ended must not look as if it had. */
  #breakOff(): void {
    const hasBegun = this.#head === ''
    this.#head = ''
    if (!hasBegun) this.#write(bareAnswer(500, this.#owner.date()), NOTHING, '')
    if (hasBegun && !this.#inChunks) this.cut()
    else this.#close()
  }

  /** Our side ends when everything has left; the client's when it has read that, or after a while. */
  #close(): void {
    this.#isClosing = true
    this.#isAnswered = true
    this.#since = this.#owner.now()
    this.#early = undefined
    this.#partial = undefined
    const request = this.#request
    this.#request = undefined
    request?.body.discard()
    if (this.#isPaused) this.resume()
    if (this.#outgoing.isEmpty) this.#socket?.shutdown()
  }

  /** The socket takes more. */
  drained(): void {
    const socket = this.#socket
    if (!socket || this.#outgoing.isEmpty) return
    this.#since = this.#owner.now()
    this.#outgoing.flush(socket)
    if (this.#isClosing && this.#outgoing.isEmpty) socket.shutdown()
  }

  /** The connection is closed, by whomever. */
  ended(): void {
    this.#socket = undefined
    this.#isClosing = true
    this.#early = undefined
    this.#partial = undefined
    this.#owner.closed(this)
    const request = this.#request
    this.#request = undefined
    this.#outgoing.close()
    if (!this.#isAnswered) request?.left()
  }

  /** Whatever runs. The handler for a closed socket does the rest. */
  cut(): void {
    this.#socket?.terminate()
  }

  /** Closes a connection on which nothing runs, and nothing begins. */
  closeIfIdle(): void {
    if (!this.#request && !this.#partial && !this.#isClosing) this.#close()
  }

  tick(now: number): void {
    const waited = now - this.#since
    if (this.#isClosing) {
      if (waited > (this.#outgoing.isEmpty ? LINGER_MS : STALLED_MS)) this.cut()
    } else if (this.#request) {
      if (this.#isAnswered && waited > STALLED_MS) this.cut()
    } else if (!this.#outgoing.isEmpty) {
      if (waited > STALLED_MS) this.cut()
    } else if (this.#partial) {
      if (waited > HEAD_MS) this.#refuse(408)
    } else if (waited > IDLE_MS) this.#close()
  }

  pause(): void {
    this.#isPaused = true
    this.#socket?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#socket?.resume()
  }

  invite(): void {
    this.#write('HTTP/1.1 100 Continue\r\n\r\n', NOTHING, '')
  }
}

const EMPTY = Buffer.alloc(0)
const NOWHERE: Sink = { write: () => undefined }

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
