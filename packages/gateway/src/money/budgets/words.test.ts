// Budgets in English.
import { expect, test } from 'bun:test'
import { budgetWords, type NamedBudget } from './words.ts'

const of = (more: Partial<NamedBudget>): NamedBudget => ({
  kind: 'tag',
  account: 1n,
  key: undefined,
  model: undefined,
  value: undefined,
  amount: 50_000_000_000n,
  period: 'day',
  everyHours: undefined,
  ...more,
})

const CASES: [Partial<NamedBudget>, string][] = [
  [{ value: 'team=search' }, 'the budget of tag team=search: 50.00 USD a day'],
  [{ value: 'prod', account: undefined }, 'the budget of tag prod over all accounts: 50.00 USD a day'],
  [{ kind: 'end_user', value: 'u_1', period: undefined }, 'the budget of end user u_1: 50.00 USD in all'],
  [{ kind: 'key', key: 7n, period: 'week' }, 'the budget of key 7: 50.00 USD a week'],
  [{ kind: 'key_model', key: 7n, model: 'm' }, 'the budget of model m of key 7: 50.00 USD a day'],
  [{ kind: 'account', period: 'month' }, 'the budget of the account: 50.00 USD a month'],
  [{ kind: 'member', period: 'hours' }, 'the budget of the member who made the key: 50.00 USD an hour'],
  [
    { kind: 'group', value: 'gold', period: 'hours', everyHours: 5 },
    'the budget of group gold: 50.00 USD every 5 hours',
  ],
  [{ kind: 'all', amount: 1n }, 'the budget of all accounts: 0.000000001 USD a day'],
]
test.each(CASES.map(([budget, words]) => [words, budget] as const))('%s', (words, budget) => {
  expect(budgetWords(of(budget))).toBe(words)
})

test('names say more than ids, where the reader knows them', () => {
  const names = { key: 'CI', person: 'ann@example.com', account: 'acme' }
  expect(budgetWords(of({ kind: 'key_model', key: 7n, model: 'm' }), names)).toContain("model m of key 'CI'")
  expect(budgetWords(of({ kind: 'member' }), names)).toContain('the member ann@example.com')
  expect(budgetWords(of({ kind: 'account' }), names)).toContain("the account 'acme'")
})
