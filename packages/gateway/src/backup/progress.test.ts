import { expect, test } from 'bun:test'
import { createProgress } from './progress.ts'

test('progress is told of long work, from time to time', () => {
  const told: string[] = []
  let now = 0
  const progressOf = createProgress(
    (message) => told.push(message),
    () => now,
  )
  for (now = 0; now < 6_000; now += 500) progressOf(`at ${now}`)
  expect(told).toEqual(['at 2000', 'at 4000'])
})
