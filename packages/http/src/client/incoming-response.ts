// A response while it arrives. The connection is paused while more than a buffer's worth is unread (backpressure).
import { appendPiece } from '../framing/buffers.ts'
import { ConnectionClosed } from './errors.ts'
import type { ResponseHead } from './response-head.ts'
import type { TakePiece, UpstreamResponse } from './upstream-response.ts'

export type ByteSource = {
  pause(): void
  resume(): void
  /** Closes the connection. */
  cancel(): void
}

/** Unread bytes above which the connection is paused. Event streams never get there. */
const MAX_BUFFERED = 64 * 1024

type PendingRead = { resolve(piece: Uint8Array | undefined): void; reject(error: unknown): void }
/** Pieces go to `take` until it returns false. */
type PendingFlow = { take: TakePiece; resolve(hasMore: boolean): void; reject(error: unknown): void }

export class IncomingResponse implements UpstreamResponse {
  readonly status: number
  readonly length: number | undefined
  received = 0
  readonly #head: ResponseHead
  readonly #pieces: Uint8Array[] = []
  #bufferedBytes = 0
  #pendingRead: PendingRead | undefined
  #pendingFlow: PendingFlow | undefined
  #error: unknown
  /** Undefined: the body is complete or broken. */
  #source: ByteSource | undefined
  #isPaused = false

  constructor(head: ResponseHead, source: ByteSource) {
    this.status = head.status
    this.length = typeof head.framing === 'number' ? head.framing : undefined
    this.#head = head
    this.#source = source
  }

  header(name: string): string | null {
    return this.#head.header(name)
  }

  headerNames(): string[] {
    return this.#head.headerNames()
  }

  read(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const piece = this.#next()
    if (piece || !this.#isMoreExpected()) return piece
    return new Promise((resolve, reject) => {
      this.#pendingRead = { resolve, reject }
    })
  }

  readWhile(take: TakePiece): boolean | Promise<boolean> {
    for (let piece = this.#next(); piece; piece = this.#next()) if (!take(piece)) return true
    if (!this.#isMoreExpected()) return false
    return new Promise((resolve, reject) => {
      this.#pendingFlow = { take, resolve, reject }
    })
  }

  #next(): Uint8Array | undefined {
    const piece = this.#pieces.shift()
    if (piece) this.#bufferedBytes -= piece.length
    return piece
  }

  /** False: the body has ended. Throws if it broke off. */
  #isMoreExpected(): boolean {
    if (this.#error !== undefined) throw this.#error
    if (!this.#source) return false
    if (this.#isPaused) this.#pause(false)
    return true
  }

  /** A pending or later read fails: a body that ends with the connection, or was discarded, would pass for complete. */
  cancel(): void {
    const source = this.#source
    if (!source && this.#pieces.length === 0) return
    this.#pieces.length = 0
    this.fail(new ConnectionClosed('Cancelled within the response.'))
    source?.cancel()
  }

  push(piece: Uint8Array): void {
    const flow = this.#pendingFlow
    if (flow) {
      if (flow.take(piece)) return
      this.#pendingFlow = undefined
      flow.resolve(true)
      this.#pauseIfFull(piece)
      return
    }
    const pending = this.#pendingRead
    if (pending) {
      this.#pendingRead = undefined
      pending.resolve(piece)
    } else {
      appendPiece(this.#pieces, piece)
      this.#bufferedBytes += piece.length
    }
    this.#pauseIfFull(piece)
  }

  /** After a large piece the connection waits for the next read: the reader may have no room for more. */
  #pauseIfFull(piece: Uint8Array): void {
    const isFull = this.#bufferedBytes > MAX_BUFFERED || piece.length > MAX_BUFFERED
    if (isFull && !this.#isPaused) this.#pause(true)
  }

  end(): void {
    this.#source = undefined
    this.#pendingRead?.resolve(undefined)
    this.#pendingFlow?.resolve(false)
    this.#nothingPends()
  }

  /** The body broke off. What arrived before can still be read. */
  fail(error: unknown): void {
    this.#source = undefined
    this.#error = error
    this.#pendingRead?.reject(error)
    this.#pendingFlow?.reject(error)
    this.#nothingPends()
  }

  #nothingPends(): void {
    this.#pendingRead = undefined
    this.#pendingFlow = undefined
  }

  #pause(paused: boolean): void {
    this.#isPaused = paused
    if (paused) this.#source?.pause()
    else this.#source?.resume()
  }
}
