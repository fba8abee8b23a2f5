// A budget in English, for errors and letters: "the budget of tag team=search: 50.00 USD a day". The console has texts of its own.
import { formatUsd } from '../amount.ts'
import type { BudgetKind, BudgetTerms } from './budget.ts'

/** What a budget limits, as words need it: every kept budget is one. */
export type NamedBudget = Pick<BudgetTerms, 'amount' | 'period' | 'everyHours'> & {
  kind: BudgetKind
  account: bigint | undefined
  key: bigint | undefined
  model: string | undefined
  value: string | undefined
}

/** What the reader knows by a name; without it, a key is called by its id. `isOwnKey`: the reader uses that key. */
export type BudgetNames = { key?: string; isOwnKey?: boolean; person?: string; account?: string }

/** "the budget of tag team=search: 50.00 USD a day" */
export const budgetWords = (budget: NamedBudget, names: BudgetNames = {}): string =>
  `the budget of ${budgetSubject(budget, names)}: ${budgetAmount(budget)}`

/** "tag team=search" */
export function budgetSubject({ kind, account, key, model, value }: NamedBudget, names: BudgetNames = {}): string {
  const keyName = names.isOwnKey ? 'this key' : `key ${names.key === undefined ? key : `'${names.key}'`}`
  switch (kind) {
    case 'account':
      return names.account === undefined ? 'the account' : `the account '${names.account}'`
    case 'member':
      return names.person === undefined ? 'the member who made the key' : `the member ${names.person}`
    case 'key':
      return keyName
    case 'key_model':
      return `model ${model} of ${keyName}`
    case 'tag':
      return `tag ${value}${account === undefined ? ' over all accounts' : ''}`
    case 'end_user':
      return `end user ${value}`
    case 'group':
      return `group ${value}`
    case 'all':
      return 'all accounts'
  }
}

/** "50.00 USD a day" */
export function budgetAmount({
  amount,
  period,
  everyHours,
}: Pick<NamedBudget, 'amount' | 'period' | 'everyHours'>): string {
  const usd = `${formatUsd(amount)} USD`
  if (period === undefined) return `${usd} in all`
  if (period !== 'hours') return `${usd} a ${period}`
  return everyHours === undefined || everyHours === 1 ? `${usd} an hour` : `${usd} every ${everyHours} hours`
}
