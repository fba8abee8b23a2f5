import type { Codec } from './codec.ts'

/** Bytes to stand where `start` to `end` (exclusive) stood. */
export type Splice = { start: number; end: number; bytes: Uint8Array }

/** Consecutive bytes, not joined: the sender copies them anyway. */
export type Pieces = readonly Uint8Array[]

/** To copy so few bytes costs less than the views that would be made of them. */
const SMALL = 1024

/** Applies splices that follow one another without overlapping, and copies no large body; the array alone when there are none. */
export function splicedPieces(bytes: Uint8Array, splices: readonly Splice[], codec: Codec): Pieces {
  if (splices.length === 0) return [bytes]
  if (bytes.length < SMALL) return [splice(bytes, splices, codec)]
  const pieces: Uint8Array[] = []
  let read = 0
  for (const { start, end, bytes: instead } of splices) {
    if (start > read) pieces.push(bytes.subarray(read, start))
    if (instead.length > 0) pieces.push(instead)
    read = end
  }
  if (read < bytes.length) pieces.push(bytes.subarray(read))
  return pieces
}

/** Applies splices that follow one another without overlapping, with one allocation; the same array when there are none. */
export function splice(bytes: Uint8Array, splices: readonly Splice[], codec: Codec): Uint8Array {
  if (splices.length === 0) return bytes
  let length = bytes.length
  for (const { start, end, bytes: instead } of splices) length += instead.length - (end - start)

  const result = codec.allocate(length)
  let read = 0
  let written = 0
  for (const { start, end, bytes: instead } of splices) {
    codec.copy(bytes, read, start, result, written)
    written += start - read
    codec.copy(instead, 0, instead.length, result, written)
    written += instead.length
    read = end
  }
  codec.copy(bytes, read, bytes.length, result, written)
  return result
}
