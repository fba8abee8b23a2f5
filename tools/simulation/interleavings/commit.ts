// One verb at the store, and all that must hold after it.
import {
  HELD,
  type RequestRow,
  type Result,
  SETTLED,
  TASK_NODE,
  taskLease,
  type Verb,
  VOIDED,
} from '../../../packages/gateway/src/money/ledger.ts'
import { NO_LIMITS } from '../../../packages/gateway/src/money/limits.ts'
import { checkAllBooks } from '../budgets.ts'
import { NOTHING_HAPPENED } from '../happened.ts'
import { type MemoryRows, memoryBook } from '../memory-book.ts'
import { checkChange, checkLease, checkNode, checkRepetitions, type Model, must } from '../model.ts'
import type { Rules } from '../rules.ts'
import { ACCOUNT, ID, KEY, rowsKey, rowsOf, type World } from './world.ts'

export function commit(world: World, rules: Rules, verb: Verb): Result {
  const before = rowsOf(world.rows)
  const { now, rows } = world
  const result = rules.apply(memoryBook(rows, now), verb)
  if (result.verdict === 'done') noteEnds(world, before)
  noteProgress(world, before, verb)
  if (world.rests) return result
  if (result.verdict !== 'done') mustStay(before, world, verb)
  const model = modelOf(world)
  checkAllBooks(rows, model)
  checkRepetitions(rows, model)
  checkRows(before, world, verb, model)
  checkOwners(before, world, verb, model)
  if (result.verdict === 'done') mustRepeat(world, rules, verb, result)
  return result
}

/** A rejected extension may have recorded its progress, and nothing else. */
function mustStay(before: MemoryRows, { rows, now }: World, verb: Verb): void {
  const request = verb.verb === 'extend' ? before.requests.get(verb.id) : undefined
  if (request) request.progress = rows.requests.get(request.id)?.progress ?? 0n
  must(
    rowsKey({ rows: before, now }) === rowsKey({ rows, now }),
    'rejected or repeated: nothing changes',
    () => verb.verb,
  )
}

function checkRows(before: MemoryRows, { rows, now }: World, verb: Verb, model: Model): void {
  for (const after of rows.requests.values()) {
    const row = before.requests.get(after.id)
    if (row && isSame(row, after)) continue
    if (verb.verb === 'restore' && row === undefined) {
      must(after.id === verb.id && after.held === 0n && after.state === HELD, 'what is restored holds nothing')
      continue
    }
    if (verb.verb === 'begin' && row?.nodeId !== after.nodeId) {
      const isTask = row?.nodeId === TASK_NODE && row.state === HELD && after.state === HELD
      must(isTask && row.held === after.held && row.cost === after.cost, 'only a held task begins, with what it holds')
      continue
    }
    checkChange(row, after, { verb, rows, now, model })
    const isPaidByOthers = row?.state === VOIDED || after.nodeId === TASK_NODE
    if (row && after.shortfall > row.shortfall && !isPaidByOthers) {
      const account = rows.accounts.get(ACCOUNT)
      must(account?.balance === account?.held, 'what is available is charged', () => `request ${after.id}`)
    }
  }
}

/** Nodes and leases. */
function checkOwners(before: MemoryRows, { rows, now }: World, verb: Verb, model: Model): void {
  for (const after of rows.nodes.values()) {
    const row = before.nodes.get(after.nodeId)
    if (row !== after) checkNode(row, after, verb, now)
  }
  for (const after of rows.leases.values()) {
    const row = before.leases.get(after.name)
    if (row === after) continue
    model.committed.leases.set(after.name, row?.epoch ?? 0)
    checkLease(row, after, verb, now, model)
  }
}

const isSame = (before: RequestRow, after: RequestRow): boolean =>
  Object.entries(before).every(([field, value]) => after[field as keyof RequestRow] === value)

/** Whoever lost the response sends it again. */
function mustRepeat(world: World, rules: Rules, verb: Verb, first: Result): void {
  if (verb.verb === 'renew' || verb.verb === 'renew_lease' || verb.verb === 'join') return
  // Sent before the database lost the hold, and again: both reserve. What they reserve ends with the settlement that entered it again.
  if (world.hasLostCommits && verb.verb === 'extend') return
  const { now } = world
  const rows = rowsOf(world.rows)
  const again = rules.apply(memoryBook(rows, now), verb)
  must(rowsKey({ rows, now }) === rowsKey(world), 'a verb that is repeated changes nothing', () => verb.verb)
  const isAnswered = 'id' in verb && verb.verb !== 'take_over' && verb.verb !== 'restore'
  if (isAnswered) must(again.amount === first.amount, 'a verb that is repeated has the same result', () => verb.verb)
}

/** What the owner of an open request reported, also with an extension that was rejected. */
function noteProgress({ progress }: World, before: MemoryRows, verb: Verb): void {
  if (verb.verb !== 'extend') return
  const row = before.requests.get(verb.id)
  const isOpen = row?.state === HELD && row.nodeId === verb.nodeId && row.epoch === verb.epoch
  if (isOpen && verb.progress > (progress.get(verb.id) ?? 0n)) progress.set(verb.id, verb.progress)
}

function noteEnds({ rows, settlements }: World, before: MemoryRows): void {
  for (const { id, state } of rows.requests.values())
    if (state === SETTLED && before.requests.get(id)?.state !== SETTLED)
      settlements.set(id, (settlements.get(id) ?? 0) + 1)
}

/** The world as the reference model of the random simulation has it. */
export function modelOf(world: World): Model {
  const { runs, rows } = world
  const clients = new Map()
  for (const who of ['first', 'by'] as const) {
    const run = runs[who]
    if (run)
      clients.set(ID[who], {
        ...run,
        id: ID[who],
        account: ACCOUNT,
        key: KEY,
        dispatched: run.dispatched && !world.hasLostCommits,
      })
  }
  const cost = world.taskEnd === 'void' ? undefined : TASK_COST
  const task = { id: ID.task, account: ACCOUNT, key: KEY, cost, confirmed: world.taskEnd }
  const lease = rows.leases.get(taskLease(ID.task))
  return {
    clients,
    tasks: new Map(rows.requests.has(ID.task) ? [[ID.task, task as never]] : []),
    caps: new Map(),
    lines: new Map(),
    limits: new Map([
      [ACCOUNT, NO_LIMITS],
      [KEY, NO_LIMITS],
    ]),
    budgets: new Map(),
    revisions: new Map([[KEY, 0]]),
    deleted: new Set(),
    disabled: new Set(),
    committed: {
      settlements: world.settlements,
      progress: world.progress,
      effective: new Set(),
      leases: new Map(lease ? [[lease.name, lease.epoch]] : []),
      happened: NOTHING_HAPPENED,
    },
    repetitions: new Map(world.tookOver === 'remembered' ? [[ID.by, ID.first]] : []),
  }
}

/** Beyond its hold. */
export const TASK_COST = 50n
