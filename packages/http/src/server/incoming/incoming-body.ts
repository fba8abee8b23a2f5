// Receives the body of a request: applies backpressure while it is not read, and discards it if it will not be.

import { appendPiece, viewOrCopy } from '../../framing/buffers.ts'
import { ChunkedDecoder } from '../../framing/chunked.ts'
import type { RequestBody } from '../../request.ts'

/** The connection that delivers the body. */
export type BodySource = {
  pause(): void
  resume(): void
  /** Sends `100 Continue`. */
  sendContinue(): void
}

/**
 * Uncompressed bodies with an announced length up to this are delivered in one piece. At the minimum rate that is allowed this
 * takes 30 seconds, so a reader that sees no progress does not time out too early.
 */
export const ONE_PIECE_BYTES = 240 * 1024
/** Limit of received bytes that have not been read. */
export const MAX_BUFFERED_BYTES = 64 * 1024

/** How a body is framed, by the request head. */
export type BodyFraming = {
  length: number | 'chunked'
  isEncoded: boolean
  /** The client awaits `100 Continue` before it sends the body. */
  expectsContinue: boolean
}

type PendingRead = { resolve(piece: Uint8Array | undefined): void; reject(error: unknown): void }

/** The rest of the body will not be read: the client disconnected, or the request has been answered. */
export class ClientDisconnected extends Error {
  readonly code = 'ECONNRESET'
}

export class IncomingBody implements RequestBody {
  /** Whether the whole body has arrived. */
  isComplete: boolean
  received = 0
  readonly #source: BodySource
  readonly #chunked: ChunkedDecoder | undefined
  /** Bytes still to arrive, if the length is known. */
  #left: number
  /** Collects a body that is delivered in one piece. */
  #whole: Uint8Array | undefined
  #filled = 0
  readonly #inOnePiece: boolean
  readonly #pieces: Uint8Array[] = []
  #bufferedBytes = 0
  #reader: PendingRead | undefined
  #expectsContinue: boolean
  #isPaused = false
  #isDiscarded = false
  #error: unknown

  constructor({ length, isEncoded, expectsContinue }: BodyFraming, source: BodySource) {
    this.#source = source
    this.#chunked = length === 'chunked' ? new ChunkedDecoder() : undefined
    this.#left = length === 'chunked' ? 0 : length
    this.#inOnePiece = length !== 'chunked' && length <= ONE_PIECE_BYTES && !isEncoded
    this.#expectsContinue = expectsContinue && length !== 0
    this.isComplete = length === 0
  }

  /** Bytes still to arrive; infinite for an incomplete chunked body. */
  get remainingBytes(): number {
    if (this.isComplete) return 0
    return this.#chunked ? Number.POSITIVE_INFINITY : this.#left
  }

  /** The client sends the body only after `100 Continue`, which has not been sent. */
  get awaitsContinue(): boolean {
    return this.#expectsContinue
  }

  read(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const piece = this.#pieces.shift()
    if (piece) {
      this.#bufferedBytes -= piece.length
      return piece
    }
    if (this.#error !== undefined) throw this.#error
    if (this.isComplete) return undefined
    if (this.#expectsContinue) this.#source.sendContinue()
    this.#expectsContinue = false
    this.#resume()
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  /** Consumes the bytes that belong to the body, and returns their number. */
  push(bytes: Buffer): number {
    this.#expectsContinue = false
    const used = this.#chunked ? this.#pushChunks(this.#chunked, bytes) : this.#pushPlain(bytes)
    this.received += used
    // The next request must not be delayed by unread bytes of this one.
    if (this.isComplete) this.#resume()
    return used
  }

  #pushChunks(chunked: ChunkedDecoder, bytes: Buffer): number {
    const piece = chunked.push(bytes)
    this.isComplete = chunked.done
    this.#deliver(piece)
    return chunked.used
  }

  #pushPlain(bytes: Buffer): number {
    const own = bytes.length > this.#left ? viewOrCopy(bytes, 0, this.#left) : bytes
    this.#left -= own.length
    this.isComplete = this.#left === 0
    if (this.#inOnePiece && !this.#isDiscarded) this.#collect(own)
    else this.#deliver(own)
    return own.length
  }

  /** Receives the rest of the body and throws it away. */
  discard(): void {
    this.#isDiscarded = true
    this.#expectsContinue = false
    this.#pieces.length = 0
    this.#whole = undefined
    this.fail(new ClientDisconnected('The request has been answered.'))
    this.#resume()
  }

  fail(error: ClientDisconnected): void {
    if (this.isComplete || this.#error !== undefined) return
    this.#error = error
    this.#reader?.reject(error)
    this.#reader = undefined
  }

  /** Memory is allocated with the first bytes: an announced body may never arrive. */
  #collect(bytes: Uint8Array): void {
    if (this.isComplete && !this.#whole) {
      this.#deliver(bytes)
      return
    }
    this.#whole ??= Buffer.allocUnsafeSlow(bytes.length + this.#left)
    this.#whole.set(bytes, this.#filled)
    this.#filled += bytes.length
    if (this.isComplete) {
      const whole = this.#whole
      this.#whole = undefined
      this.#deliver(whole)
    } else if (!this.#reader && this.#filled > MAX_BUFFERED_BYTES) this.#pause()
  }

  #deliver(piece: Uint8Array): void {
    if (this.#isDiscarded) return
    const reader = this.#reader
    if (reader) {
      // An empty piece means the end, and must not be delivered before it.
      if (piece.length === 0 && !this.isComplete) return
      this.#reader = undefined
      reader.resolve(piece.length === 0 ? undefined : piece)
      return
    }
    if (piece.length === 0) return
    appendPiece(this.#pieces, piece)
    this.#bufferedBytes += piece.length
    if (this.#bufferedBytes > MAX_BUFFERED_BYTES && !this.isComplete) this.#pause()
  }

  #pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#source.pause()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#source.resume()
  }
}
