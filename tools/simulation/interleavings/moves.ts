// What can happen next in a world: a step of a process, an answer that comes or does not, a crash, and time.
import {
  type Finish,
  isDone,
  type Result,
  taskLease,
  taskOwner,
  type Verb,
} from '../../../packages/gateway/src/money/ledger.ts'
import { restoring } from '../../../packages/gateway/src/money/settlement.ts'
import type { Rules } from '../rules.ts'
import { commit, TASK_COST } from './commit.ts'
import { canEnd, deliver, end, fsync, hasOutput, isUnwritten, offer, silence, start } from './requests.ts'
import { ACCOUNT, ID, KEY, NODE, START, type Who, type World } from './world.ts'

export type Move = { name: string; go(world: World): void }

const LEASE_MS = 6_000
const TASK_ENDS_AT = START + 60_000
/** A lease of a node or a task runs out within the first; within the second everything does that is not the deadline of the task. */
const PAUSES_MS = [6_000, 31_000]
type NodeId = 0 | 1

export function movesOf(world: World, rules: Rules): Move[] {
  const moves: Move[] = []
  const add = (name: string, go: (world: World) => void) => void moves.push({ name, go })
  for (const index of world.flying.keys()) messageMoves(index, world, rules, add)
  const { by, task, nodes } = world.scene
  requestMoves('first', world, rules, add)
  if (by) requestMoves('by', world, rules, add)
  for (const node of nodes) {
    nodeMoves(node, world, rules, add)
    journalMoves(node, world, rules, add)
    if (task && world.nodes[node].epoch !== undefined) taskMoves(node, world, rules, add)
  }
  add('reap', (next) => void commit(next, rules, { verb: 'reap', limit: 100 }))
  if (by) add('collect', (next) => void commit(next, rules, { verb: 'collect', limit: 100 }))
  for (const pause of PAUSES_MS)
    add(`${pause} ms`, (next) => {
      next.now += pause
    })
  return moves
}

type Add = (name: string, go: (world: World) => void) => void

function messageMoves(index: number, world: World, rules: Rules, add: Add): void {
  const message = world.flying[index]
  if (!message) return
  const name = `${message.verb.verb} of ${message.to ?? 'nobody'}`
  add(`${name} arrives`, (next) => deliver(next, rules, index))
  if (message.to) add(`${name} is not answered`, (next) => silence(next, rules, index))
}

function requestMoves(who: Who, world: World, rules: Rules, add: Add): void {
  const run = world.runs[who]
  const { epoch, renewedFrom } = world.nodes[NODE[who]]
  if (!run) {
    const mayStart = who === 'first' || world.tookOver !== 'no'
    if (mayStart && epoch !== undefined && rules.mayDispatch(renewedFrom, world.now))
      add(`${who} starts`, (next) => start(next, rules, who, epoch))
    if (who === 'by' && world.rows.requests.has(ID.first)) takeOverMoves(world, rules, add)
    return
  }
  if (!canEnd(run)) return
  if (hasOutput(run)) add(`output of ${who}`, (next) => offer(next, rules, who))
  for (const how of ['whole', 'cut', 'void'] as const)
    if (how !== 'cut' || run.delivered > 0n) add(`${who} ends: ${how}`, (next) => end(next, rules, who, how))
}

function takeOverMoves(world: World, rules: Rules, add: Add): void {
  if (world.nodes[NODE.by].epoch === undefined || world.tookOver !== 'no') return
  const verb: Verb = { verb: 'take_over', id: ID.first, by: ID.by }
  add('take_over', (next) => {
    const { verdict, amount } = commit(next, rules, verb)
    if (verdict === 'done') next.tookOver = amount > 0n ? 'remembered' : 'runs'
  })
  add('take_over, not answered', (next) => void commit(next, rules, verb))
}

function nodeMoves(nodeId: NodeId, world: World, rules: Rules, add: Add): void {
  const { epoch, journal } = world.nodes[nodeId]
  const twice = (verb: Verb, heard: (next: World, result: Result) => void) => {
    add(`${verb.verb} ${nodeId}`, (next) => heard(next, commit(next, rules, verb)))
    add(`${verb.verb} ${nodeId}, not answered`, (next) => void commit(next, rules, verb))
  }
  if (epoch === undefined) {
    if (world.nodes[nodeId].journal.length > 0) return
    twice({ verb: 'join', nodeId, config: '' }, (next, { verdict, amount }) => {
      if (verdict === 'done') Object.assign(next.nodes[nodeId], { epoch: Number(amount), renewedFrom: next.now })
    })
    return
  }
  twice({ verb: 'renew', nodeId, epoch, config: '' }, (next, { verdict }) => {
    const node = next.nodes[nodeId]
    if (verdict === 'done') node.renewedFrom = rules.leaseFrom(next.now, next.now)
    else Object.assign(node, { epoch: undefined, renewedFrom: Number.NEGATIVE_INFINITY })
  })
  const run = nodeId === NODE.first ? world.runs.first : world.runs.by
  if (!run || run.state.phase === 'over')
    add(`leave ${nodeId}`, (next) => {
      commit(next, rules, { verb: 'leave', nodeId, epoch })
      crash(next, rules, nodeId, true)
    })
  add(`crash ${nodeId}`, (next) => crash(next, rules, nodeId, false))
  if (journal.some(isUnwritten)) add(`crash ${nodeId}, journal written`, (next) => crash(next, rules, nodeId, true))
}

