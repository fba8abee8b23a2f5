import { expect, test } from 'bun:test'
import { budgetState, type ReadBudget } from './state.ts'

const NOON = Date.parse('2026-03-01T12:00:00Z')
const MIDNIGHT = Date.parse('2026-03-02T00:00:00Z')
const DAY = 86_400_000

const daily: ReadBudget = {
  amount: 1_000n,
  period: 'day',
  everyHours: undefined,
  startsAt: undefined,
  held: 30n,
  spentNow: 799n,
  periodEndsAt: MIDNIGHT,
}
const always = { ...daily, period: undefined, periodEndsAt: undefined }

test('what is spent, held and left, and when it begins anew', () => {
  expect(budgetState(daily, NOON)).toEqual({
    spent: 799n,
    held: 30n,
    left: 171n,
    percent: 79,
    isReached: false,
    beginsAnewAt: MIDNIGHT,
  })
})

test('one that was read yesterday has nothing spent today, and what is held stays held', () => {
  expect(budgetState(daily, MIDNIGHT - 1)).toMatchObject({ spent: 799n, beginsAnewAt: MIDNIGHT })
  expect(budgetState(daily, MIDNIGHT)).toMatchObject({ spent: 0n, held: 30n, left: 970n, percent: 0 })
  expect(budgetState(daily, MIDNIGHT).beginsAnewAt).toBe(MIDNIGHT + DAY)
})

test('one for all time never begins anew', () => {
  expect(budgetState(always, MIDNIGHT + DAY)).toMatchObject({ spent: 799n, beginsAnewAt: undefined })
})

test.each<[string, Partial<ReadBudget>, object]>([
  ['all but one nano-USD', { spentNow: 969n }, { left: 1n, percent: 96, isReached: false }],
  ['all, with what is held', { spentNow: 970n }, { left: 0n, percent: 97, isReached: true }],
  ['all', { spentNow: 1_000n, held: 0n }, { left: 0n, percent: 100, isReached: true }],
  ['more than all', { spentNow: 2_500n }, { left: 0n, percent: 250, isReached: true }],
  ['of nothing', { amount: 0n, spentNow: 0n, held: 0n }, { left: 0n, percent: 100, isReached: true }],
])('%s', (_, more, state) => {
  expect(budgetState({ ...always, ...more }, NOON)).toMatchObject(state)
})
