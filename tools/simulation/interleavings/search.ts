// Every order of every step, up to a depth: what the random histories of the simulation choose from, without the choice.
import { HELD, TASK_NODE } from '../../../packages/gateway/src/money/ledger.ts'
import { checkAllBooks } from '../budgets.ts'
import { memoryBook } from '../memory-book.ts'
import { checkEnd, must, Violation } from '../model.ts'
import { RULES, type Rules } from '../rules.ts'
import { commit, modelOf } from './commit.ts'
import { crash, type Move, movesOf, replay } from './moves.ts'
import { canEnd, deliver, end, fsync, isUnwritten, start } from './requests.ts'
import { copyOf, ID, keyOf, newWorld, rowsKey, rowsOf, type Scene, type World } from './world.ts'

/** The steps that led to a world, the last one first. */
type Path = { name: string; before: Path | undefined }
export type Found = { rule: string; story: string[] }
export type Searched = { worlds: number; steps: number; found: Found | undefined }

type Options = { scene: Scene; depth: number; rules?: Rules; say?: (line: string) => void }

/** Breadth first, so that what is found has the fewest steps. */
export async function search({ scene, depth, rules = RULES, say = () => {} }: Options): Promise<Searched> {
  const seen = new Set<bigint>()
  let steps = 0
  let layer: { world: World; path: Path | undefined }[] = [{ world: rootOf(scene, rules), path: undefined }]
  for (let level = 1; level <= depth; level += 1) {
    const next: typeof layer = []
    for (const { world, path } of layer) {
      for (const move of movesOf(world, rules)) {
        steps += 1
        const step = { name: move.name, before: path }
        const { after, rule } = taken(world, move, rules, seen)
        if (rule !== undefined) return { worlds: seen.size, steps, found: { rule, story: storyOf(step) } }
        if (after) next.push({ world: after, path: step })
      }
      // So that a signal ends it.
      if (steps % 1_000 < 20) await new Promise((resolve) => setImmediate(resolve))
    }
    layer = next
    say(`  depth ${level}: ${seen.size} worlds, ${steps} steps`)
  }
  return { worlds: seen.size, steps, found: undefined }
}

/** The world after the move, if it was not seen before; or the rule that was broken on the way, or that no end can keep any more. */
function taken(world: World, move: Move, rules: Rules, seen: Set<bigint>): { after?: World; rule?: string } {
  const after = copyOf(world)
  try {
    move.go(after)
    const key = Bun.hash(keyOf(after)) as bigint
    if (seen.has(key)) return {}
    seen.add(key)
    checkStrangers(after, rules)
    for (const last of ['all die', 'all goes well'] as const) checkEndOf(copyOf(after), rules, last)
    return { after }
  } catch (error) {
    if (error instanceof Violation) return { rule: error.message }
    throw error
  }
}

/** The nodes are up, and nothing else has happened; or the database has lost the hold of a request that runs. */
function rootOf(scene: Scene, rules: Rules): World {
  const world = newWorld(scene)
  for (const nodeId of scene.nodes) {
    const { amount } = commit(world, rules, { verb: 'join', nodeId, config: '' })
    Object.assign(world.nodes[nodeId], { epoch: Number(amount), renewedFrom: world.now })
  }
  if (!scene.holdIsLost) return world
  const { rows } = copyOf(world)
  start(world, rules, 'first', 1)
  deliver(world, rules, 0)
  return { ...world, rows, hasLostCommits: true }
}

/** Nobody but its owner ends a request. */
function checkStrangers(world: World, rules: Rules): void {
  const { now } = world
  for (const { id, nodeId, epoch } of world.rows.requests.values()) {
    const strangers = [
      { nodeId, epoch: epoch + 9 },
      { nodeId: nodeId === TASK_NODE ? 0 : 1 - nodeId, epoch },
    ]
    for (const stranger of strangers) {
      const rows = rowsOf(world.rows)
      const end = { id, ...stranger, cost: 5n, tokens: 0, outcome: 'done', receipt: '' }
      rules.apply(memoryBook(rows, now), { verb: 'settle', ...end })
      must(rowsKey({ rows, now }) === rowsKey(world), 'only its owner ends a request', () => `request ${id}`)
    }
  }
}

/** Whatever has happened, the world comes to rest, and then every client paid for what it got. */
function checkEndOf(world: World, rules: Rules, last: 'all die' | 'all goes well'): void {
  world.rests = true
  if (last === 'all goes well') {
    finishAll(world, rules)
    pass(world, rules, 31_000, 'alive')
    for (const { id, state, nodeId } of world.rows.requests.values())
      must(state !== HELD || id === ID.task, 'a live node leaves no hold', () => `request ${id} of ${nodeId}`)
  } else world.flying = []
  for (const nodeId of [0, 1] as const) crash(world, rules, nodeId, false)
  for (const pause of [11_000, 31_000, 60_000]) pass(world, rules, pause, 'dead')
  for (const { journal } of world.nodes) must(journal.length === 0, 'a journal is emptied')
  const model = modelOf(world)
  checkAllBooks(world.rows, model)
  checkEnd(world.rows, model)
}

function pass(world: World, rules: Rules, ms: number, nodes: 'alive' | 'dead'): void {
  world.now += ms
  const { rows, now } = world
  for (const node of nodes === 'alive' ? rows.nodes.values() : [])
    if (world.nodes[node.nodeId as 0 | 1].epoch === node.epoch) rows.nodes.set(node.nodeId, { ...node, renewedAt: now })
  for (const nodeId of [0, 1] as const)
    for (const _ of Array.from({ length: 4 * world.nodes[nodeId].journal.length })) replay(world, rules, nodeId)
  commit(world, rules, { verb: 'reap', limit: 100 })
  commit(world, rules, { verb: 'collect', limit: 100 })
}

/** Every message arrives and is answered, every disk writes, and every request ends. */
function finishAll(world: World, rules: Rules): void {
  for (let turn = 0; turn < 20; turn += 1) {
    while (world.flying.length > 0) deliver(world, rules, 0)
    for (const nodeId of [0, 1] as const)
      if (world.nodes[nodeId].journal.some(isUnwritten)) fsync(world, rules, nodeId, true)
    const open = (['first', 'by'] as const).find((who) => world.runs[who] && canEnd(world.runs[who]))
    if (open) end(world, rules, open, 'whole')
    else if (world.flying.length === 0) return
  }
  must(false, 'what goes well comes to an end')
}

function storyOf(path: Path): string[] {
  const story: string[] = []
  for (let step: Path | undefined = path; step; step = step.before) story.unshift(step.name)
  return story
}
