/** Bytes that arrive in pieces, in one buffer that doubles: each byte is copied a bounded number of times. */
export type GrowingBytes = {
  readonly length: number
  append(bytes: Uint8Array): void
  /** What has arrived, for looking at; valid until the next append. */
  peek(): Uint8Array
  /** What has arrived, for keeping; the buffer is empty afterwards. */
  take(): Uint8Array
}

const EMPTY = new Uint8Array(0)

export function growingBytes(): GrowingBytes {
  let buffer = EMPTY
  let length = 0
  return {
    get length() {
      return length
    },
    append(bytes) {
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(length + bytes.length, buffer.length * 2))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(bytes, length)
      length += bytes.length
    },
    peek: () => buffer.subarray(0, length),
    take() {
      const taken = buffer.subarray(0, length)
      buffer = EMPTY
      length = 0
      return taken
    },
  }
}
