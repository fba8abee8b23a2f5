// What went through the gateway lately, over all accounts, for the operators' overview. Sums that charges keep, except for parts of an hour,
// which are counted from the requests themselves.
import type { Nanos } from '../../money/amount.ts'
import type { ReportRange } from './reports.ts'

/** Sums over the time that begins at `at`. `outcome`: `running` for requests that have not ended. */
export type TrafficSums = {
  at: number
  model: string
  upstream: string
  outcome: string
  requests: number
  charged: Nanos
  /** What is known of it. */
  upstreamCost: Nanos
  /** How many requests have a cost that is not known. */
  unknownCosts: number
}

export type AccountSums = { account: bigint; requests: number; charged: Nanos }

/** Where the sums of a range come from: the requests themselves, or the sums of hours or days, of which the range consists. */
export type TrafficSource = 'requests' | 'hours' | 'days'

export interface Traffic {
  /** By hour, from the sums of hours. */
  hours(range: ReportRange): Promise<TrafficSums[]>
  /** By steps of `stepMs`, from the requests that began in the range, which should be short. */
  requests(range: ReportRange, stepMs: number): Promise<TrafficSums[]>
  /** Requests that were rejected before a hold, by the beginning of the step. */
  rejected(range: ReportRange, stepMs: number): Promise<ReadonlyMap<number, number>>
  /** Those that spent most first. */
  topAccounts(range: ReportRange, source: TrafficSource, limit: number): Promise<AccountSums[]>
  /** Times to the first token of all models in the hours of the range, as a histogram (observe/latency-buckets.ts). */
  firstTokens(range: ReportRange): Promise<{ bucket: number; count: number }[]>
}
