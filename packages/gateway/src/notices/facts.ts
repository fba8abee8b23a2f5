// What notices say, as webhooks get it and the store keeps it: the data of letters and pages.
import { formatUsd } from '../money/amount.ts'
import { percentOf } from '../money/budgets/state.ts'
import type { BudgetKind, Crossable, NoticedKey } from '../storage/storage.ts'

export type KeyShown = { id: string; name: string; last_four: string }

/** What is said of a budget, or of a cap, which has no `budget_id`. */
export type BudgetFacts = {
  of: BudgetKind
  budget_id: string | null
  key: KeyShown | null
  member: string | null
  model: string | null
  /** The tag or the end user. */
  value: string | null
  amount_usd: string
  period: string | null
  every_hours: number | null
  spent_usd: string
  /** That was reached. */
  percent: number
  /** Requests are rejected once nothing is left; otherwise it only warns. */
  is_hard: boolean
  begins_anew_at: string | null
}
/** Below an amount that a person has chosen, or at a percentage of the balance after the last credit. */
export type BalanceFacts = {
  balance_usd: string
  below_usd: string | null
  percent: number | null
  of_usd: string | null
}
export const STOP_REASONS = ['deleted', 'expired', 'used_up', 'account_disabled', 'person_disabled'] as const
export type StopReason = (typeof STOP_REASONS)[number]
/** `key`: null: all keys of the account, or of the member. `note`: what the operator gave as the reason. */
export type KeyFacts = {
  reason: StopReason
  key: KeyShown | null
  member: string | null
  note: string
  budget: BudgetFacts | null
}
/** Such as 2026-01. */
export type StatementFacts = { month: string }

export type Facts =
  | ({ kind: 'budget' } & BudgetFacts)
  | ({ kind: 'balance' } & BalanceFacts)
  | ({ kind: 'key' } & KeyFacts)
  | ({ kind: 'statement' } & StatementFacts)

/** Another version may have written what this one does not know. */
export const readFacts = (text: string): Facts => JSON.parse(text) as Facts

export const keyShown = ({ id, name, lastFour }: NoticedKey): KeyShown => ({
  id: String(id),
  name,
  last_four: lastFour,
})

export const budgetFacts = (
  crossable: Crossable,
  percent: number,
  { key, member }: { key: NoticedKey | undefined; member: string | undefined },
): BudgetFacts => ({
  of: crossable.kind,
  budget_id: crossable.budget === undefined ? null : String(crossable.budget),
  key: key === undefined ? null : keyShown(key),
  member: member ?? null,
  model: crossable.model ?? null,
  value: crossable.value ?? null,
  amount_usd: formatUsd(crossable.amount),
  period: crossable.period ?? null,
  every_hours: crossable.everyHours ?? null,
  spent_usd: formatUsd(crossable.spentNow),
  percent,
  is_hard: crossable.hard,
  begins_anew_at: crossable.periodEndsAt === undefined ? null : new Date(crossable.periodEndsAt).toISOString(),
})

/** The highest of the percentages that is reached. */
export const reached = (spent: bigint, amount: bigint, percents: readonly number[]): number | undefined =>
  percents.findLast((percent) => percentOf(spent, amount) >= percent)
