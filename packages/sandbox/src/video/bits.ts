// Bits of an H.264 stream, and NAL units made of them.

export class BitWriter {
  #bytes = new Uint8Array(1_024)
  #length = 0
  #current = 0
  #count = 0

  bits(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#current = (this.#current << 1) | ((value >>> bit) & 1)
      if (++this.#count === 8) {
        this.#push(this.#current)
        this.#current = 0
        this.#count = 0
      }
    }
    return this
  }

  /** Unsigned Exp-Golomb. */
  ue(value: number): this {
    const length = 32 - Math.clz32(value + 1)
    return this.bits(0, length - 1).bits(value + 1, length)
  }

  /** Zeros up to the next byte. */
  align(): this {
    return this.#count === 0 ? this : this.bits(0, 8 - this.#count)
  }

  /** Whole bytes, behind a byte boundary. */
  append(bytes: Uint8Array): this {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  /** With the stop bit that ends every NAL unit. */
  finish(): Uint8Array {
    this.bits(1, 1).align()
    return this.#bytes.subarray(0, this.#length)
  }

  #push(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** `header`: importance and type. Two zeros before a byte up to 3 would look like a start code: a 3 stands between. */
export function nalUnit(header: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const unit = new Uint8Array(1 + Math.ceil(payload.length * 1.5))
  unit[0] = header
  let length = 1
  let zeros = 0
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      unit[length++] = 3
      zeros = 0
    }
    unit[length++] = byte
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return unit.slice(0, length)
}
