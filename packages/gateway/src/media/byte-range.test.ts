import { expect, test } from 'bun:test'
import { hasTag, parseRange } from './serve-media.ts'

const RANGES: [string | null, number, [number, number] | 'unsatisfiable' | undefined][] = [
  [null, 10, undefined],
  ['bytes=0-0', 10, [0, 1]],
  ['bytes=0-9', 10, [0, 10]],
  ['bytes=0-', 10, [0, 10]],
  ['bytes=3-5', 10, [3, 6]],
  ['Bytes= 3 - 5 ', 10, [3, 6]],
  ['bytes=9-', 10, [9, 10]],
  ['bytes=5-99999999999', 10, [5, 10]],
  ['bytes=-3', 10, [7, 10]],
  ['bytes=-99', 10, [0, 10]],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-12', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  // Invalid, of another unit, or several: the header is ignored.
  ['bytes=5-3', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['items=0-1', 10, undefined],
  ['0-1', 10, undefined],
  [`bytes=${'9'.repeat(400)}-`, 10, undefined],
]
test.each(RANGES)('%s of %d bytes', (header, size, expected) => {
  const range = parseRange(header, size)
  expect(typeof range === 'object' ? [range.start, range.end] : range).toEqual(expected)
})

test.each<[string | null, boolean]>([
  [null, false],
  ['"a"', true],
  ['W/"a"', true],
  ['*', true],
  ['"b", "a"', true],
  ['"b"', false],
  ['a', false],
])('If-None-Match: %s', (header, expected) => expect(hasTag(header, '"a"')).toBe(expected))
