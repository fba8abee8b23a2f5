import { describe, expect, test } from 'bun:test'
import { testSample } from '../../test/support/torture-sample.ts'
import { BROKEN_BUDGETS } from '../../tools/simulation/broken/budgets.ts'
import { BROKEN, broken } from '../../tools/simulation/broken.ts'
import { SCENES } from '../../tools/simulation/interleavings/scenes.ts'
import { type Found, search } from '../../tools/simulation/interleavings/search.ts'
import { interleavings } from '../../torture/scenarios/interleavings.ts'

testSample([interleavings])

/** The worlds of the search have no caps, budgets, limits or admins, and messages take no time: the random histories notice these. */
const ELSEWHERE = /cap|limit|minute|deleted|disabled|credit line|tokens|period|older key|from the answer|is removed/
/** It takes a third piece of output. */
const DEEPER = ['a rejected extension loses its progress']

describe('the search notices when', () => {
  const names = Object.keys(BROKEN).filter(
    (name) => !(name in BROKEN_BUDGETS) && !ELSEWHERE.test(name) && !DEEPER.includes(name),
  )

  test.each(names)('%s', async (name) => expect(await firstFound(name)).toBeDefined(), 60_000)
})

test('what is found comes with the steps that lead to it', async () => {
  const found = await firstFound('the reaper overlooks holds of earlier epochs')
  expect(found?.rule).toStartWith('no hold is left')
  expect(found?.story.at(-1)).toBe('join 0')
})

async function firstFound(name: string): Promise<Found | undefined> {
  // Where it is most likely first: a search that finds nothing takes seconds.
  const isOfTasks = /task|lease/.test(name)
  for (const scene of SCENES.toSorted(
    (one, other) => Number(other.task === isOfTasks) - Number(one.task === isOfTasks),
  )) {
    const { found } = await search({ scene, depth: scene.depth.small, rules: broken(name) })
    if (found) return found
  }
  return undefined
}
