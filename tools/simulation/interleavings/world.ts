// What the search goes through: one store, two nodes, what is on its way between them, and what their clients received. A world is small,
// and copied before each step.
import type { Nanos } from '../../../packages/gateway/src/money/amount.ts'
import {
  CREDIT,
  DEAD_AFTER_MS,
  type Finish,
  REPETITION_BEGINS_WITHIN_MS,
  STALE_AFTER_MS,
  type Verb,
} from '../../../packages/gateway/src/money/ledger.ts'
import type { Settlement } from '../../../packages/gateway/src/money/settlement.ts'
import { emptyRows, type MemoryRows, newAccountRow, newKeyRow } from '../memory-book.ts'

export const ACCOUNT = 1n
export const KEY = 11n
/** As much as a request holds in the end, and less than it costs. */
const FUNDS = 60n

/** `first` runs on node 0. `by` repeats it with the same idempotency key on node 1. */
export type Who = 'first' | 'by'
export const ID = { first: 1n, by: 2n, task: 3n } as const
export const NODE = { first: 0, by: 1 } as const

export type Run = {
  state: Settlement
  /** Output that waits for its hold. */
  offered: Nanos | undefined
  delivered: Nanos
  dispatched: boolean
  decided: Finish | undefined
  released: boolean
}

/** `from`: whose process waits to hear that it is written. What could not be written is kept in memory alone. */
export type Journaled = { verb: Finish; at: number; from: Who | undefined; state: 'appended' | 'written' | 'failed' }

export type NodeState = {
  /** undefined: the process is dead, or has not joined yet. */
  epoch: number | undefined
  renewedFrom: number
  journal: Journaled[]
  /** What this process knows of the task: the epoch of its lease, and whether its own request runs it. */
  lease: number | undefined
  begun: boolean
}

/** `to`: whose process waits for the answer. */
export type Message = { verb: Verb; to: Who | undefined }

export type World = {
  now: number
  rows: MemoryRows
  nodes: [NodeState, NodeState]
  runs: { first: Run | undefined; by: Run | undefined }
  flying: Message[]
  /** A repetition was told to run in place of `first`, and whether the store remembers that. */
  tookOver: 'no' | 'runs' | 'remembered'
  /** How the task ended, as the store confirmed it. */
  taskEnd: 'settle' | 'void' | undefined
  /** How often each request became settled. */
  settlements: Map<bigint, number>
  /** How far the output of each request was, as its owner reported it. */
  progress: Map<bigint, Nanos>
  /** The row of a request that runs is gone: if its process dies too, nobody knows of it. */
  hasLostCommits: boolean
  /** Its end is being looked at: single verbs are checked where they are steps of the search. */
  rests: boolean
  scene: Scene
}

/** Who takes part: the fewer, the deeper the search gets in the same time. */
export type Scene = { by: boolean; task: boolean; nodes: readonly (0 | 1)[]; holdIsLost?: true }

export const START = 1_700_000_000_000

const newNode = (): NodeState => ({
  epoch: undefined,
  renewedFrom: Number.NEGATIVE_INFINITY,
  journal: [],
  lease: undefined,
  begun: false,
})

export const newRun = (state: Settlement): Run => ({
  state,
  offered: undefined,
  delivered: 0n,
  dispatched: false,
  decided: undefined,
  released: false,
})

export function newWorld(scene: Scene): World {
  const rows = emptyRows()
  rows.accounts.set(ACCOUNT, { ...newAccountRow(ACCOUNT), balance: FUNDS })
  rows.keys.set(KEY, newKeyRow(KEY, ACCOUNT))
  rows.transfers.push({ request: undefined, debit: CREDIT, credit: ACCOUNT, amount: FUNDS })
  return {
    now: START,
    rows,
    nodes: [newNode(), newNode()],
    runs: { first: undefined, by: undefined },
    flying: [],
    tookOver: 'no',
    taskEnd: undefined,
    settlements: new Map(),
    progress: new Map(),
    hasLostCommits: false,
    rests: false,
    scene,
  }
}

