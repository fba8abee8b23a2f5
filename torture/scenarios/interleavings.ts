// The ledger alone, in every order: all steps of two nodes, all losses of messages and all crashes, up to a depth.
import { SCENES } from '../../tools/simulation/interleavings/scenes.ts'
import { search } from '../../tools/simulation/interleavings/search.ts'
import type { Scenario } from '../scenario.ts'

export const interleavings: Scenario = {
  name: 'interleavings',
  title: 'every order of the steps of two nodes, and every crash between them, up to a depth',
  async run({ size, findings, say }) {
    let [worlds, steps] = [0, 0]
    for (const scene of SCENES) {
      say(`  ${scene.name}, ${scene.depth[size]} steps deep`)
      const searched = await search({ scene, depth: scene.depth[size], say })
      worlds += searched.worlds
      steps += searched.steps
      const { found } = searched
      if (found) findings.add(`${scene.name}: ${found.rule}, after: ${found.story.join('; ')}`)
    }
    return `${worlds} worlds, ${steps} steps`
  },
}
