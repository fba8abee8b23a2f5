// A share of `npm run torture`, small enough for every run of the tests. Its seed is new each time, and told.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { perform } from '../../torture/scenario.ts'
import { SCENARIOS } from '../../torture/scenarios/index.ts'

setDefaultTimeout(180_000)

/** Too long for a share; that rows are found by index, however many there are, is in contention.test.ts. */
const ONLY_IN_FULL = ['rows-postgres']

const seed = Number(process.env.TRIVIUM_TEST_SEED ?? Math.floor(Math.random() * 1_000_000))

test.each(
  SCENARIOS.filter(({ name }) => !ONLY_IN_FULL.includes(name)).map((scenario) => [scenario.name, scenario] as const),
)(`%s (seed ${seed})`, async (_, scenario) => {
  const { findings } = await perform(scenario, { size: 'small', seed, rounds: undefined, say: () => {} })
  expect(findings.all).toEqual([])
})
