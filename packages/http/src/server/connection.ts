// One connection of a client: a request in, its answer out, one after the other.

import type { Socket } from 'bun'
import { bareResponse, statusLine } from '../framing/status-line.ts'
import { viewOrCopy } from '../framing/view-or-copy.ts'
import type { PreparedResponse } from '../prepared-response.ts'
import type { HttpResponse, Sink, StreamedBody } from '../response.ts'
import type { BodySource } from './incoming/incoming-body.ts'
import { CR, HEAD_END, IncomingHead, LF } from './incoming/incoming-head.ts'
import { IncomingRequest } from './incoming/incoming-request.ts'
import { RejectedHead, type RejectionStatus, RequestHead } from './incoming/request-head.ts'
import { SocketWriter } from './outgoing/socket-writer.ts'
import { StreamedResponse } from './outgoing/streamed-response.ts'
import type { ServerContext } from './server-context.ts'
import { type Awaited, SLOW_HEAD_MS, TIMEOUTS } from './timeouts.ts'
import { type BufferedRequest, type RequestHost, submitToGate } from './unread-request.ts'

/** Of requests that come before their turn. */
const MOST_EARLY_BYTES = 64 * 1024
/** So much of an unwanted body is taken in for the sake of the connection; a larger one costs more than a new one. */
const MOST_DISCARDED_BYTES = 256 * 1024
const NOTHING = new Uint8Array(0)

export class Connection implements BodySource, RequestHost {
  readonly #owner: ServerContext<Connection>
  #socket: Socket<Connection> | undefined
  readonly #outgoing: SocketWriter
  readonly #head = new IncomingHead()
  /** What came before its turn: the next requests. */
  #early: Buffer | undefined
  /** Until it is answered and all of it has come. */
  #request: IncomingRequest | undefined
  /** A request that has not been read. */
  #visit: BufferedRequest | undefined
  /** The request that is read next, as a visit. */
  #queuedMs = 0
  #isAnswered = false
  #staysOpen = true
  /** The answer, if it is a streamed one. */
  #stream: StreamedResponse | undefined
  #isReading = false
  /** Nobody reads the body of the request. */
  #isBodyHeld = false
  #isPaused = false
  /** Everything has been said: all that is waited for is the client's own end. */
  #isClosing = false
  /** When what is being waited for began, or last went on. */
  #since: number

  constructor(owner: ServerContext<Connection>, socket: Socket<Connection>) {
    this.#owner = owner
    this.#socket = socket
    this.#outgoing = new SocketWriter(socket)
    this.#since = owner.now()
  }

  /** Something is being answered. */
  get isBusy(): boolean {
    const isAsked = this.#visit !== undefined || (this.#request !== undefined && !this.#isAnswered)
    return isAsked || !this.#outgoing.isEmpty
  }

