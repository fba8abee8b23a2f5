// A Book over Maps: the ledger without a database, for the tests that compare an engine with the rules themselves.
import type { Nanos } from '../../packages/gateway/src/money/amount.ts'
import type { BudgetRow } from '../../packages/gateway/src/money/budgets/budget.ts'
import {
  type AccountRow,
  type Book,
  HELD,
  type KeyRow,
  type LeaseRow,
  type MemberCap,
  type NodeRow,
  type Repetition,
  type RequestRow,
  SETTLED,
  type Spending,
  TASK_NODE,
} from '../../packages/gateway/src/money/ledger.ts'
import { type Limits, NO_LIMITS, newMeter } from '../../packages/gateway/src/money/limits.ts'

export type TransferRow = { request: bigint | undefined; debit: bigint; credit: bigint; amount: Nanos }

export type SpendingRow = Spending & { at: number }

/** What a MemoryBook holds. Copy it (`structuredClone`) to go back to it later. */
export type MemoryRows = {
  accounts: Map<bigint, AccountRow>
  keys: Map<bigint, KeyRow>
  /** By account and person. */
  memberCaps: Map<string, Pick<MemberCap, 'cap' | 'capPeriod'>>
  budgets: Map<bigint, BudgetRow>
  /** What was charged under budgets across accounts: by budget, node and beginning of the period. */
  shared: Map<string, Nanos>
  requests: Map<bigint, RequestRow>
  nodes: Map<number, NodeRow>
  leases: Map<string, LeaseRow>
  /** By request. */
  repetitions: Map<bigint, Repetition>
  transfers: TransferRow[]
  spending: SpendingRow[]
}

export const emptyRows = (): MemoryRows => ({
  accounts: new Map(),
  keys: new Map(),
  memberCaps: new Map(),
  budgets: new Map(),
  shared: new Map(),
  requests: new Map(),
  nodes: new Map(),
  leases: new Map(),
  repetitions: new Map(),
  transfers: [],
  spending: [],
})

export const newAccountRow = (id: bigint): AccountRow => ({
  id,
  balance: 0n,
  creditLine: 0n,
  cap: undefined,
  capPeriod: undefined,
  spent: 0n,
  held: 0n,
  disabled: false,
  limits: NO_LIMITS,
  meter: newMeter(),
})

export const newKeyRow = (id: bigint, account: bigint): KeyRow => ({
  id,
  account,
  person: undefined,
  deleted: false,
  revision: 0,
  expiresAt: undefined,
  cap: undefined,
  capPeriod: undefined,
  spent: 0n,
  held: 0n,
  limits: NO_LIMITS,
  meter: newMeter(),
})

export function memoryBook(rows: MemoryRows, now: number): Book {
  return {
    now,
    account: (id) => rows.accounts.get(id),
    key: (id) => rows.keys.get(id),
    memberCap({ account, person }) {
      const shared = rows.memberCaps.get(`${account}/${person}`)
      const keys = [...rows.keys.values()].filter((key) => key.account === account && key.person === person)
      return shared && { cap: shared.cap, capPeriod: shared.capPeriod, keys }
    },
    budget: (id) => rows.budgets.get(id),
    request: (id) => rows.requests.get(id),
    node: (nodeId) => rows.nodes.get(nodeId),
    lease: (name) => rows.leases.get(name),
    orphans: (deadBefore, limit) => orphans(rows, deadBefore, now, limit),
    repetition: (request) => rows.repetitions.get(request),
    repetitionsOf: (first) => repetitionsOf(rows, first),
    repeatedAndSettled: (limit) => repeatedAndSettled(rows, limit),
    addRepetition: (row) => void rows.repetitions.set(row.request, row),
    removeRepetitionsOf: (first) => removeRepetitions(rows, (row) => row.first === first),
    removeRepetitionsBefore: (at) => removeRepetitions(rows, (row) => row.at <= at),
    saveAccount: (row) => void rows.accounts.set(row.id, row),
    saveKey: (row) => void rows.keys.set(row.id, row),
    saveBudget: (row) => void rows.budgets.set(row.id, row),
    insertRequest: (row) => insertRequest(rows, row),
    saveRequest: (row) => void rows.requests.set(row.id, row),
    saveOwner: (row) => void rows.requests.set(row.id, row),
    saveNode: (row) => void rows.nodes.set(row.nodeId, row),
    saveLease: (row) => void rows.leases.set(row.name, row),
    addSpending: (sum) => void rows.spending.push({ ...sum, at: now }),
    addToShared({ budget, nodeId, windowStart, amount }) {
      const place = [budget, nodeId, windowStart].join()
      rows.shared.set(place, (rows.shared.get(place) ?? 0n) + amount)
    },
    transfer: (request, debit, credit, amount) => void rows.transfers.push({ request, debit, credit, amount }),
  }
}

