// Requests that were rejected before a hold: counted by key, code and minute, never part of the usage.
import type { RejectedCount } from '../../observe/rejected-requests.ts'

export type { RejectedCount } from '../../observe/rejected-requests.ts'

export type RejectedPlace = Pick<RejectedCount, 'account' | 'key' | 'code' | 'minute'>
/**
 * Times in milliseconds since 1970; `to` is excluded. `before`: only rows that come after this one in the list. `after`: only those that
 * come before it, the nearest ones.
 */
export type RejectedFilter = {
  account?: bigint
  key?: bigint
  code?: string
  /** Only keys that this person made. */
  person?: bigint
  /** The row whose last request it is. */
  lastRequest?: string
  from?: number
  to?: number
  before?: RejectedPlace
  after?: RejectedPlace
}

/** How many rows are kept; of the last minute, a few more may be. */
export type RejectedBounds = { perKey: number; perAccount: number; inAll: number }

export interface RejectedRequests {
  /** Adds to the counts of the same key, code and minute. The oldest rows beyond the bounds are removed in the same transaction. */
  add(rows: readonly RejectedCount[], bounds: RejectedBounds): Promise<void>
  /** Newest first. */
  list(filter: RejectedFilter, limit: number): Promise<RejectedCount[]>
  /** Removes rows of minutes before `before`. */
  sweep(before: number): Promise<void>
}
