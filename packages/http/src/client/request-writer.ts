// Writes a request to a socket, as fast as the socket accepts it.

/** A request in pieces, which together are its bytes. */
export type Pieces = readonly Uint8Array[]

/**
 * The pieces of a request are joined here: a buffer per request would cost more than everything else that sending it takes.
 * All requests share it, because `write` has copied what it accepts when it returns.
 */
const OUTBOX = Buffer.allocUnsafeSlow(256 * 1024)

type Writable = { write(bytes: Uint8Array, start: number, length: number): number }

export class RequestWriter {
  #pieces: Pieces
  #size = 0
  /** Bytes that the socket has accepted. */
  #written = 0

  constructor(pieces: Pieces) {
    this.#pieces = pieces
    for (const piece of pieces) this.#size += piece.length
  }

  /** False: the socket is full and will report when it accepts more. */
  writeTo(socket: Writable): boolean {
    while (this.#written < this.#size) {
      const length = this.#copyTo(OUTBOX)
      // A closed socket reports a negative number.
      const taken = Math.max(0, socket.write(OUTBOX, 0, length))
      this.#written += taken
      if (taken === 0 || taken < length) return false
    }
    return true
  }

  /** Copies what is left, so that the pieces may be reused. */
  copyRemaining(): void {
    const left = Buffer.allocUnsafeSlow(this.#size - this.#written)
    this.#copyTo(left)
    this.#pieces = [left]
    this.#size = left.length
    this.#written = 0
  }

  /** Copies what is left into `target`, as far as there is room; returns the number of bytes. */
  #copyTo(target: Uint8Array): number {
    let skipped = this.#written
    let length = 0
    for (const piece of this.#pieces) {
      if (skipped >= piece.length) {
        skipped -= piece.length
        continue
      }
      const end = Math.min(piece.length, skipped + target.length - length)
      target.set(end - skipped === piece.length ? piece : piece.subarray(skipped, end), length)
      length += end - skipped
      skipped = 0
      if (length === target.length) break
    }
    return length
  }
}
