// Requests that were rejected before a hold: counted by key, code and minute, never part of the usage.

/** `minute`: its beginning, in milliseconds since 1970. `lastRequest` and `reason` are those of the last one. */
export type RejectedRequests = {
  account: bigint
  key: bigint
  code: string
  minute: number
  count: number
  lastRequest: string
  reason: string
}

export type RejectionFilter = { key?: bigint; from?: number; to?: number }

export interface Rejections {
  /** Adds to the counts of the same key, code and minute. */
  add(rows: readonly RejectedRequests[]): Promise<void>
  /** Newest first. */
  list(account: bigint, filter: RejectionFilter, limit: number): Promise<RejectedRequests[]>
  /** Removes rows of minutes before `before`, and the oldest beyond so many of an account and in all. Resolves with their number. */
  sweep(before: number, mostPerAccount: number, mostInAll: number): Promise<number>
}
