/** So much lies in the collector's own memory, where making an array is cheapest. */
const SMALL_BYTES = 1_000
const NOTHING = Buffer.alloc(0)

/**
 * What a socket has brought from `start` on. A view of it costs the runtime several times what copying a short body does:
 * the memory has to be given an owner first that both can share.
 */
export function restOf(bytes: Buffer, start: number): Buffer {
  const length = bytes.length - start
  if (length === 0) return NOTHING
  if (length > SMALL_BYTES) return bytes.subarray(start)
  const rest = Buffer.allocUnsafeSlow(length)
  bytes.copy(rest, 0, start)
  return rest
}
