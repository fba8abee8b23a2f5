import { expect, test } from 'bun:test'
import { createFreeAborts } from './free-aborts.ts'

const MINUTE = 60_000

test('five are free, after the sixth the account is drained, until they are ten minutes old', () => {
  let now = 0
  const aborts = createFreeAborts(() => now)
  for (let times = 0; times < 5; times++) aborts.note(1n)
  expect(aborts.mustDrain(1n)).toBe(false)
  now = 5 * MINUTE
  aborts.note(1n)
  expect([aborts.mustDrain(1n), aborts.mustDrain(2n)]).toEqual([true, false])
  now = 10 * MINUTE
  expect(aborts.mustDrain(1n)).toBe(false)
})

test('the memory is bounded: the account that did nothing for longest is forgotten', () => {
  const aborts = createFreeAborts(() => 0, 2)
  for (const account of [1n, 2n, 1n, 3n]) for (let times = 0; times < 6; times++) aborts.note(account)
  expect([1n, 2n, 3n].map(aborts.mustDrain)).toEqual([true, false, true])
})
