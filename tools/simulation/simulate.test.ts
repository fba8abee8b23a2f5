import { describe, expect, test } from 'bun:test'
import { BROKEN, broken } from './broken.ts'
import { type Failure, shrink, simulate } from './simulate.ts'

/** Only few seeds come upon this one. */
const FIRST_SEED: Record<string, number> = { 'the reaper overlooks deadlines': 1_700 }

function firstFailure(seeds: number, name?: string): Failure | undefined {
  const first = FIRST_SEED[name ?? ''] ?? 1
  for (let seed = first; seed < first + seeds; seed += 1) {
    const failure = simulate(name === undefined ? { seed } : { seed, rules: broken(name) })
    if (failure) return failure
  }
  return undefined
}

test('500 seeds: the books hold through crashes, freezes and a silent store', () => {
  const failure = firstFailure(500)
  expect(failure && `${failure.rule}; npm run simulate -- --seed ${failure.seed}`).toBeUndefined()
}, 60_000)

test('seeds that once failed pass', () => {
  // 2887: a limit of tokens is set between the reaping of a request and its late settlement.
  // 840: a task that was held in one week ends in the next. 1059, 2249, 2720: it costs more than its hold then.
  expect([2_887, 840, 1_059, 2_249, 2_720].flatMap((seed) => simulate({ seed })?.rule ?? [])).toEqual([])
})

test('a seed takes the same course every time', () => {
  const stories = [1, 2].map(() => {
    const lines: string[] = []
    simulate({ seed: 7, trace: (line) => lines.push(line) })
    return lines
  })
  expect(stories[0]?.length).toBeGreaterThan(100)
  expect(stories[0]).toEqual(stories[1])
})

describe('the simulation notices when', () => {
  test.each(Object.keys(BROKEN))('%s', (name) => expect(firstFailure(1_500, name)).toBeDefined(), 60_000)
})

test('a failure is shrunk to fewer steps that still fail', () => {
  const rules = broken('the last byte leaves and nothing is journaled')
  const failure = firstFailure(500, 'the last byte leaves and nothing is journaled')
  expect(failure).toBeDefined()
  if (!failure) return
  const least = shrink(failure, rules)
  expect(least.steps).toBeLessThanOrEqual(failure.steps)
  expect(simulate({ ...least, rules })?.rule).toBe(least.rule)
})
