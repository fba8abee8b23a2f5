// A fast upstream sends a whole answer in one read, more than the hold may cover: it is then taken in pieces, so that the
// balance is asked before the rest is delivered and not after.

const LINE_END = 0x0a

/**
 * The beginning of `bytes`, of at most `most` bytes unless it is a single line: events carry more than their output, so a
 * piece of that size never brings more, and a line brings what one event does.
 */
export function pieceWithin(bytes: Uint8Array, most: number): Uint8Array {
  if (bytes.length <= most) return bytes
  const last = most >= 1 ? bytes.lastIndexOf(LINE_END, most - 1) : -1
  const end = last >= 0 ? last : bytes.indexOf(LINE_END)
  return end >= 0 ? bytes.subarray(0, end + 1) : bytes
}
