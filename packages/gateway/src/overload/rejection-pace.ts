// A rejection costs little, but a client that repeats its request as soon as it is rejected has thousands of them in a second, and they
// take the main thread from others. So each account has a rate of rejections at which they are sent at once; the next ones wait.

import type { ErrorCode } from '@trivium/protocol/canonical/error.ts'

export type RejectionPace = {
  /** Milliseconds that a rejection of this account is held back: 0 for all but those who repeat them. */
  delayOf(account: bigint): number
}

/** What a client gets again if it repeats the same request. */
export const PACED: ReadonlySet<string> = new Set<ErrorCode>([
  'rate_limit_exceeded',
  'request_too_large',
  'insufficient_balance',
  'key_quota_exceeded',
  'account_quota_exceeded',
])

const PER_SECOND = 100
const BURST = 100
const LONGEST_DELAY_MS = 1_000
/** Accounts that are remembered; of more, those that were rejected longest ago are forgotten. */
const MOST = 10_000

/** `clock`: monotonic milliseconds. */
export function createRejectionPace(clock: () => number = () => performance.now()): RejectionPace {
  /** When the rejections that were sent would have been sent, one after the other at this rate. */
  const sentBy = new Map<bigint, number>()
  return {
    delayOf(account) {
      const now = clock()
      const next = Math.max(now, sentBy.get(account) ?? now) + 1_000 / PER_SECOND
      const delay = Math.max(0, next - now - (BURST * 1_000) / PER_SECOND)
      sentBy.delete(account)
      if (sentBy.size >= MOST) sentBy.delete(sentBy.keys().next().value ?? account)
      sentBy.set(account, Math.min(next, now + (BURST * 1_000) / PER_SECOND + LONGEST_DELAY_MS))
      return Math.min(delay, LONGEST_DELAY_MS)
    },
  }
}
