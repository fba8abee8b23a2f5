// Tries mutants of the ledger, one after the other in this process: `trial.ts few|all ID,ID,...`. It prints a line for each.
import { SCENES } from '../../tools/simulation/interleavings/scenes.ts'
import { search } from '../../tools/simulation/interleavings/search.ts'
import { simulate } from '../../tools/simulation/simulate.ts'
import { SWITCH_NAME } from './mutant.ts'

/** Beyond these, one more find in a hundred costs as much as all before. */
const SHALLOWER = 2
const SEEDS = { few: 6, all: 40 }

const [histories, ids = ''] = process.argv.slice(2)
const isAll = histories === 'all'
for (const id of ids.split(',').map(Number)) {
  Object.assign(globalThis, { [SWITCH_NAME]: id })
  console.log(`${id} ${(await isNoticed()) ? 'killed' : 'survived'}`)
}
process.exit(0)

async function isNoticed(): Promise<boolean> {
  try {
    const seeds = isAll ? SEEDS.all : SEEDS.few
    for (let seed = 1; seed <= seeds; seed += 1) if (simulate({ seed })) return true
    for (const scene of isAll ? SCENES : [])
      if ((await search({ scene, depth: scene.depth.small - SHALLOWER })).found) return true
    return false
  } catch {
    return true
  }
}
