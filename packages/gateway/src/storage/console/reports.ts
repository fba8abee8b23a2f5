// Sums over all accounts, for operators: from the sums that are written with each charge, never from requests.
import type { Nanos } from '../../money/amount.ts'

/** In the order in which groups are sorted. A key has one account, so that the account changes nothing beside the key. */
export const USAGE_DIMENSIONS = [
  ...(['key', 'account', 'person', 'model', 'upstream', 'outcome', 'day', 'week', 'month', 'hour'] as const),
] as const
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

/** The id of an account, a key or the person who made the key (0: an operator did), the name of a model, an upstream or an outcome, the beginning of a day, a week (on Monday), a month or an hour. */
export type UsageGroup = Partial<Record<UsageDimension, bigint | string | number>>
/** `person`: only what keys cost that this person made. */
export type UsageFilter = {
  key?: bigint
  account?: bigint
  person?: bigint
  model?: string
  upstream?: string
  outcome?: string
}

/**
 * Sums by tag, or by end user: of whole days, by one of the two at a time. A request counts for each of its tags, so that sums of tags do
 * not add up to those of the account. Grouped by `value` and by up to all of these. The value '' has what came after the 10,000 values of an
 * account and a day.
 */
export const ATTRIBUTED_DIMENSIONS = [
  ...(['value', 'account', 'key', 'person', 'model', 'upstream', 'outcome', 'day', 'week', 'month'] as const),
] as const
export type AttributedDimension = (typeof ATTRIBUTED_DIMENSIONS)[number]
export type AttributedGroup = Partial<Record<AttributedDimension, bigint | string | number>>
/** `value`: one tag or end user. `tagName`: tags of this name, and what is not told apart. */
export type AttributedFilter = UsageFilter & { value?: string; tagName?: string }
export type AttributedSums = Omit<UsageSums, 'group' | 'shortfall'> & { group: AttributedGroup; lastAt: number }
export type AttributedSort = {
  by: 'value' | Exclude<(typeof USAGE_SORTS)[number], 'shortfall'>
  descends: boolean
}

export type UsageSums = {
  group: UsageGroup
  requests: number
  tokens: number
  charged: Nanos
  /** What is known of it. */
  upstreamCost: Nanos
  /** How many requests have a cost that is not known. */
  unknownCosts: number
  /** What requests cost beyond their wallets, and was not charged. */
  shortfall: Nanos
}

/** What one session of an account used, of its newest requests. `isAll`: there are no others. */
export type SessionSums = {
  requests: number
  /** How many of them have not ended: they count nothing else yet. */
  running: number
  tokens: number
  charged: Nanos
  /** As clients know them; undefined: there is no request. */
  first: bigint | undefined
  last: bigint | undefined
  isAll: boolean
}

/** What groups can be sorted by. `margin`: what was charged less what is known of the upstream cost. */
export const USAGE_SORTS = [
  ...(['charged', 'upstream_cost', 'margin', 'requests', 'tokens', 'unknown_costs', 'shortfall'] as const),
] as const
export type UsageSort = { by: (typeof USAGE_SORTS)[number]; descends: boolean }

/** From `from` until before `to`, both the beginnings of hours. */
export type ReportRange = { from: number; to: number }

/** The outcomes of requests whose client got a response of the model. */
export const DELIVERED_OUTCOMES = ['completed', 'incomplete', 'content_filtered', 'stopped_by_balance'] as const

/** The outcomes of requests that placed a hold and gave their client no answer, except those that the client ended. */
export const FAILED_OUTCOMES = ['failed', 'cut', 'timeout', 'shutdown', 'expired', 'reaped'] as const
/** In the place of an outcome: all that failed. */
export const ALL_ERRORS = 'errors'

export type ReportedFailures = {
  /** The error code: on the receipts, or of requests that were rejected before a hold. Of receipts without one, the outcome. */
  code: string
  /** Only receipts have one. */
  outcome: string | undefined
  /** Only receipts have one. */
  model: string | undefined
  upstream: string | undefined
  count: number
  /** As clients know it. */
  lastRequest: string
}
