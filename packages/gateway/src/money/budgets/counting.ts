// What holds and charges do to the budgets of their request.
import type { Nanos } from '../amount.ts'
import { type Book, HELD, type RequestRow, TASK_NODE } from '../book.ts'
import { notBefore } from '../limits.ts'
import { type BudgetRow, leftUnder, periodStart } from './budget.ts'

export const NO_BUDGETS: readonly never[] = []

/** Those that a new request of the account counts against. Of the others it may have heard before they were deleted. */
export function applicable(book: Book, ids: readonly bigint[] | undefined, account: bigint): readonly BudgetRow[] {
  if (ids === undefined) return NO_BUDGETS
  return budgetsOf(book, ids).filter((row) => !row.deleted && (row.account === undefined || row.account === account))
}

/** Also those that were deleted since: what is held under them is released. */
export const budgetsOf = (book: Book, ids: readonly bigint[]): readonly BudgetRow[] =>
  ids.length === 0 ? NO_BUDGETS : ids.flatMap((id) => book.budget(id) ?? [])

export type Limit = { budget: bigint; left: Nanos }

/** What each of them leaves that limits its holds. */
export const limitsBy = (budgets: readonly BudgetRow[], now: number): readonly Limit[] =>
  budgets.flatMap((row) =>
    row.hard && !row.deleted && row.account !== undefined ? { budget: row.id, left: leftUnder(row, now) } : [],
  )

export function holdUnder(book: Book, budgets: readonly BudgetRow[], amount: Nanos): void {
  for (const row of budgets) {
    if (row.account === undefined) continue
    beginPeriod(row, periodStart(row, notBefore(row.windowStart, book.now)))
    row.held += amount
    book.saveBudget(row)
  }
}

export function releaseUnder(budgets: readonly BudgetRow[], amount: Nanos): void {
  for (const row of budgets) if (row.account !== undefined) row.held -= amount
}

/** A task is charged in the period of its submit. If that is over, its charge counts in none. */
export function chargeUnder(book: Book, budgets: readonly BudgetRow[], request: RequestRow, paid: Nanos): void {
  const then = request.nodeId === TASK_NODE ? request.heldAt : undefined
  for (const row of budgets) {
    if (row.account !== undefined) {
      const start = periodStart(row, then ?? notBefore(row.windowStart, book.now))
      if (paid !== 0n && (then === undefined || start > row.windowStart)) beginPeriod(row, start)
      if (start === row.windowStart) row.windowSpent += paid
      row.spent += paid
      if (paid !== 0n || request.state === HELD) book.saveBudget(row)
    } else if (paid !== 0n) {
      const windowStart = periodStart(row, then ?? book.now)
      book.addToShared({ budget: row.id, nodeId: request.nodeId, windowStart, amount: paid })
    }
  }
}

function beginPeriod(row: BudgetRow, start: number): void {
  if (start === row.windowStart) return
  row.windowStart = start
  row.windowSpent = 0n
}