type AccountTerms = Partial<Pick<AccountRow, 'cap' | 'capPeriod' | 'creditLine' | 'limits'>>

/** The terms of an account as an admin sets them. */
export function setAccountTerms(rows: MemoryRows, id: bigint, terms: AccountTerms, now: number): void {
  const account = rows.accounts.get(id)
  if (!account) return
  beginTokens(account, rows, (request) => request.account === id, now)
  Object.assign(account, terms)
  for (const key of rows.keys.values()) if (key.account === id) key.revision += 1
}

type KeyTerms = Partial<Pick<KeyRow, 'expiresAt' | 'cap' | 'capPeriod'>> & { limits?: Limits }

/** The terms of a key as an admin sets them. */
export function setKeyTerms(rows: MemoryRows, id: bigint, terms: KeyTerms, now: number): void {
  const key = rows.keys.get(id)
  if (!key) return
  beginTokens(key, rows, (request) => request.key === id, now)
  Object.assign(key, terms)
  key.revision += 1
}

/**
 * A limit of tokens begins with what open requests may use: they give back what they do not, and must not give back what
 * was never counted.
 */
function beginTokens(
  { limits, meter }: AccountRow | KeyRow,
  rows: MemoryRows,
  isOwn: (request: RequestRow) => boolean,
  now: number,
): void {
  if (limits.tokensPerMinute !== undefined) return
  const open = [...rows.requests.values()].filter((request) => isOwn(request) && request.state === HELD)
  meter.tokens = [Math.floor(now / 1_000), open.reduce((sum, request) => sum + request.tokens, 0)]
}

/** Lowest ids first, as the engines do: which holds a limited reap takes must not depend on the engine. */
function orphans(rows: MemoryRows, deadBefore: number, now: number, limit: number): RequestRow[] {
  return [...rows.requests.values()]
    .filter((request) => request.state === HELD && isOrphan(rows.nodes.get(request.nodeId), request, deadBefore, now))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}

function isOrphan(node: NodeRow | undefined, request: RequestRow, deadBefore: number, now: number): boolean {
  if (request.nodeId === TASK_NODE) return request.deadline !== undefined && request.deadline <= now
  return !node || node.epoch > request.epoch || node.renewedAt <= deadBefore
}

const byId = (one: bigint, other: bigint): number => (one < other ? -1 : 1)

const repetitionsOf = (rows: MemoryRows, first: bigint): Repetition[] =>
  [...rows.repetitions.values()]
    .filter((row) => row.first === first)
    .sort((one, other) => byId(one.request, other.request))

function repeatedAndSettled(rows: MemoryRows, limit: number): bigint[] {
  const isSettled = (id: bigint): boolean => {
    const row = rows.requests.get(id)
    return row?.state === SETTLED && row.cost + row.shortfall > 0n
  }
  const firsts = [...rows.repetitions.values()].flatMap(({ request, first }) =>
    isSettled(request) || isSettled(first) ? [first] : [],
  )
  return [...new Set(firsts)].sort(byId).slice(0, limit)
}

function removeRepetitions(rows: MemoryRows, isOver: (row: Repetition) => boolean): void {
  for (const row of rows.repetitions.values()) if (isOver(row)) rows.repetitions.delete(row.request)
}

function insertRequest(rows: MemoryRows, row: RequestRow): void {
  if (rows.requests.has(row.id)) throw new Error(`request ${row.id} exists already`)
  rows.requests.set(row.id, row)
}
