import { expect, test } from 'bun:test'
import { viewOrCopy } from './buffers.ts'

const counted = (length: number) => Buffer.from(Array.from({ length }, (_, at) => at % 251))

test.each([0, 1, 999, 1_000, 1_001, 5_000])('the last %d bytes are all there, and nothing else', (length) => {
  const bytes = counted(length + 70)
  const rest = viewOrCopy(bytes, 70)
  expect(Buffer.isBuffer(rest)).toBe(true)
  expect(rest.equals(Buffer.from(bytes.toString('hex').slice(140), 'hex'))).toBe(true)
})

test('of a part of something larger, only what belongs to the part', () => {
  expect([...viewOrCopy(counted(100).subarray(10, 20), 7)]).toEqual([17, 18, 19])
})

test.each([
  ['a view', 5_000, 3_000, 10_000],
  ['a view of a view', 5_000, 6_000, 5_000],
  ['a copy', 2_000, 9_000, 2_000],
])('%s keeps at most twice its length in memory', (_, length, start, most) => {
  const bytes = counted(length + start).subarray(start >> 1)
  const part = viewOrCopy(bytes, start - (start >> 1))
  expect(part.length).toBe(length)
  expect(part.buffer.byteLength).toBeLessThanOrEqual(most)
})

test('a part from the middle', () => {
  expect([...viewOrCopy(counted(100), 7, 10)]).toEqual([7, 8, 9])
})
