// The ledger alone, by random histories: crashes between any two steps, lost replies, clock errors. `npm run simulate` shows one of them.
import { simulate } from '../../tools/simulation/simulate.ts'
import type { Scenario } from '../scenario.ts'
import { SIZES } from '../sizes.ts'

const SEEDS_AT_A_TIME = 100

export const simulation: Scenario = {
  name: 'simulation',
  title: 'random histories of the ledger, from the seed on',
  async run({ size, seed, rounds, findings, say }) {
    const histories = rounds ?? SIZES[size].histories
    for (let index = 0; index < histories && findings.all.length === 0; index++) {
      const failure = simulate({ seed: seed + index })
      if (failure) findings.add(`${failure.rule}; npm run simulate -- --seed ${failure.seed}`)
      // So that a signal ends it.
      if (index % SEEDS_AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve))
      if ((index + 1) % 1_000 === 0) say(`  ${index + 1} of ${histories} histories`)
    }
    return `${histories} histories`
  },
}
