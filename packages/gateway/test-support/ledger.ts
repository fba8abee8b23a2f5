// A ledger with a node, an account and a key, and the verbs of one request on it.
import {
  emptyRows,
  type MemoryRows,
  memoryBook,
  newAccountRow,
  newKeyRow,
} from '../../../tools/simulation/memory-book.ts'
import {
  apply,
  type Book,
  type Extend,
  type Hold,
  type Result,
  type Settle,
  taskLease,
  taskOwner,
  type Verb,
} from '../src/money/ledger.ts'
import { type Limits, NO_LIMITS } from '../src/money/limits.ts'

export const NOW = 1_700_000_000_000
export const owner = { id: 7n, nodeId: 0, epoch: 1 }
export const HOLD: Hold = {
  verb: 'hold',
  ...owner,
  account: 1n,
  key: 2n,
  revision: 0,
  extensible: false,
  amount: 100n,
  minimum: 100n,
  tokens: 30,
  minimumTokens: 10,
  model: 'm',
  upstream: 'u',
}
export const EXTEND: Extend = {
  verb: 'extend',
  ...owner,
  known: 100n,
  amount: 50n,
  minimum: 20n,
  tokens: 25,
  progress: 5n,
}
export const SETTLE: Settle = { verb: 'settle', ...owner, cost: 40n, tokens: 12, outcome: 'completed', receipt: '{}' }
export const TASK = taskOwner(7n, 1)
export const limits = (more: Partial<Limits>): Limits => ({ ...NO_LIMITS, ...more })

/** As in a database: what is saved is written at the end, and the rest is lost. */
function applyStored(rows: MemoryRows, now: number, verb: Verb): Result {
  const read = structuredClone(rows)
  const writes: (() => void)[] = []
  const save = <Id, Row extends object>(map: Map<Id, Row>, id: Id, row: Row) =>
    void writes.push(() => map.set(id, Object.assign(map.get(id) ?? {}, row) as Row))
  const book: Book = {
    ...memoryBook(rows, now),
    ...pick(memoryBook(read, now), 'account', 'key', 'memberCap', 'budget', 'request', 'node', 'lease', 'orphans'),
    saveBudget: (row) => save(rows.budgets, row.id, row),
    saveAccount: (row) => save(rows.accounts, row.id, row),
    saveKey: (row) => save(rows.keys, row.id, row),
    insertRequest: (row) => save(rows.requests, row.id, row),
    saveRequest: (row) => save(rows.requests, row.id, row),
    saveOwner: (row) => save(rows.requests, row.id, row),
  }
  const result = apply(book, verb)
  for (const write of writes) write()
  return result
}

const pick = <T, K extends keyof T>(from: T, ...names: K[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>

/** A node, an account with 1,000 and a key. */
export function openLedger() {
  const rows = emptyRows()
  const account = { ...newAccountRow(1n), balance: 1_000n }
  const key = newKeyRow(2n, 1n)
  rows.accounts.set(1n, account)
  rows.keys.set(2n, key)
  const at = (ms: number, verb: Verb) => applyStored(rows, NOW + ms, verb)
  const run = (verb: Verb) => at(0, verb)
  run({ verb: 'join', nodeId: 0, config: '' })
  const request = (id = 7n) => {
    const row = rows.requests.get(id)
    if (!row) throw new Error('there is no such request')
    return row
  }
  const lease = () => run({ verb: 'acquire_lease', lease: taskLease(7n), holder: 'one', ttlMs: 5_000 })
  const task = (more: Partial<Hold> = {}): Hold => ({ ...HOLD, ...TASK, deadline: NOW + 60_000, ...more })
  return { rows, account, key, at, run, request, lease, task }
}
export type OpenLedger = ReturnType<typeof openLedger>
