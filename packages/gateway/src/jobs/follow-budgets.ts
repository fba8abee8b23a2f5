// Reads budgets across accounts, and what is spent under them on all nodes: new requests stop within seconds once one is reached.
import type { BudgetLists } from '../paid-call/budgets/budget-lists.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 2_000

export function followBudgets(every: Every, budgets: Pick<BudgetLists, 'refresh'>): void {
  every(INTERVAL_MS, {
    name: 'read budgets across accounts',
    scope: 'node',
    async run() {
      await budgets.refresh()
      return undefined
    },
  })
}
