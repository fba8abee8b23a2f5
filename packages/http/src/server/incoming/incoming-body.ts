// The body of a request on its way in: held back when nobody reads it, counted, thrown away when nobody will.

import { appendPiece } from '../../framing/append-piece.ts'
import { ChunkedDecoder } from '../../framing/chunked.ts'
import { viewOrCopy } from '../../framing/view-or-copy.ts'
import type { RequestBody } from '../../request.ts'

/** Where the bytes come from. */
export type BodySource = {
  pause(): void
  resume(): void
  /** Tells the client to send: it waits for that. */
  sendContinue(): void
}

/**
 * Bodies that say they are at most this long, and will not grow by decoding, are given in one piece. At the slowest pace that is
 * allowed it takes half a minute, so a body whose arrival nobody sees is not cut off too early.
 */
export const ONE_PIECE_BYTES = 240 * 1024
/** So much may wait to be read. */
export const MAX_BUFFERED_BYTES = 64 * 1024

/** What the head says of a body. */
export type BodyFraming = {
  length: number | 'chunked'
  isEncoded: boolean
  /** The client waits for a word before it sends the body. */
  expectsContinue: boolean
}

type PendingRead = { resolve(piece: Uint8Array | undefined): void; reject(error: unknown): void }

/** The rest does not come any more: the client has left, or has got its answer. */
export class ClientDisconnected extends Error {
  readonly code = 'ECONNRESET'
}

export class IncomingBody implements RequestBody {
  /** All of it has come. */
  isComplete: boolean
  received = 0
  readonly #source: BodySource
  readonly #chunked: ChunkedDecoder | undefined
  /** Of a body whose length is known. */
  #left: number
  /** What has come of a body that is given in one piece. */
  #whole: Uint8Array | undefined
  #filled = 0
  readonly #inOnePiece: boolean
  readonly #pieces: Uint8Array[] = []
  #waitingBytes = 0
  #reader: PendingRead | undefined
  #waitsToSend: boolean
  #isPaused = false
  #isUnwanted = false
  #error: unknown

  constructor({ length, isEncoded, expectsContinue: waitsToSend }: BodyFraming, source: BodySource) {
    this.#source = source
    this.#chunked = length === 'chunked' ? new ChunkedDecoder() : undefined
    this.#left = length === 'chunked' ? 0 : length
    this.#inOnePiece = length !== 'chunked' && length <= ONE_PIECE_BYTES && !isEncoded
    this.#waitsToSend = waitsToSend && length !== 0
    this.isComplete = length === 0
  }

  /** Of a body that is not all there yet: how much has still to come, as far as anybody knows. */
  get remainingBytes(): number {
    if (this.isComplete) return 0
    return this.#chunked ? Number.POSITIVE_INFINITY : this.#left
  }

  /** The client sends nothing of it unless it is told to, and it has not been. */
  get awaitsContinue(): boolean {
    return this.#waitsToSend
  }

  read(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const piece = this.#pieces.shift()
    if (piece) {
      this.#waitingBytes -= piece.length
      return piece
    }
    if (this.#error !== undefined) throw this.#error
    if (this.isComplete) return undefined
    if (this.#waitsToSend) this.#source.sendContinue()
    this.#waitsToSend = false
    this.#goOn()
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  /** Takes what belongs to the body; gives how many bytes that was. */
  push(bytes: Buffer): number {
    this.#waitsToSend = false
    const used = this.#chunked ? this.#pushChunks(this.#chunked, bytes) : this.#pushPlain(bytes)
    this.received += used
    // What comes next is not held back for the sake of this.
    if (this.isComplete) this.#goOn()
    return used
  }

  #pushChunks(chunked: ChunkedDecoder, bytes: Buffer): number {
    const piece = chunked.push(bytes)
    this.isComplete = chunked.done
    this.#take(piece)
    return chunked.used
  }

  #pushPlain(bytes: Buffer): number {
    const own = bytes.length > this.#left ? viewOrCopy(bytes, 0, this.#left) : bytes
    this.#left -= own.length
    this.isComplete = this.#left === 0
    if (this.#inOnePiece && !this.#isUnwanted) this.#gather(own)
    else this.#take(own)
    return own.length
  }

  /** Nobody will read the rest: it is taken in and thrown away. */
  discard(): void {
    this.#isUnwanted = true
    this.#waitsToSend = false
    this.#pieces.length = 0
    this.#whole = undefined
    this.fail(new ClientDisconnected('The request has been answered.'))
    this.#goOn()
  }

  fail(error: ClientDisconnected): void {
    if (this.isComplete || this.#error !== undefined) return
    this.#error = error
    this.#reader?.reject(error)
    this.#reader = undefined
  }

  /** Into memory of its own, made when there is something to put there: what is announced may never come. */
  #gather(bytes: Uint8Array): void {
    if (this.isComplete && !this.#whole) {
      this.#take(bytes)
      return
    }
    this.#whole ??= Buffer.allocUnsafeSlow(bytes.length + this.#left)
    this.#whole.set(bytes, this.#filled)
    this.#filled += bytes.length
    if (this.isComplete) {
      const whole = this.#whole
      this.#whole = undefined
      this.#take(whole)
    } else if (!this.#reader && this.#filled > MAX_BUFFERED_BYTES) this.#hold()
  }

  #take(piece: Uint8Array): void {
    if (this.#isUnwanted) return
    const reader = this.#reader
    if (reader) {
      // An empty piece is no piece, unless it is the end.
      if (piece.length === 0 && !this.isComplete) return
      this.#reader = undefined
      reader.resolve(piece.length === 0 ? undefined : piece)
      return
    }
    if (piece.length === 0) return
    appendPiece(this.#pieces, piece)
    this.#waitingBytes += piece.length
    if (this.#waitingBytes > MAX_BUFFERED_BYTES && !this.isComplete) this.#hold()
  }

  #hold(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#source.pause()
  }

  #goOn(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#source.resume()
  }
}
