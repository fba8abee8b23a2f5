import { expect, test } from 'bun:test'
import { pieceWithin } from './split-chunk.ts'

const TEXT = 'data: one\n\ndata: two\n\ndata: three'

/** Everything, piece by piece, while `room` allows so much at each time. */
function pieces(room: readonly number[]): string[] {
  const taken: string[] = []
  let left: Uint8Array = Buffer.from(TEXT)
  for (let times = 0; left.length > 0; times++) {
    const piece = pieceWithin(left, room[Math.min(times, room.length - 1)] ?? 0)
    taken.push(Buffer.from(piece).toString())
    left = left.subarray(piece.length)
  }
  return taken
}

test.each([
  ['enough room: as it came', [Number.POSITIVE_INFINITY], [TEXT]],
  ['just enough', [TEXT.length], [TEXT]],
  ['room for a part: whole lines, as many as fit', [22, 100], ['data: one\n\ndata: two\n\n', 'data: three']],
  ['no room: one line at a time', [0], ['data: one\n', '\n', 'data: two\n', '\n', 'data: three']],
  ['room within a line: that line', [3], ['data: one\n', '\n', 'data: two\n', '\n', 'data: three']],
  ['room that shrank below nothing', [-50], ['data: one\n', '\n', 'data: two\n', '\n', 'data: three']],
])('%s', (_, room, expected) => {
  expect(pieces(room)).toEqual(expected)
})
