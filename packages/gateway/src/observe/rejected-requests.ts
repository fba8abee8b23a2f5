// Counts requests that were rejected before a hold, by key, code and minute, until a job stores the counts. Bounded per account and in all.
import type { RequestObserver } from './request-observer.ts'
import type { RequestRecord } from './request-record.ts'

export type Counted = {
  account: bigint
  key: bigint
  code: string
  minute: number
  count: number
  lastRequest: string
  reason: string
}

export type RejectedRequestCounts = RequestObserver & {
  /** What was counted since the last call. */
  take(): Counted[]
}

const MINUTE_MS = 60_000
/** Rows between two calls of `take`. What does not fit is counted in one row of its account, and then not at all. */
const MOST_PER_ACCOUNT = 50
const MOST = 2_000
/** The code of what does not fit, under the key of the first such request. */
const OTHERS = 'others'

export function countRejectedRequests(clock: () => number): RejectedRequestCounts {
  let rows = new Map<string, Counted>()
  let perAccount = new Map<bigint, number>()

  function add(account: bigint, key: bigint, code: string, record: RequestRecord): boolean {
    const minute = clock() - (clock() % MINUTE_MS)
    const name = code === OTHERS ? `${account} ${OTHERS}` : `${account} ${key} ${code} ${minute}`
    const known = rows.get(name)
    const { id: lastRequest, reason = '' } = record
    if (known) {
      known.count += 1
      known.lastRequest = lastRequest
      known.reason = reason
      return true
    }
    const mine = perAccount.get(account) ?? 0
    if (rows.size >= MOST || mine >= MOST_PER_ACCOUNT + (code === OTHERS ? 1 : 0)) return false
    perAccount.set(account, mine + 1)
    rows.set(name, { account, key, code, minute, count: 1, lastRequest, reason })
    return true
  }

  return {
    ended(record) {
      const { account, key, error, outcome } = record
      // A request with an outcome had a hold, and a receipt says what became of it.
      if (error === undefined || outcome !== undefined || account === undefined || key === undefined) return
      if (!add(account, key, error, record)) add(account, key, OTHERS, record)
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
