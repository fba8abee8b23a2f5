// How many idempotency keys are stored. Each is a row until `retention.idempotency` has passed, whatever its request costs, so nothing else
// keeps an account from filling the database with keys of free or failing requests. Each process counts the keys that it claimed.

import { Failure } from '../request/failure.ts'

/** Ten keys a second for a day. A row takes about 250 bytes. */
export const MOST_CLAIMS = { account: 1_000_000, all: 10_000_000 }

export type ClaimLimit = {
  /** What the request gets that would claim one key more; undefined: it may. `keepMs`: how long a key is stored. */
  rejection(account: bigint, keepMs: number): Failure | undefined
  /** A key was claimed. */
  count(account: bigint): void
}

/** Counts of two periods of `keepMs`: no key that is still stored is older, and few that have expired are counted. */
export function createClaimLimit(clock: () => number, most = MOST_CLAIMS): ClaimLimit {
  let current = new Claims()
  let previous = new Claims()
  let since = clock()

  function waitAfterTurn(keepMs: number): number {
    const passed = clock() - since
    if (passed >= keepMs) {
      previous = passed >= 2 * keepMs ? new Claims() : current
      current = new Claims()
      since = clock()
    }
    return Math.ceil((keepMs - (clock() - since)) / 1_000)
  }

  return {
    rejection(account, keepMs) {
      const retryAfter = waitAfterTurn(keepMs)
      if (current.of(account) + previous.of(account) >= most.account) {
        const message = `This account has stored ${most.account} idempotency keys, the most that are kept. Send new requests without Idempotency-Key until some have expired.`
        return new Failure('rate_limit_exceeded', message, { param: 'Idempotency-Key', retryAfter })
      }
      if (current.total + previous.total < most.all) return undefined
      const message =
        'The gateway can store no more idempotency keys for now. Send the request without Idempotency-Key.'
      return new Failure('service_unavailable', message, { param: 'Idempotency-Key', retryAfter })
    },
    count: (account) => current.add(account),
  }
}

class Claims {
  readonly #byAccount = new Map<bigint, number>()
  total = 0

  of(account: bigint): number {
    return this.#byAccount.get(account) ?? 0
  }

  add(account: bigint): void {
    this.#byAccount.set(account, this.of(account) + 1)
    this.total++
  }
}
