// The ledger in the store: verbs that change it, and reports about it.
import type { Nanos } from '../money/amount.ts'
import { splitTags } from '../money/budgets/attribution.ts'
import type { RequestState, Result, Verb } from '../money/ledger.ts'
import { fieldsOf, from, integer, small, text } from './fields.ts'
import { splitIds } from './sql/budgets/rows.ts'

/** Rows that were archived before have none. */
const orNone = (value: unknown): string => text(value ?? '')

export const toUsageRow = fieldsOf({
  request: from('id', integer),
  key: integer,
  model: text,
  upstream: text,
  state: (value) => small(value) as RequestState,
  outcome: text,
  held: integer,
  /** Milliseconds since 1970, by the store's clock. */
  heldAt: small,
  tokens: small,
  cost: integer,
  shortfall: integer,
  receipt: text,
  tags: (value) => splitTags(orNone(value)),
  endUser: (value) => orNone(value),
  session: (value) => orNone(value),
  /** Those that it counts against. */
  budgets: (value) => splitIds(orNone(value)),
})
export type UsageRow = ReturnType<typeof toUsageRow>

/** What `trivium audit` proves; every list is empty if the ledger is correct. `ok`: all but the last two, which are not the ledger's fault. */
export type AuditReport = {
  ok: boolean
  /** It has read sealed months again, too. */
  isDeep: boolean
  sealedMonths: number
  /** The end of the last sealed month. */
  sealedUntil: number | undefined
  /** The hash of its seal, which depends on all seals before. */
  lastSeal: string | undefined
  accounts: number
  requests: number
  transfers: number
  openHolds: number
  /** Accounts whose balance is not the sum of their transfers. */
  balanceMismatches: bigint[]
  /** Accounts, and keys, whose held amount is not the sum of their open holds. */
  heldMismatches: bigint[]
  keyHeldMismatches: bigint[]
  /** Accounts, and keys, whose count of running requests is wrong; the holds of tasks do not count. */
  openMismatches: bigint[]
  keyOpenMismatches: bigint[]
  /** Accounts, and keys, whose spending is not the cost of their requests. */
  spentMismatches: bigint[]
  keySpentMismatches: bigint[]
  /** Accounts whose sums of spending are not their charges, or do not count their ended requests. */
  spendingMismatches: bigint[]
  /** Accounts whose sums by tag or by end user are not the charges of their requests, of days that have sums. */
  attributionMismatches: bigint[]
  /** Budgets whose held amount is not the sum of the open holds that name them. */
  budgetHeldMismatches: bigint[]
  /** Hard budgets of which more is spent and held than their highest amount. */
  exceededBudgets: bigint[]
  /** Accounts that hold more than their balance and the highest credit line that they ever had: without one, more than the balance. */
  negativeAccounts: bigint[]
  /** Requests whose transfers do not add up to their cost and shortfall, or that are settled more than once. */
  requestMismatches: bigint[]
  /** Sealed months, such as `2026-10`, whose seal is not what its rows or the ledger say. */
  sealMismatches: string[]
  /** Files of the archive, by their names in the media store, that are missing or are not what was written. A deep audit reads them. */
  archiveMismatches: string[]
  /** Accounts that hold more than balance and credit line, since the line was lowered. Not a mistake of the ledger. */
  overdrawnAccounts: bigint[]
  /** Open holds of video tasks that do not exist. A start voids them. */
  lostTaskHolds: bigint[]
}

/** All open holds, and all that requests cost beyond what could be charged. `oldestHoldMs`: 0 if there is none. */
export type LedgerTotals = { openHolds: number; held: Nanos; oldestHoldMs: number; shortfall: Nanos }

/** Exactly one of the two is called, once; neither may throw. */
export type Completion<T> = { resolve(value: T): void; reject(error: unknown): void }

/** What each engine does in its own way; the rest of the ledger is in sql/reports.ts. */
export interface LedgerVerbs {
  /** Batched with other verbs into one commit; resolves after that commit is durable. Rejects with StoreDown. */
  apply(verb: Verb): Promise<Result>
  /** The same without a promise: saves one per verb. */
  submit(verb: Verb, waiter: Completion<Result>): void
}
