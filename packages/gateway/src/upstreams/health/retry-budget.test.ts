import { expect, test } from 'bun:test'
import { createRetryBudget } from './retry-budget.ts'

test.each([
  100, 1_000, 10_000,
])('when everything fails %p times, at most a fifth more attempts than requests', (requests) => {
  const budget = createRetryBudget()
  let attempts = 0
  for (let request = 0; request < requests; request++) {
    budget.addRequest()
    attempts++
    while (budget.take(false)) attempts++
  }
  expect(attempts).toBeGreaterThan(requests * 1.1)
  expect(attempts).toBeLessThanOrEqual(requests * 1.2)
})

test('a quiet gateway may retry at once', () => {
  const budget = createRetryBudget()
  budget.addRequest()
  expect([budget.take(false), budget.take(false)]).toEqual([true, true])
})

test('quiet hours do not save up a retry storm', () => {
  const budget = createRetryBudget()
  for (let request = 0; request < 1_000; request++) budget.addRequest()
  let taken = 0
  while (budget.take(false)) taken++
  expect(taken).toBe(5)
})

test('a burst of retries at a healthy upstream is paid back before others may retry', () => {
  const budget = createRetryBudget()
  for (let burst = 0; burst < 50; burst++) expect(budget.take(true)).toBe(true)
  let requests = 0
  while (!budget.take(false)) {
    budget.addRequest()
    requests++
  }
  expect(requests).toBeGreaterThan(300)
})

test('the debt is bounded: one bad model does not prevent retries of all others', () => {
  const budget = createRetryBudget()
  for (let burst = 0; burst < 10_000; burst++) budget.take(true)
  for (let requests = 0; requests < 500; requests++) budget.addRequest()
  expect(budget.take(false)).toBe(true)
})
