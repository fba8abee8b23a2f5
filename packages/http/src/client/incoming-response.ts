// The answer on a connection: pieces as they come, held back when nobody reads them.
import { appendPiece } from '../framing/append-piece.ts'
import { ConnectionClosed } from './errors.ts'
import type { ResponseHead } from './response-head.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** Where the pieces come from. */
export type ByteSource = {
  pause(): void
  resume(): void
  /** Closes the connection. */
  cancel(): void
}

/** So much may wait to be read. Above it the upstream is made to wait: by pieces of an event each that never happens. */
const MAX_BUFFERED = 64 * 1024

type PendingRead = { resolve(piece: Uint8Array | undefined): void; reject(error: unknown): void }

export class IncomingResponse implements UpstreamResponse {
  readonly status: number
  readonly length: number | undefined
  received = 0
  readonly #head: ResponseHead
  readonly #pieces: Uint8Array[] = []
  #waitingBytes = 0
  #reader: PendingRead | undefined
  #error: unknown
  /** Undefined: the body is over, or broken. */
  #source: ByteSource | undefined
  #paused = false

  constructor(head: ResponseHead, source: ByteSource) {
    this.status = head.status
    this.length = typeof head.framing === 'number' ? head.framing : undefined
    this.#head = head
    this.#source = source
  }

  header(name: string): string | null {
    return this.#head.header(name)
  }

  read(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const piece = this.#pieces.shift()
    if (piece) {
      this.#waitingBytes -= piece.length
      return piece
    }
    if (this.#error !== undefined) throw this.#error
    if (!this.#source) return undefined
    if (this.#paused) this.#pause(false)
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  /** Whoever still reads is told: what ends with the connection, or was there and is thrown away, would pass for whole. */
  cancel(): void {
    const source = this.#source
    if (!source && this.#pieces.length === 0) return
    this.#pieces.length = 0
    this.fail(new ConnectionClosed('Given up within the reply.'))
    source?.cancel()
  }

  push(piece: Uint8Array): void {
    const reader = this.#reader
    if (reader) {
      this.#reader = undefined
      reader.resolve(piece)
    } else {
      appendPiece(this.#pieces, piece)
      this.#waitingBytes += piece.length
    }
    // A large one is not followed by another until it is asked for: its reader may have nowhere to put it yet.
    const isMuch = this.#waitingBytes > MAX_BUFFERED || piece.length > MAX_BUFFERED
    if (isMuch && !this.#paused) this.#pause(true)
  }

  /** The body is over. */
  end(): void {
    this.#source = undefined
    this.#reader?.resolve(undefined)
    this.#reader = undefined
  }

  /** It broke off. What came before can still be read. */
  fail(error: unknown): void {
    this.#source = undefined
    this.#error = error
    this.#reader?.reject(error)
    this.#reader = undefined
  }

  #pause(paused: boolean): void {
    this.#paused = paused
    if (paused) this.#source?.pause()
    else this.#source?.resume()
  }
}
