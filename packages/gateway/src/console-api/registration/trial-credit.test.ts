import { expect, test } from 'bun:test'
import { releasedBudget, trialsPerNetwork } from './trial-credit.ts'

const HOUR = 3_600_000
const day = Date.UTC(2026, 4, 1)

test.each([
  ['half at midnight', 100n, 10n, 0, 50n],
  ['a quarter of the rest in the morning', 100n, 10n, 6, 62n],
  ['three quarters at noon', 100n, 10n, 12, 75n],
  ['nearly all of it in the end', 100n, 10n, 23, 97n],
  ['a small budget: three trials from the start', 40n, 10n, 0, 30n],
  ['never more than the budget', 20n, 10n, 0, 20n],
  ['an odd budget', 9n, 2n, 0, 6n],
  ['no trial credit', 100n, 0n, 0, 50n],
  ['no budget', 0n, 10n, 12, 0n],
])('released: %s', (_, budget, credit, hour, expected) => {
  expect(releasedBudget(budget, credit, day + hour * HOUR)).toBe(expected)
})

test.each([
  ['a quarter of the trials', 1_000n, 10n, 25],
  ['three at least', 100n, 10n, 3],
  ['three of a tiny budget', 5n, 10n, 3],
  ['without trial credit', 100n, 0n, 3],
  ['of a budget without end', 1n << 62n, 1n, 1_000_000],
])('trials of one network: %s', (_, budget, credit, expected) => {
  expect(trialsPerNetwork(budget, credit)).toBe(expected)
})
