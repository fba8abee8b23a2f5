// The rate of calls that cost nothing: token counts and reads, which have no hold in which the store could count them, and requests to
// models whose price is 0. Each process counts by itself, apart from paid requests, under the same limits of key and account. Large calls
// are also limited by what they weigh, since no price keeps anybody from sending them.

import { added, usedIn, type Window, waitFor } from '../money/limits.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

/** `limit`: requests per minute, or their weight in MiB. */
export type FreeCallRejection = { of: 'key' | 'account'; unit: 'calls' | 'MiB'; limit: number; waitMs: number }

export type FreeCallLimit = {
  /** Counts a call, unless it is rejected. */
  take(caller: FreeCaller): FreeCallRejection | undefined
  /** The same, without counting one. */
  full(caller: FreeCaller): FreeCallRejection | undefined
  /** Counts what a call turned out to weigh: its bytes, and more for each JSON value. */
  weigh(caller: Pick<Caller, 'account'>, bytes: number): void
}

type FreeCaller = Pick<Caller, 'key' | 'account' | 'limits' | 'accountLimits'>

/** For an account without a limit. Agents count once or twice for each request. */
export const MOST_PER_MINUTE = 1_000

const MIB = 1024 ** 2
/** An account's budget per minute: a dozen of the largest requests. Smaller ones than a unit are limited by their number. */
export const MOST_MIB_PER_MINUTE = 256
const UNIT_BYTES = 64 * 1024
const MOST_UNITS = (MOST_MIB_PER_MINUTE * MIB) / UNIT_BYTES

/**
 * `clock`: milliseconds. `perMinute`: of an account without a limit. `most`: keys and accounts that are remembered; of more, those
 * that called longest ago are forgotten.
 */
export function createFreeCallLimit(
  clock: () => number,
  { perMinute = () => MOST_PER_MINUTE, most = 10_000 }: { perMinute?: () => number; most?: number } = {},
): FreeCallLimit {
  const keys = new Map<bigint, Window>()
  const accounts = new Map<bigint, Window>()
  const weights = new Map<bigint, Window>()

  function note(windows: Map<bigint, Window>, id: bigint, now: number, count = 1): void {
    const window = added(windows.get(id) ?? [], now, count)
    windows.delete(id)
    if (windows.size >= most) windows.delete(windows.keys().next().value ?? id)
    windows.set(id, window)
  }

  function full({ key, account, limits, accountLimits }: FreeCaller, now: number): FreeCallRejection | undefined {
    const [ofKey, ofAccount] = [limits.requestsPerMinute, accountLimits.requestsPerMinute ?? perMinute()]
    return (
      (ofKey === undefined ? undefined : isFull('key', 'calls', keys.get(key), ofKey, now)) ??
      isFull('account', 'calls', accounts.get(account), ofAccount, now) ??
      isFull('account', 'MiB', weights.get(account), MOST_UNITS, now)
    )
  }

  return {
    take(caller) {
      const now = clock()
      const rejection = full(caller, now)
      if (rejection) return rejection
      if (caller.limits.requestsPerMinute !== undefined) note(keys, caller.key, now)
      note(accounts, caller.account, now)
      return undefined
    },
    full: (caller) => full(caller, clock()),
    weigh({ account }, bytes) {
      const units = Math.floor(bytes / UNIT_BYTES)
      if (units > 0) note(weights, account, clock(), units)
    },
  }
}

function isFull(
  of: FreeCallRejection['of'],
  unit: FreeCallRejection['unit'],
  window: Window | undefined,
  limit: number,
  now: number,
): FreeCallRejection | undefined {
  if (window === undefined ? limit > 0 : usedIn(window, now) + 1 <= limit) return undefined
  const shown = unit === 'MiB' ? MOST_MIB_PER_MINUTE : limit
  return { of, unit, limit: shown, waitMs: waitFor(window ?? [], now, limit, 1) }
}

/** `what`: the calls, in the plural. */
export function freeCallFailure({ of, unit, limit, waitMs }: FreeCallRejection, what: string, now: number): Failure {
  const retryAfter = Math.ceil(waitMs / 1_000)
  const most = unit === 'MiB' ? `${limit} MiB of ${what}` : `${limit} ${what}`
  const message = `This ${of} has reached its limit of ${most} per minute. Retry in ${retryAfter} s.`
  if (unit === 'MiB') return new Failure('rate_limit_exceeded', message, { retryAfter })
  const reset = { afterMs: waitMs, at: now + waitMs }
  return new Failure('rate_limit_exceeded', message, {
    retryAfter,
    limit: { of: 'requests', limit, remaining: 0, reset },
  })
}
