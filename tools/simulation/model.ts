// The reference model: what each client was given and each admin ordered, kept apart from the ledger and its code.
// Everything here is checked by adding up; nothing here is asked of the machines under test.
import type { Nanos } from '../../packages/gateway/src/money/amount.ts'
import type { BudgetRow } from '../../packages/gateway/src/money/budgets/budget.ts'
import type { Finish } from '../../packages/gateway/src/money/ledger.ts'
import {
  CREDIT,
  DEAD_AFTER_MS,
  HELD,
  type LeaseRow,
  type NodeRow,
  REAPED,
  REAPED_OUTCOME,
  REVENUE,
  type RequestRow,
  SETTLED,
  SHORTFALL,
  TASK_NODE,
  TRIAL,
  taskLease,
  type Verb,
  VOIDED,
} from '../../packages/gateway/src/money/ledger.ts'
import type { Limits, Period } from '../../packages/gateway/src/money/limits.ts'
import type { Happened } from './happened.ts'
import type { MemoryRows } from './memory-book.ts'
import type { Task } from './tasks.ts'

export class Violation extends Error {
  override name = 'Violation'
}

export function must(truth: boolean, rule: string, details: () => string = () => ''): asserts truth {
  if (!truth) throw new Violation(`${rule} ${details()}`.trim())
}

/** One request as its client sees it, and as the upstream will answer it. */
export type Client = {
  id: bigint
  account: bigint
  key: bigint
  /** The key's revision, as the gateway that serves this client knows it. */
  revision: number
  extensible: boolean
  amount: Nanos
  minimum: Nanos
  tokens: number
  minimumTokens: number
  budgets?: readonly bigint[]
  /** What the answer uses in the end. */
  usedTokens: number
  /** What each piece of streamed output adds to the cost; none: an answer in one piece. */
  outputs: Nanos[]
  /** What the whole answer costs by the upstream's report; undefined: the upstream breaks off after the outputs. */
  total: Nanos | undefined
  /** What breaks off is not charged, even after output. */
  forgiven: boolean
  delivered: Nanos
  dispatched: boolean
  decided: Finish | undefined
  /** The last byte arrived: of a complete answer, of one cut short, or of an error. */
  released: boolean
}

export type ModelBudget = Pick<BudgetRow, 'account' | 'amount' | 'period' | 'hard' | 'deleted'> & {
  /** The highest amount that it had. */
  highest: bigint
}

export type Model = {
  clients: Map<bigint, Client>
  tasks: Map<bigint, Task>
  /** The caps of keys and of accounts. */
  caps: Map<bigint, { cap: Nanos | undefined; capPeriod: Period | undefined }>
  /** Credit lines of accounts, and the highest that each ever was. */
  lines: Map<bigint, { line: Nanos; highest: Nanos }>
  /** The limits of keys and of accounts. */
  limits: Map<bigint, Limits>
  revisions: Map<bigint, number>
  /** Some are of accounts, some across accounts; most worlds have none. */
  budgets: Map<bigint, ModelBudget>
  deleted: Set<bigint>
  disabled: Set<bigint>
  /** What the commits did; goes back with them when they are undone. */
  committed: Committed
  /** Which request was first, for each that ran in its place with the same idempotency key. */
  repetitions: Map<bigint, bigint>
}
export type Committed = {
  /** How often each request became settled. */
  settlements: Map<bigint, number>
  /** The largest progress that each open request's owner reported. */
  progress: Map<bigint, Nanos>
  /** Verbs on a request that took effect: each may only once. */
  effective: Set<Verb>
  /** The latest epoch that was granted of each lease. */
  leases: Map<string, number>
  /** What happened when: see usage.ts. */
  happened: Happened
}

