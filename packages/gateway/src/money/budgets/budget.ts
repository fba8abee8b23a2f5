// Budgets: how much may be spent on one thing, and what of it is spent and held. Pure, and on the store's clock; PostgreSQL has the same
// rules as functions.
import type { Nanos } from '../amount.ts'
import { endOf, notBefore, PERIODS, startOf } from '../limits.ts'

/** A `group` and `all` are across accounts; a `tag` is of one account, or across accounts. */
export const BUDGET_KINDS = ['account', 'member', 'key', 'key_model', 'tag', 'end_user', 'group', 'all'] as const
export type BudgetKind = (typeof BUDGET_KINDS)[number]

/** `hours`: every so many hours from a start. */
export const BUDGET_PERIODS = [...PERIODS, 'hours'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** How many apply to one request, at most. */
export const MOST_BUDGETS = 8

export type BudgetTerms = {
  amount: Nanos
  /** undefined: the budget is for all time. */
  period: BudgetPeriod | undefined
  /** The period `hours` alone has it. */
  everyHours: number | undefined
  startsAt: number | undefined
}
/** What counts against it. */
export type BudgetMeter = {
  /** Since it was made. */
  spent: Nanos
  held: Nanos
  /** The beginning of the last period in which something was charged (0: for all time), and what was charged in it, less refunds. */
  windowStart: number
  windowSpent: Nanos
}
/** As the ledger needs it. One across accounts limits no hold: what is spent under it is added up apart. */
export type BudgetRow = BudgetTerms &
  BudgetMeter & {
    id: bigint
    /** undefined: across accounts. */
    account: bigint | undefined
    /** No hold exceeds it; otherwise it only counts. */
    hard: boolean
    deleted: boolean
  }

const HOUR_MS = 3_600_000

/** The beginning of the period in which `time` lies. */
export function periodStart({ period, everyHours, startsAt }: Omit<BudgetTerms, 'amount'>, time: number): number {
  if (period === undefined) return 0
  if (period !== 'hours') return startOf(period, time)
  const length = (everyHours ?? 1) * HOUR_MS
  const into = (time - (startsAt ?? 0)) % length
  return time - (into < 0 ? into + length : into)
}

/** The first moment after the period in which `time` lies; undefined: it never ends. */
export function periodEnd(terms: Omit<BudgetTerms, 'amount'>, time: number): number | undefined {
  const { period, everyHours } = terms
  if (period === undefined) return undefined
  return period === 'hours' ? periodStart(terms, time) + (everyHours ?? 1) * HOUR_MS : endOf(period, time)
}

/** What was charged in the present period. */
export const spentNow = (row: BudgetTerms & BudgetMeter, now: number): Nanos =>
  row.windowStart === periodStart(row, notBefore(row.windowStart, now)) && row.windowSpent > 0n ? row.windowSpent : 0n

/** What is neither spent in the present period nor held. */
export function leftUnder(row: BudgetTerms & BudgetMeter, now: number): Nanos {
  const left = row.amount - spentNow(row, now) - row.held
  return left > 0n ? left : 0n
}
