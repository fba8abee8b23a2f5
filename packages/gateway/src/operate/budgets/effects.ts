// What making or changing a budget stops. Looked up in dry runs only.
import { formatUsd } from '../../money/amount.ts'
import { budgetState } from '../../money/budgets/state.ts'
import type { BudgetSettings, BudgetSubject } from '../../storage/storage.ts'
import type { Effects, OperationContext } from '../operation.ts'
import type { Entry } from './entries.ts'

/** How many keys it may stop; across accounts that is not counted. */
export async function newBudgetEffects(
  { dryRun, storage }: OperationContext,
  { account, key, person }: BudgetSubject,
): Promise<Effects> {
  if (!dryRun || account === undefined) return {}
  if (key !== undefined) return { keys_limited: 1 }
  if (person !== undefined)
    return { keys_limited: (await storage.keys.page(account, { person, state: 'active' }, 1)).total }
  return { keys_limited: (await storage.lists.activity([account])).get(account)?.activeKeys ?? 0 }
}

/** `settings` undefined: it is deleted. */
export function budgetEffects({ dryRun, storage }: OperationContext, entry: Entry, settings?: BudgetSettings): Effects {
  if (!dryRun) return {}
  const now = storage.now()
  const { spent, left } = budgetState(entry, now)
  const before = { spent_usd: formatUsd(spent), left_usd: formatUsd(left) }
  if (settings === undefined) return before
  const begins = isOtherPeriod(entry, settings) ? { spentNow: 0n, periodEndsAt: undefined } : {}
  const after = budgetState({ ...entry, ...settings, ...begins }, now)
  if (after.isReached && settings.hard) return { ...before, reached_after: 'yes' }
  return { ...before, left_after_usd: formatUsd(after.left) }
}

const isOtherPeriod = (one: BudgetSettings, other: BudgetSettings): boolean =>
  one.period !== other.period || one.everyHours !== other.everyHours || one.startsAt !== other.startsAt
