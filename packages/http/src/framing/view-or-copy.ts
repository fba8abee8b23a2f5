/** So much lies in the collector's own memory, where making an array is cheapest. */
const SMALL_BYTES = 1_000
const NOTHING = Buffer.alloc(0)

/**
 * What a socket has brought from `start` to `end`: a view where that is most of the memory, else a copy. A view of a few
 * bytes would keep a whole read in memory for as long as it is kept. It also costs the runtime several times what copying a
 * short body does: the memory has to be given an owner first that both can share.
 */
export function viewOrCopy(bytes: Buffer, start: number, end = bytes.length): Buffer {
  const length = end - start
  if (length === 0) return NOTHING
  if (length > SMALL_BYTES && 2 * length >= bytes.buffer.byteLength) return bytes.subarray(start, end)
  const part = Buffer.allocUnsafeSlow(length)
  bytes.copy(part, 0, start, end)
  return part
}
