import { expect, test } from 'bun:test'
import { restOf } from './rest-of.ts'

const counted = (length: number) => Buffer.from(Array.from({ length }, (_, at) => at % 251))

test.each([0, 1, 999, 1_000, 1_001, 5_000])('the last %d bytes are all there, and nothing else', (length) => {
  const bytes = counted(length + 70)
  const rest = restOf(bytes, 70)
  expect(Buffer.isBuffer(rest)).toBe(true)
  expect(rest.equals(Buffer.from(bytes.toString('hex').slice(140), 'hex'))).toBe(true)
})

test('of a part of something larger, only what belongs to the part', () => {
  expect([...restOf(counted(100).subarray(10, 20), 7)]).toEqual([17, 18, 19])
})
