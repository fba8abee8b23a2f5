// Where a budget stands at a time: what pages, receipts, notices and errors say of it. Pure.
import type { Nanos } from '../amount.ts'
import { type BudgetTerms, periodEnd } from './budget.ts'

/** A budget as it was read from the store, or a cap in its shape. */
export type ReadBudget = BudgetTerms & {
  held: Nanos
  /** In the period that was present when it was read. */
  spentNow: Nanos
  /** The end of that period. */
  periodEndsAt: number | undefined
}

export type BudgetState = {
  /** In the present period, without what is held. */
  spent: Nanos
  held: Nanos
  /** What new requests may take; never below zero. */
  left: Nanos
  /** How much of the amount is spent: whole and rounded down, so that 100 means all of it. What is soft may exceed it. */
  percent: number
  /** Nothing is left. */
  isReached: boolean
  /** When the present period ends; undefined: never. */
  beginsAnewAt: number | undefined
}

/** Also of one that was read in an earlier period: nothing is spent in the present one yet. */
export function budgetState(budget: ReadBudget, now: number): BudgetState {
  const { amount, held, periodEndsAt } = budget
  const spent = periodEndsAt !== undefined && now >= periodEndsAt ? 0n : budget.spentNow
  const left = amount - spent - held
  return {
    spent,
    held,
    left: left > 0n ? left : 0n,
    percent: percentOf(spent, amount),
    isReached: left <= 0n,
    beginsAnewAt: periodEnd(budget, now),
  }
}

/** Nothing may be spent under an amount of zero: all of it is. */
export const percentOf = (spent: Nanos, amount: Nanos): number =>
  amount === 0n ? 100 : Number((spent * 100n) / amount)
