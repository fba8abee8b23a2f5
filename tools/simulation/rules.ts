// The machines under test, as a table: the simulation runs the real ones, and its own test runs broken ones.
import { apply, HELD, type RequestRow } from '../../packages/gateway/src/money/ledger.ts'
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
  /** Whether the lease of a task is removed once it has expired; undefined: nothing was held for the task. */
  removesLease: (request: RequestRow | undefined) => boolean
}

export const RULES: Rules = {
  apply,
  begin,
  beginFinish,
  step,
  mayDispatch,
  isApplied,
  leaseFrom: (sentAt) => sentAt,
  replayed: (entries) => entries,
  removesLease: (request) => request?.state !== HELD,
}
