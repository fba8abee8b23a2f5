import { expect, test } from 'bun:test'
import { perform, type Scenario } from '../../torture/scenario.ts'

/** TRIVIUM_TEST_SEED repeats a run. */
const SEED = Number(process.env.TRIVIUM_TEST_SEED ?? Math.floor(Math.random() * 1_000_000))

export function testSample(scenarios: readonly Scenario[]): void {
  test.each(
    scenarios.map((scenario) => [scenario.name, scenario] as const),
  )(`%s (seed ${SEED})`, async (_, scenario) => {
    const { findings } = await perform(scenario, { size: 'small', seed: SEED, rounds: undefined, say: () => {} })
    expect(findings.all).toEqual([])
  })
}
