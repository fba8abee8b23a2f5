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

/** Small neighbours are joined up to this size: one object per byte would need a hundred times its memory. */
const JOINED_BYTES = 16 * 1024

/** Appends `piece` to the pieces that have not been read. */
export function appendPiece(pieces: Uint8Array[], piece: Uint8Array): void {
  const last = pieces[pieces.length - 1]
  if (last && last.length + piece.length <= JOINED_BYTES) pieces[pieces.length - 1] = Buffer.concat([last, piece])
  else pieces.push(piece)
}

/** Arrays up to this size lie in the memory of the garbage collector, where allocating is cheapest. */
const SMALL_BYTES = 1_000
const EMPTY = Buffer.alloc(0)

/**
 * The bytes from `start` to `end` of a read: a view if they are most of its memory, else a copy. A view of a few bytes would
 * keep the whole read alive. It is also several times slower than copying a short body, because the runtime must first
 * make the memory shareable.
 */
export function viewOrCopy(bytes: Buffer, start: number, end = bytes.length): Buffer {
  const length = end - start
  if (length === 0) return EMPTY
  if (length > SMALL_BYTES && 2 * length >= bytes.buffer.byteLength) return bytes.subarray(start, end)
  const part = Buffer.allocUnsafeSlow(length)
  bytes.copy(part, 0, start, end)
  return part
}
