// Writes a request to a socket, as fast as the socket accepts it.

/** A request in pieces, which together are its bytes. */
export type Pieces = readonly Uint8Array[]

type Writable = { write(bytes: Uint8Array, start: number, length: number): number }

export class RequestWriter {
  /** A copy, so that the caller may reuse the memory of the pieces. */
  readonly #bytes: Uint8Array
  #written = 0

  constructor(pieces: Pieces) {
    this.#bytes = Buffer.concat(pieces)
  }

  /** False: the socket is full and will report when it accepts more. */
  writeTo(socket: Writable): boolean {
    const left = this.#bytes.length - this.#written
    // A closed socket reports a negative number.
    this.#written += Math.max(0, socket.write(this.#bytes, this.#written, left))
    return this.#written === this.#bytes.length
  }
}
