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
