// Counts requests that were rejected before a hold, by key, code and minute, until a job stores the counts. Bounded per account and in all.
import type { RequestObserver } from './request-observer.ts'
import type { RequestRecord } from './request-record.ts'

/** `minute`: its beginning, in milliseconds since 1970. `lastRequest` and `reason` are those of the last request. */
export type RejectedCount = {
  /** 0 beside the code `other`: several accounts. */
  account: bigint
  /** 0 beside the code `other`: several keys. */
  key: bigint
  code: string
  minute: number
  count: number
  lastRequest: string
  reason: string
}

export type RejectedRequestCounts = RequestObserver & {
  /** What was counted since the last call. */
  take(): RejectedCount[]
}

const MINUTE_MS = 60_000
/** Rows between two calls of `take`. What does not fit is counted as `other`: in a row of its account, or in one of all accounts. */
const MOST_PER_ACCOUNT = 50
const MOST = 2_000
const OTHER = 'other'

export function countRejectedRequests(clock: () => number): RejectedRequestCounts {
  let rows = new Map<string, RejectedCount>()
  let perAccount = new Map<bigint, number>()

  function rowFor(account: bigint, key: bigint, code: string, minute: number): RejectedCount {
    const name = `${account} ${key} ${code} ${minute}`
    const known = rows.get(name)
    if (known) return known
    const mine = perAccount.get(account) ?? 0
    // A row of all accounts always fits, so that nothing is lost.
    const mayAdd = account === 0n || (rows.size < MOST && (key === 0n || mine < MOST_PER_ACCOUNT))
    if (!mayAdd) return rowFor(key === 0n ? 0n : account, 0n, OTHER, minute)
    perAccount.set(account, mine + 1)
    const row = { account, key, code, minute, count: 0, lastRequest: '', reason: '' }
    rows.set(name, row)
    return row
  }

  return {
    ended(record: RequestRecord) {
      const { account, key, error, outcome, id, reason = '' } = record
      // A request with an outcome had a hold, and a receipt says what became of it. One without a key is nobody's.
      if (error === undefined || outcome !== undefined || account === undefined || key === undefined) return
      const now = clock()
      const row = rowFor(account, key, error, now - (now % MINUTE_MS))
      row.count += 1
      row.lastRequest = id
      row.reason = reason
    },
    shed() {},
    malformed() {},
    take() {
      const taken = [...rows.values()]
      rows = new Map()
      perAccount = new Map()
      return taken
    },
  }
}
