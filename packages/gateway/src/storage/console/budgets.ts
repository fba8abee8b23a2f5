// Budgets of accounts, members, keys, models of keys, tags and end users, and across accounts of groups, tags and everything.
import type { Nanos } from '../../money/amount.ts'
import type { BudgetKind, BudgetTerms } from '../../money/budgets/budget.ts'
import type { Place } from './pages.ts'

export { BUDGET_KINDS, type BudgetKind } from '../../money/budgets/budget.ts'

export const BUDGET_SETTERS = ['operator', 'holder'] as const
export type BudgetSetter = (typeof BUDGET_SETTERS)[number]

/** What it limits. It never changes: another budget is made instead. */
export type BudgetSubject = {
  kind: BudgetKind
  /** undefined: across accounts. */
  account: bigint | undefined
  /** For `key` and `key_model`. */
  key: bigint | undefined
  /** For `member`. */
  person: bigint | undefined
  /** For `key_model`. */
  model: string | undefined
  /** The tag, the end user as it is kept, or the name of the group. */
  value: string | undefined
}

export type BudgetSettings = BudgetTerms & {
  /** No request exceeds it; otherwise it only warns. One across accounts ends new requests within seconds. */
  hard: boolean
  /** Percentages at which somebody is told, rising. */
  alerts: readonly number[]
  /** For the callers who are rejected; '': none. */
  text: string
}

export type NewBudget = BudgetSubject & BudgetSettings & { setBy: BudgetSetter }

export type Budget = NewBudget & {
  id: bigint
  /** Since it was made. */
  spent: Nanos
  held: Nanos
  /** In the present period. */
  spentNow: Nanos
  /** What new requests may take: 0 also where the amount was lowered below what is spent. */
  left: Nanos
  /** When the present period ends, by the store's clock; undefined: it never begins anew. */
  periodEndsAt: number | undefined
  createdAt: number
  /** Since when it limits nothing any more. */
  deletedAt: number | undefined
}

/** A field that is present and undefined is removed; an absent field stays. Another period begins a new count. */
export type BudgetChanges = Partial<BudgetSettings>

/** `account` null: across accounts. */
export type BudgetFilter = {
  account?: bigint | null
  kind?: BudgetKind
  key?: bigint
  person?: bigint
  value?: string
  setBy?: BudgetSetter
  /** Also deleted ones. */
  isAny?: true
  /** Only those of which nothing may be left: whether their period is over is not looked at, nor what is across accounts. */
  mayBeReached?: true
}

/** Budgets in force of one account. */
export const MOST_BUDGETS_KEPT = 10_000
/** The same across accounts: every process reads all of them every few seconds. */
export const MOST_SHARED_BUDGETS = 1_000
/** Budgets in force of all accounts. */
export const MOST_BUDGETS_IN_ALL = 100_000

/**
 * What `storage.budgets` does. `create`: undefined if the account is gone, or there are `most` in force, or too many of all accounts. `inForce`: of an account, and with
 * undefined those across accounts. All that change what applies to requests make nodes look their keys up again.
 */
export type BudgetNoun = {
  create(budget: NewBudget, most?: number, mostInAll?: number): Promise<Budget | undefined>
  find(id: bigint): Promise<Budget | undefined>
  /** By id; `after`: with higher ids than this. */
  list(filter: BudgetFilter, limit: number, after?: bigint): Promise<Budget[]>
  /** Newest first. */
  page(filter: BudgetFilter, place: Place, limit: number): Promise<Budget[]>
  inForce(account: bigint | undefined): Promise<Budget[]>
  /** undefined: there is none in force with this id. */
  change(id: bigint, changes: BudgetChanges): Promise<Budget | undefined>
  /** false: there is none in force with this id. */
  delete(id: bigint): Promise<boolean>
  /** Whether no process is alive whose version does not know budgets. */
  isKnownToAll(): Promise<boolean>
}
