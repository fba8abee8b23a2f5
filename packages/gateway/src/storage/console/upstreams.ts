// What operators did with upstreams: their switches, and what tests of them cost; and how calls of them ended.
import type { Nanos } from '../../money/amount.ts'
import type { UpstreamCount } from '../../observe/metrics/upstream-measures.ts'

/** Neither a draining nor a disabled upstream gets new requests; running ones, and tasks, go on. */
export const SWITCH_STATES = ['enabled', 'draining', 'disabled'] as const
export type SwitchState = (typeof SWITCH_STATES)[number]

export type UpstreamSwitch = {
  upstream: string
  state: SwitchState
  /** Since when, by the store's clock, by whom and why. */
  at: number
  actor: string
  reason: string
  /** Grows with each reset. */
  resets: number
}

export interface Upstreams {
  /** Upstreams without a row are enabled. */
  switches(): Promise<UpstreamSwitch[]>
  setSwitch(change: Omit<UpstreamSwitch, 'at' | 'resets'>): Promise<void>
  /** Every node forgets the circuit breaker and the cool-downs of the upstream's keys. */
  reset(upstream: string): Promise<void>
  /** What a test cost, on nobody's balance: from the ledger account TESTS. `amount` is above 0. */
  bookTest(amount: Nanos, reason: string): Promise<void>
  /** Adds to the histograms of this hour. */
  addCounts(counts: readonly UpstreamCount[]): Promise<void>
  /** The histograms of the hours since that of `from`, of all nodes. `upstream`: only of this one. */
  counts(from: number, upstream?: string): Promise<(UpstreamCount & { hour: number })[]>
  sweepCounts(before: number): Promise<number>
}