  get #isIdle(): boolean {
    return !this.#request && !this.#visit && !this.#head.hasBegun && !this.#early
  }

  address(): string {
    return this.#socket?.remoteAddress ?? ''
  }

  received(bytes: Buffer): void {
    if (this.#isClosing) return
    if (this.#isIdle && this.#outgoing.isEmpty) {
      // Line ends alone are no request, and would keep an idle connection for as long as they come.
      if (!isBlank(bytes)) this.#since = this.#owner.now()
      if (this.#owner.gate.isActive && this.#isKeptAtDoor(bytes)) return
    }
    const request = this.#request
    const rest = request && !request.body.isComplete ? this.#intoBody(request, bytes) : bytes
    if (rest.length > 0) this.#early = this.#early ? Buffer.concat([this.#early, rest]) : rest
    if (request?.body.isComplete && this.#isAnswered) this.#end(request)
    else this.#readOn()
  }

  #isKeptAtDoor(bytes: Buffer): boolean {
    this.#visit = submitToGate(bytes, this.#owner.gate, this)
    return this.#visit !== undefined
  }

  admit(bytes: Buffer, queuedMs: number): void {
    this.#visit = undefined
    this.#early = this.#early ? Buffer.concat([bytes, this.#early]) : bytes
    this.#queuedMs = queuedMs
    this.#readOn()
  }

  reject(answer: PreparedResponse): void {
    this.#visit = undefined
    this.#staysOpen = !this.#owner.isDraining()
    this.#outgoing.write(
      answer.text(this.#owner.date(), this.#owner.gate.nextRequestId(), this.#staysOpen),
      NOTHING,
      '',
    )
    if (this.#staysOpen) this.#next()
    else this.#close()
  }

  /** Gives what is behind the body. */
  #intoBody(request: IncomingRequest, bytes: Buffer): Buffer {
    try {
      return viewOrCopy(bytes, request.body.push(bytes))
    } catch {
      // A chunk that is none. Where the next request begins cannot be known either.
      this.#refuse(400)
      return EMPTY
    }
  }

  /**
   * A loop, since many requests may have come at once and be answered at once. But never while an answer has not left:
   * whoever asks and does not read would have all the answers piled up here.
   */
  #readOn(): void {
    if (this.#isReading) return
    this.#isReading = true
    while (this.#early && !this.#request && !this.#visit && !this.#isClosing && this.#outgoing.isEmpty) {
      const bytes = this.#early
      this.#early = undefined
      try {
        this.#readHead(bytes)
      } catch (error) {
        if (error instanceof RejectedHead) this.#refuseHead(error.status)
        else {
          this.#owner.failed(error)
          this.#refuse(500)
        }
      }
    }
    this.#isReading = false
    this.#pauseOrResume()
  }

  #readHead(bytes: Buffer): void {
    const head = this.#head.take(bytes)
    if (!head) return
    const request = new IncomingRequest(new RequestHead(head), this, this.#queuedMs)
    this.#queuedMs = 0
    this.#request = request
    this.#isAnswered = false
    this.#staysOpen = request.headers.keepsAlive
    let rest = viewOrCopy(head.bytes, head.end + HEAD_END.length)
    if (rest.length > 0 && !request.body.isComplete) rest = this.#intoBody(request, rest)
    if (rest.length > 0) this.#early = rest
    if (this.#request === request) this.#answer(request)
  }

  #answer(request: IncomingRequest): void {
    const answer = this.#owner.handle(request)
    if (!(answer instanceof Promise)) this.#respond(request, answer)
    else
      answer.then(
        (answer) => this.#respondOrFail(request, answer),
        (error) => this.#fail(request, error),
      )
  }

  #respondOrFail(request: IncomingRequest, answer: HttpResponse): void {
    try {
      this.#respond(request, answer)
    } catch (error) {
      this.#fail(request, error)
    }
  }

  /** An answer was to be made, and none came of it. */
  #fail(request: IncomingRequest, error: unknown): void {
    this.#owner.failed(error)
    if (this.#request === request) this.#refuse(500)
  }

  #respond(request: IncomingRequest, { status, headers, body }: HttpResponse): void {
    const isStreamed = !(body instanceof Uint8Array)
    if (this.#request !== request) {
      // Nobody is there any more.
      if (isStreamed) runUnheard(body)
      return
    }
    if (this.#owner.isDraining() || isBetterCutShort(request)) this.#staysOpen = false
    if (headers.get('connection') === 'close') this.#staysOpen = false
    else if (!this.#staysOpen) headers.set('connection', 'close')
    const lines = `${statusLine(status)}${this.#owner.date()}${headers.lines()}`
    const isHead = request.method === 'HEAD'
    if (isStreamed && !isHead) {
      this.#respondInPieces(request, lines, body)
      return
    }
    if (isStreamed) runUnheard(body)
    const length = isStreamed ? '' : `content-length: ${body.length}\r\n`
    this.#outgoing.write(`${lines}${length}\r\n`, isHead || isStreamed ? NOTHING : body, '')
    this.#answered(request)
  }

  async #respondInPieces(request: IncomingRequest, lines: string, body: StreamedBody): Promise<void> {
    const stream = new StreamedResponse(this.#outgoing, lines, request.headers.isHttp11)
    this.#stream = stream
    try {
      const last = await body.run(stream)
      if (this.#request !== request) return
      stream.end(last)
      this.#answered(request)
    } catch {
      if (this.#request === request) this.#breakOff(stream)
    }
  }

  /** The answer has been handed over. The rest of the request may still be on its way. */
  #answered(request: IncomingRequest): void {
    this.#isAnswered = true
    this.#stream = undefined
    this.#since = this.#owner.now()
    if (!this.#staysOpen) this.#close()
    else if (request.body.isComplete) this.#end(request)
    else request.body.discard()
  }

  #end(request: IncomingRequest): void {
    if (this.#request !== request) return
    this.#request = undefined
    this.#next()
  }

  #next(): void {
    this.#since = this.#owner.now()
    this.#readOn()
    // A streamed answer may have begun before anybody thought of leaving, and has not told the client.
    if (this.#owner.isStopping()) this.closeIfIdle()
  }

  /** No request came of it. */
  #refuseHead(status: RejectionStatus): void {
    this.#owner.malformed()
    this.#refuse(status)
  }

  /** Nothing of this can be answered properly, or the connection cannot be used after it. */
  #refuse(status: RejectionStatus | 500): void {
    // Within an answer there is nothing left to say.
    const isTooLate = this.#request !== undefined && (this.#isAnswered || this.#stream?.hasBegun === true)
    if (!isTooLate) this.#outgoing.write(bareResponse(status, this.#owner.date()), NOTHING, '')
    this.#request?.disconnected()
    this.#close()
  }

  /** A streamed answer that cannot be ended must not look as if it had. */
  #breakOff(stream: StreamedResponse): void {
    if (!stream.hasBegun) this.#refuse(500)
    else if (stream.inChunks) this.#close()
    else this.cut()
  }

  /** Our side ends when everything has left; the client's when it has read that, or after a while. */
  #close(): void {
    this.#isClosing = true
    this.#since = this.#owner.now()
    this.#letGo()?.body.discard()
    this.#pauseOrResume()
    if (this.#outgoing.isEmpty) this.#socket?.shutdown()
  }

  /** Gives the request that was under way. */
  #letGo(): IncomingRequest | undefined {
    const request = this.#request
    this.#request = undefined
    this.#visit?.disconnected()
    this.#visit = undefined
    this.#early = undefined
    this.#head.drop()
    this.#stream?.close()
    this.#stream = undefined
    return request
  }

  /** The socket takes more. */
  drained(): void {
    const socket = this.#socket
    if (!socket || this.#outgoing.isEmpty) return
    this.#since = this.#owner.now()
    this.#outgoing.flush()
    if (!this.#outgoing.isEmpty) return
    if (this.#isClosing) socket.shutdown()
    else this.#readOn()
  }

  /** The connection is closed, by whomever. */
  ended(): void {
    this.#socket = undefined
    this.#isClosing = true
    this.#owner.closed(this)
    const request = this.#letGo()
    this.#outgoing.close()
    if (!this.#isAnswered) request?.disconnected()
  }

  /** Whatever runs. The handler for a closed socket does the rest. */
  cut(): void {
    this.#socket?.terminate()
  }

  /** Closes a connection on which nothing runs, and nothing begins. */
  closeIfIdle(): void {
    if (this.#isIdle && !this.#isClosing) this.#close()
  }

  tick(now: number): void {
    const awaited = this.#awaited
    if (awaited === undefined || now - this.#since <= TIMEOUTS[awaited]) return
    if (awaited === 'idle') this.#close()
    else if (awaited === 'head') this.#refuseHead(408)
    else this.cut()
  }

  /**
   * Nothing has been in progress since then; undefined: a request is being read, queued or answered. A head that is slow to
   * arrive is no request yet: otherwise a byte on each connection would be enough to keep everyone else out.
   */
  get idleSince(): number | undefined {
    const awaited = this.#awaited
    const isSlowHead = awaited === 'head' && this.#owner.now() - this.#since > SLOW_HEAD_MS
    return awaited === 'idle' || awaited === 'goodbye' || isSlowHead ? this.#since : undefined
  }

  /** Frees the descriptor at once, without waiting for the client's own end. */
  evict(): void {
    this.#socket?.end()
  }

  get #awaited(): Awaited | undefined {
    if (!this.#outgoing.isEmpty && !this.#request) return 'reader'
    if (this.#isClosing) return 'goodbye'
    if (this.#request) return this.#isAnswered ? 'body' : undefined
    if (this.#visit) return undefined
    return this.#head.hasBegun ? 'head' : 'idle'
  }

  pause(): void {
    this.#isBodyHeld = true
    this.#pauseOrResume()
  }

  resume(): void {
    this.#isBodyHeld = false
    this.#pauseOrResume()
  }

  #pauseOrResume(): void {
    const isFull = this.#isBodyHeld || (this.#early !== undefined && this.#early.length > MOST_EARLY_BYTES)
    if (isFull === this.#isPaused) return
    this.#isPaused = isFull
    if (isFull) this.#socket?.pause()
    else this.#socket?.resume()
  }

  sendContinue(): void {
    this.#outgoing.write('HTTP/1.1 100 Continue\r\n\r\n', NOTHING, '')
  }
}

/** What is left of its body costs more than a new connection; or may come or not, and only the client knows. */
const isBetterCutShort = ({ body }: IncomingRequest): boolean =>
  body.remainingBytes > MOST_DISCARDED_BYTES || body.awaitsContinue

const isBlank = (bytes: Buffer): boolean => bytes.length <= 2 && (bytes[0] === CR || bytes[0] === LF)

const EMPTY = Buffer.alloc(0)
const NOWHERE: Sink = { write: () => undefined }

/** What has been begun is brought to its end also when nobody listens. */
const runUnheard = (body: StreamedBody): void => void body.run(NOWHERE).catch(() => {})