/** All that must hold between any two commits. */
export function checkBooks(rows: MemoryRows, model: Model): void {
  const sums = new Map<bigint, Nanos>()
  const paid = new Map<bigint, Nanos>()
  const lost = new Map<bigint, Nanos>()
  const add = (map: Map<bigint, Nanos>, id: bigint, amount: Nanos) => map.set(id, (map.get(id) ?? 0n) + amount)
  for (const { request, debit, credit, amount } of rows.transfers) {
    must(amount > 0n, 'a transfer moves a positive amount')
    add(sums, debit, -amount)
    add(sums, credit, amount)
    if (request === undefined) continue
    for (const [side, signed] of [[debit, amount] as const, [credit, -amount] as const]) {
      if (side === SHORTFALL) add(lost, request, signed)
      else if (side !== REVENUE) add(paid, request, signed)
    }
  }
  let total = 0n
  for (const sum of sums.values()) total += sum
  must(total === 0n, 'transfers sum to zero')

  const open = new Map<bigint, Nanos>()
  const accountHeld = new Map<bigint, Nanos>()
  const keyHeld = new Map<bigint, Nanos>()
  const keySpent = new Map<bigint, Nanos>()
  const accountSpent = new Map<bigint, Nanos>()
  for (const row of rows.requests.values()) {
    must((paid.get(row.id) ?? 0n) === row.cost, 'cost = transfers of the request', () => `request ${row.id}`)
    must((lost.get(row.id) ?? 0n) === row.shortfall, 'shortfall = transfers of the request', () => `request ${row.id}`)
    must(row.cost >= 0n && row.shortfall >= 0n, 'no request costs less than nothing', () => `request ${row.id}`)
    add(keySpent, row.key, row.cost)
    add(accountSpent, row.account, row.cost)
    if (row.state !== HELD) continue
    add(accountHeld, row.account, row.held)
    add(keyHeld, row.key, row.held)
    if (row.nodeId === TASK_NODE) continue
    add(open, row.account, 1n)
    add(open, row.key, 1n)
  }
  for (const row of rows.accounts.values()) {
    must(row.balance === (sums.get(row.id) ?? 0n), 'balance = sum of transfers', () => `account ${row.id}`)
    must(row.held === (accountHeld.get(row.id) ?? 0n), 'held = sum of open holds', () => `account ${row.id}`)
    const { line, highest } = model.lines.get(row.id) ?? { line: 0n, highest: 0n }
    must(row.creditLine === line, 'only an admin changes a credit line', () => `account ${row.id}`)
    must(
      row.balance + highest >= row.held,
      'no account holds more than balance and credit line',
      () => `account ${row.id}`,
    )
    must(row.spent === (accountSpent.get(row.id) ?? 0n), 'spent = sum of the requests', () => `account ${row.id}`)
    const { cap, capPeriod } = model.caps.get(row.id) ?? {}
    must(row.cap === cap && row.capPeriod === capPeriod, 'only an admin changes a cap')
    must(row.disabled === model.disabled.has(row.id), 'only an admin disables an account')
    must(BigInt(row.meter.open) === (open.get(row.id) ?? 0n), 'open = requests that hold', () => `account ${row.id}`)
    must(row.limits === model.limits.get(row.id), 'only an admin changes limits')
  }
  for (const row of rows.keys.values()) {
    must(row.held === (keyHeld.get(row.id) ?? 0n), "key's held = sum of its open holds", () => `key ${row.id}`)
    const { cap, capPeriod } = model.caps.get(row.id) ?? {}
    must(row.cap === cap && row.capPeriod === capPeriod, 'only an admin changes a cap')
    must(BigInt(row.meter.open) === (open.get(row.id) ?? 0n), "key's open = requests that hold", () => `key ${row.id}`)
    must(row.limits === model.limits.get(row.id), 'only an admin changes limits')
    must(row.revision === model.revisions.get(row.id), 'only an admin changes a revision')
    must(row.deleted === model.deleted.has(row.id), 'only an admin deletes a key')
    must(row.spent === (keySpent.get(row.id) ?? 0n), "key's spent = sum of its requests", () => `key ${row.id}`)
  }
  const outside = [REVENUE, SHORTFALL, CREDIT, TRIAL]
  const known = [...sums.keys()].every((id) => outside.includes(id) || rows.accounts.has(id))
  must(known, 'transfers are between known accounts')
}

