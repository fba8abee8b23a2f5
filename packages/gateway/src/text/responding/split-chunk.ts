// A fast upstream sends a whole response in one read, which may be more than the hold covers: it is split, so that the hold is
// extended before the rest is delivered.

const LINE_END = 0x0a

/**
 * The beginning of `bytes`: whole lines of at most `most` bytes, but at least one line. Events are larger than their output, so
 * such a piece never has more output than `most` bytes, or than one event has.
 */
export function pieceWithin(bytes: Uint8Array, most: number): Uint8Array {
  if (bytes.length <= most) return bytes
  const last = most >= 1 ? bytes.lastIndexOf(LINE_END, most - 1) : -1
  const end = last >= 0 ? last : bytes.indexOf(LINE_END)
  return end >= 0 ? bytes.subarray(0, end + 1) : bytes
}
