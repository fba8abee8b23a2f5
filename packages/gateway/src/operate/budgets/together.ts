// At most MOST_BUDGETS count for a request: one more that would always apply together with as many others is not made. Tags and end users of
// requests are not known before.
import { MOST_BUDGETS } from '../../money/budgets/budget.ts'
import type { Budget, BudgetFilter, BudgetNoun, BudgetSubject } from '../../storage/storage.ts'
import { given } from '../inputs/page.ts'

/** A page that has all that matter. */
const PAGE = 500

/** Whether there are as many already that apply to every request that it applies to. `isHolder`: those of the operator come before. */
export async function isOneTooMany(subject: BudgetSubject, isHolder: boolean, budgets: Pick<BudgetNoun, 'list'>) {
  const { account = null, kind, key, person, value, model } = subject
  const whole: BudgetFilter[] =
    account === null
      ? [{ account, kind: 'all' }]
      : [
          { account: null, kind: 'all' },
          { account, kind: 'account' },
        ]
  const same = { account, kind, ...given({ key, person, value }) }
  const ofKey: BudgetFilter[] = kind === 'key_model' ? [{ account, kind: 'key', ...given({ key }) }] : []
  const own: BudgetFilter[] = kind === 'all' || kind === 'account' ? [] : [same]
  const lists = await Promise.all([...whole, ...own, ...ofKey].map((filter) => budgets.list(filter, PAGE)))
  const counts = (budget: Budget) => budget.kind !== 'key_model' || budget.model === model
  return (
    lists.flat().filter((budget) => counts(budget) && (isHolder || budget.setBy === 'operator')).length >= MOST_BUDGETS
  )
}
