/** Bytes to stand where `start` to `end` (exclusive) stood. */
export type Splice = { start: number; end: number; bytes: Uint8Array }

/** Applies splices that do not overlap, in any order, with one allocation; the same array when there are none. */
export function splice(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  if (splices.length === 0) return bytes
  const ordered = splices.toSorted((one, other) => one.start - other.start)
  let length = bytes.length
  for (const edit of ordered) length += edit.bytes.length - (edit.end - edit.start)

  const result = new Uint8Array(length)
  let read = 0
  let written = 0
  for (const edit of ordered) {
    result.set(bytes.subarray(read, edit.start), written)
    written += edit.start - read
    result.set(edit.bytes, written)
    written += edit.bytes.length
    read = edit.end
  }
  result.set(bytes.subarray(read), written)
  return result
}