/** One verb's effect on one request row. */
export function checkChange(
  before: RequestRow | undefined,
  after: RequestRow,
  cause: { verb: Verb; rows: MemoryRows; now: number; model: Model },
): void {
  const { verb, rows, now, model } = cause
  const named = () => `request ${after.id}, ${verb.verb}`
  const isTask = after.nodeId === TASK_NODE
  const epoch = isTask ? model.committed.leases.get(taskLease(after.id)) : after.epoch
  const owned =
    'nodeId' in verb && 'id' in verb && verb.id === after.id && verb.nodeId === after.nodeId && verb.epoch === epoch
  if (before === undefined) {
    must(verb.verb === 'hold' && owned, 'only a hold creates a request', named)
    must(!model.deleted.has(after.key), 'a deleted key never places a hold', named)
    must(!model.disabled.has(after.account), 'a disabled account never places a hold', named)
    if (isTask) must(owned, 'a task is held only by the holder of its lease', named)
    else must(isAlive(rows, after, now), 'a hold only for a node with a lease', named)
    const revision = verb.verb === 'hold' ? verb.revision : undefined
    must(revision === model.revisions.get(after.key), 'a hold only by who knows the key as it is', named)
  }
  if (before?.state !== after.state && after.state !== HELD) {
    const from = before?.state
    const isLoss = from === VOIDED && before?.outcome === REAPED_OUTCOME && after.state === SETTLED && !isTask
    const isCorrected = from === REAPED && after.state !== REAPED
    must(from === HELD || isCorrected || isLoss, 'an ended request stays ended', named)
    if (isLoss) must(after.cost === before?.cost, 'a request that was taken over costs its caller nothing', named)
    if (after.state === REAPED) {
      const dead = !isAlive(rows, after, now)
      must(verb.verb === 'reap' && dead, 'only the holds of dead nodes are reaped', named)
      const progress = model.committed.progress.get(after.id) ?? 0n
      must(after.cost + after.shortfall === progress, 'reaped at the metered progress', named)
      must(!isTask, 'a task does not end with a node', named)
    } else if (isTask && verb.verb === 'reap') {
      must(after.state === VOIDED && now >= (after.deadline ?? 0), 'a task is reaped only at its deadline', named)
      must(after.cost + after.shortfall === 0n, 'a task that is reaped costs nothing', named)
    } else {
      const isInItsName = verb.verb === 'take_over' || verb.verb === 'collect'
      if (isInItsName) must(from === REAPED && after.state === VOIDED, 'in its name, only what was reaped', named)
      must(owned || isInItsName, 'only its owner ends a request', named)
    }
  } else if (before && before.cost === 0n && verb.verb === 'collect') {
    const same = before.state === SETTLED && after.cost + after.shortfall === before.shortfall
    must(same, 'what is collected is what was lost', named)
  } else if (before && before.state !== HELD) {
    const same = before.state === after.state && before.cost === after.cost && before.shortfall === after.shortfall
    must(same && before.held === after.held, 'nothing moves after the end of a request', named)
  }
  if (after.state === SETTLED && verb.verb === 'settle')
    must(after.cost + after.shortfall === verb.cost, 'settled at its cost', named)
}

/** A dead node stays dead: only a join, with an epoch of its own, takes its id. */
export function checkNode(before: NodeRow | undefined, after: NodeRow, verb: Verb, now: number): void {
  const alive = before !== undefined && before.renewedAt > now - DEAD_AFTER_MS
  if (verb.verb === 'join') {
    must(!alive || verb.takeover === true, 'a join leaves live nodes alone')
    must(after.epoch > (before?.epoch ?? 0), 'a join begins a new epoch')
  } else must(before?.epoch === after.epoch && (alive || after.renewedAt === 0), 'a dead node stays dead')
}

