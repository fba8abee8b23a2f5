// The rate of calls that cost nothing, and so have no hold in which the store could count them: token counts and reads. Each process
// counts by itself, apart from paid requests, under the same limits of key and account.

import { added, usedIn, type Window, waitFor } from '../money/limits.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

/** `limit`: requests per minute. */
export type FreeCallRejection = { of: 'key' | 'account'; limit: number; waitMs: number }

export type FreeCallLimit = {
  /** Counts a call, unless it is rejected. */
  take(caller: FreeCaller): FreeCallRejection | undefined
}

type FreeCaller = Pick<Caller, 'key' | 'account' | 'limits' | 'accountLimits'>

/** For an account without a limit. Agents count once or twice for each request. */
export const MOST_PER_MINUTE = 1_000

/**
 * `clock`: milliseconds. `perMinute`: of an account without a limit. `most`: keys and accounts that are remembered; of more, those
 * that called longest ago are forgotten.
 */
export function createFreeCallLimit(
  clock: () => number,
  { perMinute = MOST_PER_MINUTE, most = 10_000 }: { perMinute?: number; most?: number } = {},
): FreeCallLimit {
  const keys = new Map<bigint, Window>()
  const accounts = new Map<bigint, Window>()

  function note(windows: Map<bigint, Window>, id: bigint, now: number): void {
    const window = added(windows.get(id) ?? [], now, 1)
    windows.delete(id)
    if (windows.size >= most) windows.delete(windows.keys().next().value ?? id)
    windows.set(id, window)
  }

  return {
    take({ key, account, limits, accountLimits }) {
      const now = clock()
      const checks = [
        { of: 'key', window: keys.get(key), limit: limits.requestsPerMinute },
        { of: 'account', window: accounts.get(account), limit: accountLimits.requestsPerMinute ?? perMinute },
      ] as const
      for (const { of, window = [], limit } of checks) {
        if (limit !== undefined && usedIn(window, now) + 1 > limit)
          return { of, limit, waitMs: waitFor(window, now, limit, 1) }
      }
      if (limits.requestsPerMinute !== undefined) note(keys, key, now)
      note(accounts, account, now)
      return undefined
    },
  }
}

/** `what`: the calls, in the plural. */
export function freeCallFailure({ of, limit, waitMs }: FreeCallRejection, what: string, now: number): Failure {
  const retryAfter = Math.ceil(waitMs / 1_000)
  const message = `This ${of} has reached its limit of ${limit} ${what} per minute. There is room again in ${retryAfter} s.`
  const reset = { afterMs: waitMs, at: now + waitMs }
  return new Failure('rate_limit_exceeded', message, {
    retryAfter,
    limit: { of: 'requests', limit, remaining: 0, reset },
  })
}
