import { describe, expect, test } from 'bun:test'
import { testSample } from '../../test/support/torture-sample.ts'
import { BROKEN, broken } from '../../tools/simulation/broken.ts'
import { type Failure, shrink, simulate } from '../../tools/simulation/simulate.ts'
import { mutants } from '../../torture/scenarios/mutants.ts'
import { simulation } from '../../torture/scenarios/simulation.ts'

/** Only few seeds come upon these: where the search begins. */
const FIRST_SEED: Record<string, number> = {
  'the reaper overlooks deadlines': 1_750,
  'a settlement beyond its hold counts a cap that renews as one for all time': 310,
  'a void after the reaper refunds nothing': 145,
  'the void of a hold on its way is given up at once': 100,
  'a journal is thrown away at the start': 110,
}

function firstFailure(seeds: number, name?: string): Failure | undefined {
  const first = FIRST_SEED[name ?? ''] ?? 1
  for (let seed = first; seed < first + seeds; seed += 1) {
    const failure = simulate(name === undefined ? { seed } : { seed, rules: broken(name) })
    if (failure) return failure
  }
  return undefined
}

testSample([simulation, mutants])

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
