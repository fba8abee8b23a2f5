// The machines under test, as a table: the simulation runs the real ones, and its own test runs broken ones.
import { apply } from '../../packages/gateway/src/money/ledger.ts'
import { begin, beginFinish, isApplied, mayDispatch, step } from '../../packages/gateway/src/money/settlement.ts'

export type Rules = {
  apply: typeof apply
  begin: typeof begin
  beginFinish: typeof beginFinish
  step: typeof step
  mayDispatch: typeof mayDispatch
  isApplied: typeof isApplied
  /** What a lease is counted from, of when the renewal was sent and when it was answered. */
  leaseFrom: (sentAt: number, answeredAt: number) => number
  /** Which entries of a former process's journal a starting one replays. */
  replayed: <Entry>(entries: Entry[]) => Entry[]
}

export const RULES: Rules = {
  ...{ apply, begin, beginFinish, step, mayDispatch, isApplied },
  leaseFrom: (sentAt) => sentAt,
  replayed: (entries) => entries,
}
