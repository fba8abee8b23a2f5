// Rows of budgets, and what requests count against, as both engines keep them.
import { type Attribution, splitTags } from '../../../money/budgets/attribution.ts'
import type { BudgetPeriod, BudgetRow } from '../../../money/budgets/budget.ts'
import { flag, integer, maybe, optional, type Row, small, text, word } from '../../fields.ts'

export type { BudgetRow }

const NOTHING: readonly never[] = []

export const joinIds = (ids: readonly bigint[]): string => ids.join(',')
export const splitIds = (ids: string): readonly bigint[] => (ids === '' ? NOTHING : ids.split(',').map(BigInt))

/** The columns of `request` beside those that every request has. */
export const COUNTED_COLUMNS = ['budgets', 'tags', 'end_user', 'session'] as const

export function toAttribution(row: Row): Attribution | undefined {
  const [tags, endUser, session] = [text(row.tags), text(row.end_user), text(row.session)]
  return tags === '' && endUser === '' && session === '' ? undefined : { tags: splitTags(tags), endUser, session }
}

/** What the ledger reads of a budget. */
export const COUNTED = [
  ...(['id', 'account', 'amount', 'period', 'every_hours', 'starts_at', 'hard', 'deleted_at'] as const),
  ...(['spent', 'held', 'window_start', 'window_spent'] as const),
] as const

const toPeriod = maybe(word<BudgetPeriod>())

export const toBudgetRow = (row: Row): BudgetRow => ({
  id: integer(row.id),
  account: optional(row.account, integer),
  amount: integer(row.amount),
  period: toPeriod(row.period),
  everyHours: optional(row.every_hours, small),
  startsAt: optional(row.starts_at, small),
  hard: flag(row.hard),
  deleted: row.deleted_at !== null,
  spent: integer(row.spent),
  held: integer(row.held),
  windowStart: small(row.window_start),
  windowSpent: integer(row.window_spent),
})
