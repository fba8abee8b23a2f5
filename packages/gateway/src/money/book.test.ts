// What stands in databases by its number keeps its number.
import { expect, test } from 'bun:test'
import {
  CREDIT,
  HELD,
  REAPED,
  REVENUE,
  SANDBOX_TRIAL,
  SETTLED,
  SHORTFALL,
  TASK_NODE,
  TESTS,
  TRIAL,
  VOIDED,
} from './book.ts'

test('accounts that are not wallets', () =>
  expect([REVENUE, TRIAL, CREDIT, SHORTFALL, SANDBOX_TRIAL, TESTS]).toEqual([-1n, -2n, -3n, -4n, -5n, -6n]))

test('states of a request', () => expect([HELD, SETTLED, VOIDED, REAPED]).toEqual([0, 1, 2, 3]))

test('the node of tasks', () => expect(TASK_NODE).toBe(-1))
