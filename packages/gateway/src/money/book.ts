// The rows of the ledger, and the interface that it reaches them through.
import type { Nanos } from './amount.ts'
import type { Attribution } from './budgets/attribution.ts'
import type { BudgetRow } from './budgets/budget.ts'
import type { Limits, Meter, Period } from './limits.ts'

/** Ledger accounts that are not wallets. Their balance is the sum of their transfers; no row is kept for them. */
export const REVENUE = -1n
export const TRIAL = -2n
export const CREDIT = -3n
export const SHORTFALL = -4n
/** Trial credit that was given while only the embedded models could be bought with it. */
export const SANDBOX_TRIAL = -5n
/** What operators' tests of upstreams cost: on nobody's balance, and on no request. */
export const TESTS = -6n

/** A node that has not renewed for this long must not dispatch; after DEAD_AFTER its holds may be reaped. */
export const STALE_AFTER_MS = 5_000
export const DEAD_AFTER_MS = 10_000

/** The node id of holds that belong to a task instead of a node. No node has it. */
export const TASK_NODE = -1

export const HELD = 0
export const SETTLED = 1
export const VOIDED = 2
export const REAPED = 3
/** The outcome that the reaper writes. A request that is voided with it was taken over by a repetition. */
export const REAPED_OUTCOME = 'reaped'
/** A repetition that placed no hold this long after it took its request over will never place one: see paid-call/claim.ts. */
export const REPETITION_BEGINS_WITHIN_MS = 30_000
/** After this long it is forgotten: the owner of a request that was taken over does not return any more. */
export const REPETITION_KEPT_MS = 30 * 86_400_000
export type RequestState = typeof HELD | typeof SETTLED | typeof VOIDED | typeof REAPED

/** What counts against a cap, of an account or a key. */
export type Capped = {
  cap: Nanos | undefined
  /** undefined: the cap is for all time. */
  capPeriod: Period | undefined
  spent: Nanos
  held: Nanos
  meter: Meter
}
export type AccountRow = Capped & {
  id: bigint
  balance: Nanos
  /** How far holds may exceed the balance: available = balance + credit line - held. */
  creditLine: Nanos
  disabled: boolean
  limits: Limits
}
export type KeyRow = Capped & {
  id: bigint
  account: bigint
  /** Who made it in the console: keys of one member of an account share a cap. */
  person: bigint | undefined
  deleted: boolean
  /** Grows with every change of what a caller may have cached: group, models, addresses, limits. */
  revision: number
  /** Milliseconds since 1970, by the store's clock. */
  expiresAt: number | undefined
  limits: Limits
}
/** What the owner of an account set for a member: the keys that the member made stay under it in sum. */
export type MemberCap = {
  cap: Nanos
  capPeriod: Period
  /** At least all of the member's keys that hold something, or have spent something in the period. */
  keys: Iterable<KeyRow>
}
export type RequestRow = {
  id: bigint
  account: bigint
  key: bigint
  /** The owner: a node, or TASK_NODE for a task. A task's epoch is that of its lease when the hold was placed. */
  nodeId: number
  epoch: number
  /** When the reaper voids the hold of a task, by the store's clock; undefined for the hold of a node. */
  deadline: number | undefined
  state: RequestState
  held: Nanos
  /** By the store's clock, in milliseconds. */
  heldAt: number
  /** Reserved while the request is open, then used. */
  tokens: number
  /** The cost of the output metered so far: the reaper charges it if the owner does not return. */
  progress: Nanos
  cost: Nanos
  shortfall: Nanos
  model: string
  upstream: string
  /** What the operator pays; undefined: that is not known. 0 while the request is open, and if it was voided by its owner. */
  upstreamCost: Nanos | undefined
  outcome: string
  /** JSON written by the owner at the end: units, price, timing, attempts, warnings. */
  receipt: string
  /** The budgets that it counts against, whatever becomes of them. */
  budgets: readonly bigint[]
  attribution: Attribution | undefined
}
/** What a request adds to the sums of spending, or takes from them if all amounts are negative. */
export type Spending = Pick<
  RequestRow,
  'account' | 'key' | 'model' | 'upstream' | 'tokens' | 'cost' | 'attribution'
> & {
  outcome: string
  requests: number
  upstreamCost: Nanos
  /** Requests whose upstream cost is not known. */
  unknownCosts: number
}
/** `epoch` grows with every holder: it fences off a former holder. `expiresAt` by the store's clock; 0: released. */
export type LeaseRow = { name: string; epoch: number; holder: string; expiresAt: number }
/** `renewedAt` by the store's clock. `renewals`: of this epoch. */
export type NodeRow = { nodeId: number; epoch: number; renewedAt: number; renewals: number; config: string }

/**
 * The request repeats what `first` began, with the same idempotency key, since `at` by the store's clock. Its row may not exist (yet). One
 * that repeats a repetition has the same `first`.
 */
export type Repetition = { request: bigint; first: bigint; at: number }

/** What a request of an owner adds to what was charged under a budget across accounts, in the period that begins then. */
export type SharedCharge = { budget: bigint; nodeId: number; windowStart: number; amount: Nanos }

/** The rows of one transaction. Getters return live objects; `save*` marks them to be written at its end. */
export interface Book {
  readonly now: number
  account(id: bigint): AccountRow | undefined
  key(id: bigint): KeyRow | undefined
  memberCap(key: KeyRow): MemberCap | undefined
  budget(id: bigint): BudgetRow | undefined
  request(id: bigint): RequestRow | undefined
  node(nodeId: number): NodeRow | undefined
  lease(name: string): LeaseRow | undefined
  /**
   * Open holds without an owner, lowest ids first: their node is dead (`renewedAt` before `deadBefore`) or was succeeded
   * by a later epoch, or the deadline of their task has passed.
   */
  orphans(deadBefore: number, limit: number): RequestRow[]
  repetition(request: bigint): Repetition | undefined
  /** By request. */
  repetitionsOf(first: bigint): Repetition[]
  /** The first requests of repetitions of which one, or the first itself, was settled and not for free; lowest ids first. */
  repeatedAndSettled(limit: number): bigint[]
  addRepetition(row: Repetition): void
  removeRepetitionsOf(first: bigint): void
  removeRepetitionsBefore(at: number): void
  saveAccount(row: AccountRow): void
  saveKey(row: KeyRow): void
  /** Only one of an account. */
  saveBudget(row: BudgetRow): void
  insertRequest(row: RequestRow): void
  saveRequest(row: RequestRow): void
  /** Its node, epoch and deadline, which few verbs change. */
  saveOwner(row: RequestRow): void
  saveNode(row: NodeRow): void
  saveLease(row: LeaseRow): void
  /** Adds to the sums of the present hour. */
  addSpending(sum: Spending): void
  addToShared(charge: SharedCharge): void
  transfer(request: bigint | undefined, debit: bigint, credit: bigint, amount: Nanos): void
}
