// A request on its way to the socket.

/** A request in pieces, which together are its bytes. */
export type Pieces = readonly Uint8Array[]

/**
 * Where the pieces of a request are put together, of one request after the other: memory of its own for each would cost
 * more than everything else that is done to send it. When `write` returns, it has taken what it could: nothing waits here.
 */
const OUTBOX = Buffer.allocUnsafeSlow(256 * 1024)

type Writable = { write(bytes: Uint8Array, start: number, length: number): number }

export class RequestWriter {
  #pieces: Pieces
  #size = 0
  /** How much of it the socket has taken. */
  #taken = 0

  constructor(pieces: Pieces) {
    this.#pieces = pieces
    for (const piece of pieces) this.#size += piece.length
  }

  /** Whether the socket has taken all that was left. If not, it says when it takes more. */
  writeTo(socket: Writable): boolean {
    while (this.#taken < this.#size) {
      const length = this.#copyTo(OUTBOX)
      // A closed one says that it has taken less than nothing.
      const taken = Math.max(0, socket.write(OUTBOX, 0, length))
      this.#taken += taken
      if (taken === 0 || taken < length) return false
    }
    return true
  }

  /** Does without the memory of the pieces from now on. */
  copyRemaining(): void {
    const left = Buffer.allocUnsafeSlow(this.#size - this.#taken)
    this.#copyTo(left)
    this.#pieces = [left]
    this.#size = left.length
    this.#taken = 0
  }

  /** As much of what is left as there is room for; how much that is. */
  #copyTo(target: Uint8Array): number {
    let skipped = this.#taken
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
