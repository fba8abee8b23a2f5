// What an account spends, for the console: sums that are kept as charges happen, lists with filters, and the wallet's history.
import type { Nanos } from '../../money/amount.ts'

/** Sums of one hour (UTC) in which charges were booked, by key and model. Together they equal the account's transfers. */
export type SpendingFilter = {
  /** Milliseconds since 1970; `to` is excluded. */
  from: number
  to: number
  model?: string
  key?: bigint
  /** Only what keys cost that this person made. */
  person?: bigint
  /** One of the two: sums of several tags, or of a tag and an end user together, are not kept. Of whole days. */
  tag?: string
  endUser?: string
  /** By tag: those of this name, and what is not told apart. */
  tagName?: string
}
export type SpendingStep = 'hour' | 'day' | 'month'
/** By tag, a request counts for each of its tags. */
export type SpendingBy = 'model' | 'key' | 'tag' | 'end_user' | 'none'
/** How many models, keys, tags or end users have points of their own: the largest by requests, by tokens and by cost. */
export const MOST_NAMED = 5
/** `at`: the beginning of the step. `name`: the model, the id of the key, the tag or the end user; empty for all others, and without `by` for all. */
export type SpendingPoint = { at: number; name: string; requests: number; tokens: number; cost: Nanos }

/** What requests are for. `endUser`: as it is kept. */
export type AttributionFilter = { tag?: string; endUser?: string; session?: string }

export type RequestFilter = Partial<SpendingFilter> &
  AttributionFilter & {
    /** `running`: those that have not ended. `errors`: all that failed. */
    outcome?: string
    /** Only requests with a lower id. */
    before?: bigint
  }

/** A change of the balance: a transfer that belongs to no request, or all charges of one day. */
export type WalletEntry = {
  /** The id of a transfer. */
  id: bigint | undefined
  kind: 'credit' | 'debit' | 'usage'
  reason: string
  at: number
  /** Negative if it was taken from the wallet. */
  amount: Nanos
  requests: number
  balanceAfter: Nanos
}

/** `at`: its beginning (UTC). */
export type WalletMonth = { at: number; credited: Nanos; spent: Nanos }

/** `name`: the model, the id of the key, the tag or the end user: empty for those after the 10,000 of a day. */
export type SpendingTotal = Omit<SpendingPoint, 'at'>
/** `names`: how many there are, also beyond the rows. `all`: the sums of all of them. */
export type SpendingTotals = { rows: SpendingTotal[]; names: number; all: Omit<SpendingTotal, 'name'> }
