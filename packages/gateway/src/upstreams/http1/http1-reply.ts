// The answer on a connection: pieces as they come, held back when nobody reads them.
import { appendPiece } from '@trivium/http/framing/append-piece.ts'
import type { UpstreamResponse } from '../response.ts'
import { Closed } from './closed.ts'
import type { Head } from './head.ts'

/** Where the pieces come from. */
export type Source = {
  pause(): void
  resume(): void
  /** Closes the connection. */
  cancel(): void
}

/** So much may wait to be read. Above it the upstream is made to wait: by pieces of an event each that never happens. */
const MOST_WAITING = 64 * 1024

type Waiting = { resolve(piece: Uint8Array | undefined): void; reject(error: unknown): void }

export class Http1Reply implements UpstreamResponse {
  readonly status: number
  readonly length: number | undefined
  received = 0
  readonly #head: Head
  readonly #pieces: Uint8Array[] = []
  #waitingBytes = 0
  #reader: Waiting | undefined
  #error: unknown
  /** Undefined: the body is over, or broken. */
  #source: Source | undefined
  #paused = false

  constructor(head: Head, source: Source) {
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
    this.fail(new Closed('Given up within the reply.'))
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
    const isMuch = this.#waitingBytes > MOST_WAITING || piece.length > MOST_WAITING
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
