import { expect, test } from 'bun:test'
import { createAttemptCounter } from './attempt-counter.ts'

test('counts each name by itself, returns the time to wait, and forgets', () => {
  let now = 0
  const tries = createAttemptCounter(
    () => now,
    () => 2,
    10_000,
  )
  const of = (name: string) => tries.count(name)
  expect([of('a'), of('a'), of('b')]).toEqual([undefined, undefined, undefined])
  now = 2_500
  expect([of('a'), of('b')]).toEqual([8, undefined])
  now = 10_000
  expect([of('a'), of('a'), of('a')]).toEqual([undefined, undefined, 10])
})

test('tells the time to wait without counting', () => {
  let now = 0
  const tries = createAttemptCounter(
    () => now,
    () => 2,
    10_000,
  )
  tries.count('a')
  expect([tries.wait('a'), tries.wait('b')]).toEqual([undefined, undefined])
  tries.count('a')
  now = 4_000
  expect([tries.wait('a'), tries.wait('a')]).toEqual([6, 6])
  now = 10_000
  expect(tries.wait('a')).toBeUndefined()
})

test('remembers a bounded number', () => {
  const tries = createAttemptCounter(
    () => 0,
    () => 1,
    1_000,
    2,
  )
  for (const name of ['a', 'b', 'c']) tries.count(name)
  expect([tries.count('c'), tries.count('b'), tries.count('a')]).toEqual([1, 1, undefined])
})
