// Counts requests, and those that failed through no fault of the client, of the last minutes.
import type { RequestObserver } from './request-observer.ts'

export type ErrorCounts = RequestObserver & {
  /** Counts the last 5 minutes. `amount`: failed requests. `total`: all that a key was valid for. */
  recent(now: number): { amount: number; total: number }
}

const MINUTE_MS = 60_000
const MINUTES = 5
/** Outcomes of requests that an upstream or the gateway did not complete. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'cut', 'timeout'])

export function countErrors(clock: () => number): ErrorCounts {
  let counts: { minute: number; amount: number; total: number }[] = []
  return {
    ended({ account, status, outcome }) {
      if (account === undefined) return
      const minute = Math.floor(clock() / MINUTE_MS)
      let last = counts.at(-1)
      if (last?.minute !== minute) {
        last = { minute, amount: 0, total: 0 }
        counts = [...counts.slice(1 - MINUTES), last]
      }
      last.total += 1
      // A stream that fails has been answered with 200.
      if (status >= 500 || (status < 400 && FAILED.has(outcome ?? ''))) last.amount += 1
    },
    shed() {},
    malformed() {},
    recent(now) {
      const first = Math.floor(now / MINUTE_MS) - MINUTES + 1
      const recent = counts.filter(({ minute }) => minute >= first)
      const sum = (name: 'amount' | 'total') => recent.reduce((all, count) => all + count[name], 0)
      return { amount: sum('amount'), total: sum('total') }
    },
  }
}
