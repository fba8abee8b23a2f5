// The budgets of a request on its receipt: those that it counted against, and what was left under each before it.
import { formatUsd } from '../../money/amount.ts'
import type { Result } from '../../money/ledger.ts'
import type { Budget, BudgetKind } from '../../storage/storage.ts'

/** As it is stored. `left`: in USD; absent: nothing is held under it, since it is across accounts, or what was left is not known. */
export type StoredBudget = {
  id: string
  kind: BudgetKind
  shared?: true
  hard?: true
  value?: string | undefined
  left?: string
}

/** A member in JSON, after a comma. `left`: in the order of `budgets`. */
export const budgetsText = (budgets: readonly Budget[], left: Result['budgetsLeft']): string =>
  `,"budgets":${JSON.stringify(budgets.map((budget, at) => toStored(budget, left?.[at])))}`

function toStored({ id, kind, account, hard, value, model }: Budget, left: bigint | undefined): StoredBudget {
  return {
    id: String(id),
    kind,
    ...(account === undefined ? { shared: true } : {}),
    ...(hard ? { hard } : {}),
    value: value ?? model,
    ...(left === undefined ? {} : { left: formatUsd(left) }),
  }
}

/** Callers do not learn of budgets across accounts. */
export const showBudgets = (stored: readonly StoredBudget[], ofAll: boolean) =>
  stored
    .filter(({ shared }) => ofAll || !shared)
    .map(({ id, kind, value, left, hard }) => ({
      id,
      kind,
      value: value ?? null,
      hard: hard === true,
      left_usd: left ?? null,
    }))
