// Tries mutants of the ledger, one after the other in this process: `trial.ts ID,ID,...`. It prints a line for each.
import { SCENES } from '../../tools/simulation/interleavings/scenes.ts'
import { search } from '../../tools/simulation/interleavings/search.ts'
import { simulate } from '../../tools/simulation/simulate.ts'
import { SWITCH_NAME } from './mutant.ts'

/** Beyond these, one more find in a hundred costs as much as all before. */
const SHALLOWER = 2
const SEEDS = 40

for (const id of (process.argv[2] ?? '').split(',').map(Number)) {
  Object.assign(globalThis, { [SWITCH_NAME]: id })
  console.log(`${id} ${(await isNoticed()) ? 'killed' : 'survived'}`)
}
process.exit(0)

async function isNoticed(): Promise<boolean> {
  try {
    for (let seed = 1; seed <= SEEDS; seed += 1) if (simulate({ seed })) return true
    for (const scene of SCENES) if ((await search({ scene, depth: scene.depth.small - SHALLOWER })).found) return true
    return false
  } catch {
    return true
  }
}
