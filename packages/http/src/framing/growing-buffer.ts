/** Collects bytes that arrive in pieces in a buffer that doubles: each byte is copied a bounded number of times. */
export class GrowingBuffer {
  length = 0
  #buffer = Buffer.alloc(0)

  get first(): number | undefined {
    return this.#buffer[0]
  }

  /** Gives everything so far. */
  append(bytes: Uint8Array): Buffer {
    const { length } = this
    this.length += bytes.length
    if (this.length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.length, 2 * length))
      this.#buffer.copy(larger, 0, 0, length)
      this.#buffer = larger
    }
    this.#buffer.set(bytes, length)
    return this.#buffer.subarray(0, this.length)
  }
}