/** Everything in memory is gone. The system may have written what the process had not yet seen on the disk. */
export function crash(world: World, rules: Rules, nodeId: NodeId, isWritten: boolean): void {
  const node = world.nodes[nodeId]
  const written = node.journal.filter(({ state }) => state === 'written' || (isWritten && state === 'appended'))
  world.nodes[nodeId] = {
    epoch: undefined,
    renewedFrom: Number.NEGATIVE_INFINITY,
    journal: rules.replayed(written).map((entry) => ({
      ...entry,
      at: Number.NEGATIVE_INFINITY,
      from: undefined,
      state: 'written',
    })),
    lease: undefined,
    begun: false,
  }
  const who = nodeId === NODE.first ? 'first' : 'by'
  const run = world.runs[who]
  if (run) Object.assign(run, { state: { phase: 'over' }, offered: undefined })
  world.flying = world.flying.map((message) => (message.to === who ? { ...message, to: undefined } : message))
}

function journalMoves(nodeId: NodeId, world: World, rules: Rules, add: Add): void {
  const { journal } = world.nodes[nodeId]
  if (journal.some(isUnwritten))
    for (const works of [true, false]) add(`fsync ${nodeId} ${works}`, (next) => fsync(next, rules, nodeId, works))
  const [entry] = journal
  if (!entry) return
  add(`replay ${nodeId}`, (next) => replay(next, rules, nodeId))
  add(`replay ${nodeId}, not answered`, (next) => void enter(next, rules, entry.verb))
}

export function replay(world: World, rules: Rules, nodeId: NodeId): void {
  const [entry, ...others] = world.nodes[nodeId].journal
  if (!entry) return
  const result = enter(world, rules, entry.verb)
  const isApplied = result !== undefined && rules.isApplied(entry.verb, result, world.now - entry.at)
  world.nodes[nodeId].journal = isApplied ? others : [...others, entry]
}

/** undefined: the request had to be entered again first; its settlement follows with the next try. */
function enter(world: World, rules: Rules, verb: Finish): Result | undefined {
  const result = commit(world, rules, verb)
  const missing = restoring(verb, result)
  if (!missing) return result
  commit(world, rules, missing)
  return undefined
}

function taskMoves(nodeId: NodeId, world: World, rules: Rules, add: Add): void {
  const { lease, begun, epoch = 0 } = world.nodes[nodeId]
  const name = taskLease(ID.task)
  const twice = (verb: Verb, heard: (next: World, result: Result) => void = () => {}) => {
    add(`${verb.verb} of the task by ${nodeId}`, (next) => heard(next, commit(next, rules, verb)))
    add(`${verb.verb} of the task by ${nodeId}, not answered`, (next) => void commit(next, rules, verb))
  }
  if (lease === undefined) {
    twice({ verb: 'acquire_lease', lease: name, holder: `process ${nodeId}`, ttlMs: LEASE_MS }, (next, result) => {
      if (isDone(result)) next.nodes[nodeId].lease = Number(result.amount)
    })
    return
  }
  const owner = begun ? { id: ID.task, nodeId, epoch } : taskOwner(ID.task, lease)
  const terms = { account: ACCOUNT, key: KEY, revision: 0, extensible: false, amount: 30n, minimum: 1n, tokens: 0 }
  if (!begun) {
    const hold = { verb: 'hold', ...taskOwner(ID.task, lease), ...terms, minimumTokens: 0 } as const
    twice({ ...hold, deadline: TASK_ENDS_AT, model: 'm', upstream: 'u' })
    twice({ verb: 'begin', id: ID.task, nodeId, epoch, lease }, (next, result) => {
      if (isDone(result)) next.nodes[nodeId].begun = true
    })
  }
  const ended =
    (how: 'settle' | 'void') =>
    (next: World, { verdict }: Result) => {
      if (verdict === 'done') next.taskEnd = how
      if (verdict !== 'unknown_request') Object.assign(next.nodes[nodeId], { lease: undefined, begun: false })
    }
  // One that was sent may arrive long after its sender lost the lease, or died.
  const settle = { verb: 'settle', ...owner, cost: TASK_COST, tokens: 0, outcome: 'done', receipt: '' } as const
  twice(settle, ended('settle'))
  twice({ verb: 'void', ...owner, outcome: 'failed', receipt: '' }, ended('void'))
  if (!world.flying.some(({ verb }) => 'id' in verb && verb.id === ID.task))
    add(
      `settle of the task by ${nodeId} is on its way`,
      (next) => void next.flying.push({ verb: settle, to: undefined }),
    )
  twice({ verb: 'renew_lease', lease: name, epoch: lease, ttlMs: LEASE_MS })
  twice({ verb: 'release_lease', lease: name, epoch: lease }, (next) => {
    Object.assign(next.nodes[nodeId], { lease: undefined, begun: false })
  })
}