/** Only the holder of a lease that has not expired changes anything; a new holder has a new epoch. */
export function checkLease(before: LeaseRow | undefined, after: LeaseRow, verb: Verb, now: number, model: Model): void {
  const isTaken = before !== undefined && before.expiresAt > now
  if (verb.verb === 'acquire_lease') {
    must(!isTaken, 'a lease that is taken is not acquired', () => after.name)
    must(after.epoch > (model.committed.leases.get(after.name) ?? 0), 'a new holder has a new epoch', () => after.name)
    model.committed.leases.set(after.name, after.epoch)
  } else must('epoch' in verb && verb.epoch === before?.epoch && after.epoch === before.epoch, 'only by its holder')
}

type Identity = { nodeId: number; epoch: number }
export function isAlive(rows: MemoryRows, { nodeId, epoch }: Identity, now: number, within = DEAD_AFTER_MS): boolean {
  const node = rows.nodes.get(nodeId)
  return node?.epoch === epoch && node.renewedAt > now - within
}

/** Checks one idempotency key against the ledger, after each change of repetitions. */
export function checkRepetitions(rows: MemoryRows, model: Model): void {
  for (const [first, group] of groups(model)) {
    const paid = group.filter((id) => (rows.requests.get(id)?.cost ?? 0n) > 0n)
    must(paid.length <= 1, 'one idempotency key is charged once', () => `requests ${first}: ${paid.join()}`)
  }
}

const groups = ({ repetitions }: Model): [bigint, bigint[]][] =>
  [...Map.groupBy(repetitions, ([, first]) => first)].map(([first, all]) => [first, [first, ...all.map(([id]) => id)]])

/** At the end nothing is open: what was lost to a repetition is the operator's only if a repetition, or a reaped one, was charged. */
function checkCollected(rows: MemoryRows, model: Model): void {
  for (const [first, group] of groups(model)) {
    const found = group.flatMap((id) => rows.requests.get(id) ?? [])
    const isLost = found.some(({ state, shortfall }) => state === SETTLED && shortfall > 0n)
    const isWaiting = [...rows.repetitions.values()].some((row) => row.first === first)
    if (isLost && isWaiting)
      must(
        found.some(({ state, cost }) => state === REAPED && cost > 0n),
        'what was delivered is charged',
        () => `request ${first}`,
      )
  }
}

/** When nothing runs any more: every client got what it paid for and paid for what it got. */
export function checkEnd(rows: MemoryRows, model: Model): void {
  checkRepetitions(rows, model)
  checkCollected(rows, model)
  for (const row of rows.requests.values()) must(row.state !== HELD, 'no hold is left', () => `request ${row.id}`)
  for (const { id, cost, confirmed } of model.tasks.values()) {
    const row = rows.requests.get(id)
    const named = () => `task ${id} in state ${row?.state}, cost ${row?.cost}`
    const charged = row ? row.cost + row.shortfall : 0n
    must((model.committed.settlements.get(id) ?? 0) <= 1, 'a task is settled at most once', named)
    if (row) must(charged === (row.state === SETTLED ? cost : 0n), 'a task costs what its result costs', named)
    if (confirmed) must((row?.state === SETTLED) === (confirmed === 'settle'), 'a confirmed end stays', named)
  }
  for (const client of model.clients.values()) {
    const row = rows.requests.get(client.id)
    const named = () => `request ${client.id} in state ${row?.state}, cost ${row?.cost}, ${client.decided?.verb}`
    const charged = row ? row.cost + row.shortfall : 0n
    const settled = row?.state === SETTLED
    must(!client.dispatched || row !== undefined, 'a dispatched request has its row', named)
    must((model.committed.settlements.get(client.id) ?? 0) === (settled ? 1 : 0), 'settled at most once', named)
    const end = client.decided
    if (client.released)
      must(settled === (end?.verb === 'settle'), 'the end that its client saw is in the books', named)
    if (settled) must(end?.verb === 'settle' && charged === end.cost, 'settled at the cost that was decided', named)
    else if (row?.state === VOIDED) must(charged === 0n, 'a void costs nothing', named)
    else must(charged <= client.delivered, 'no output, no charge', named)
    if (client.released && end?.verb === 'void') must(charged === 0n, 'a void costs nothing', named)
  }
}