export function copyOf(world: World): World {
  const { rows, nodes, runs } = world
  return {
    ...world,
    rows: rowsOf(rows),
    nodes: [copyNode(nodes[0]), copyNode(nodes[1])],
    runs: { first: runs.first && { ...runs.first }, by: runs.by && { ...runs.by } },
    flying: [...world.flying],
    settlements: new Map(world.settlements),
    progress: new Map(world.progress),
  }
}

const copyNode = (node: NodeState): NodeState => ({
  ...node,
  journal: [...node.journal],
})

/** Rows are changed in place; what is in them is not, but for meters. */
export const rowsOf = (rows: MemoryRows): MemoryRows => ({
  ...rows,
  accounts: copyRows(rows.accounts, (row) => ({ ...row, meter: { ...row.meter } })),
  keys: copyRows(rows.keys, (row) => ({ ...row, meter: { ...row.meter } })),
  requests: copyRows(rows.requests, (row) => ({ ...row })),
  nodes: new Map(rows.nodes),
  leases: new Map(rows.leases),
  repetitions: new Map(rows.repetitions),
  transfers: [...rows.transfers],
  spending: [],
})

const copyRows = <Id, Row>(rows: Map<Id, Row>, copy: (row: Row) => Row): Map<Id, Row> => {
  const copies = new Map<Id, Row>()
  for (const [id, row] of rows) copies.set(id, copy(row))
  return copies
}

/** What is longer ago than the limit that asks for it makes no difference. */
const LONG_AGO = {
  renewal: DEAD_AFTER_MS,
  dispatch: STALE_AFTER_MS,
  repetition: REPETITION_BEGINS_WITHIN_MS,
  journaled: 30_000,
  finishing: 2_000,
  over: 0,
}

/**
 * Two worlds with the same key go on alike: times count from now. The transfers are left out, since what matters of them is their sum for
 * each request and account; so are the renewals, of which only a node that doubts its database is a witness.
 */
export function keyOf(world: World): string {
  const { now, nodes, runs } = world
  const parts: unknown[] = [rowsKey(world), world.tookOver, world.taskEnd, ...world.settlements]
  for (const node of nodes)
    parts.push(
      { ...node, renewedFrom: since(node.renewedFrom, now, 'dispatch') },
      ...node.journal.map(({ at }) => since(at, now, 'journaled')),
    )
  for (const run of [runs.first, runs.by]) parts.push(run && { ...run, state: timesFrom(run.state, now) })
  return textOf([...parts, world.flying])
}

export function rowsKey({ rows, now }: Pick<World, 'rows' | 'now'>): string {
  const parts: unknown[] = []
  for (const { balance, held, meter } of rows.accounts.values()) parts.push(balance, held, meter.open)
  for (const row of [...rows.requests.values()].sort((one, other) => Number(one.id - other.id)))
    parts.push({ ...row, heldAt: 0, deadline: row.deadline && since(row.deadline, now, 'over') })
  for (const row of rows.nodes.values()) parts.push(row.nodeId, row.epoch, since(row.renewedAt, now, 'renewal'))
  for (const row of rows.leases.values()) parts.push(row.epoch, row.holder, since(row.expiresAt, now, 'over'))
  for (const row of rows.repetitions.values()) parts.push(row.request, row.first, since(row.at, now, 'repetition'))
  return textOf(parts)
}

const since = (at: number, now: number, what: keyof typeof LONG_AGO): number => Math.max(-LONG_AGO[what], at - now)
const textOf = (parts: unknown): string =>
  JSON.stringify(parts, (name, value) => (name === 'at' ? undefined : typeof value === 'bigint' ? `${value}n` : value))

function timesFrom(state: Settlement, now: number): object {
  if (state.phase === 'open') return { ...state, retryAt: since(state.retryAt, now, 'over'), roomAt: 0 }
  return 'since' in state ? { ...state, since: since(state.since, now, 'finishing') } : state
}
