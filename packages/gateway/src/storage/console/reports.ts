// Sums over all accounts, for operators: from the sums that are written with each charge, never from requests.
import type { Nanos } from '../../money/amount.ts'

export const REPORTED_BY = ['account', 'key', 'model', 'upstream', 'day'] as const
export type ReportedBy = (typeof REPORTED_BY)[number]

export type ReportedSpending = {
  /** The id of an account or a key, the name of a model or an upstream, or the beginning of a day. */
  of: string
  /** Of an account or a key. */
  name: string | undefined
  /** Of a key. */
  account: bigint | undefined
  requests: number
  tokens: number
  charged: Nanos
  /** What is known of it. */
  upstreamCost: Nanos
  /** How many requests have a cost that is not known. */
  unknownCosts: number
}

/** From `from` until before `to`, both the beginnings of hours. */
export type ReportRange = { from: number; to: number }

/** The outcomes of requests that placed a hold and gave their client no answer, except those that the client ended. */
export const FAILED_OUTCOMES = ['failed', 'cut', 'timeout', 'shutdown', 'expired', 'reaped'] as const

export type ReportedFailures = {
  /** The error code: on the receipts, or of requests that were rejected before a hold. Of receipts without one, the outcome. */
  code: string
  /** Of receipts only. */
  outcome: string | undefined
  /** Of receipts only. */
  model: string | undefined
  upstream: string | undefined
  count: number
  /** As clients know it. */
  lastRequest: string
}

export interface Reports {
  /** In the order of `of`, after `after`. */
  spending(by: ReportedBy, range: ReportRange, limit: number, after?: string): Promise<ReportedSpending[]>
  /** The most frequent first. Receipts count by the begin of their request. */
  failures(range: ReportRange, limit: number): Promise<ReportedFailures[]>
}
