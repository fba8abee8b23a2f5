// Limits of DELETE. It costs nothing, and that of a queued task asks the upstream twice: so an account has a number per minute, and
// few that wait for an upstream at the same time.

import { Failure } from '../../access/failure.ts'
import { createFreeCallLimit, freeCallFailure } from '../../overload/free-call-limit.ts'
import type { Caller } from '../../storage/storage.ts'
import { createSharedSlots } from './shared-slots.ts'

export type TaskDeletes = {
  /** Counts a request. Throws Failure if the key or the account has had enough of them. */
  count(caller: Caller): void
  /** A slot for the calls to the upstream, and the function that releases it. Throws Failure if there is none. */
  enter(account: bigint, upstream: string): () => void
}

/** Of an account without a limit of requests. */
export const MOST_DELETES_PER_MINUTE = 300
/** Of an account at one upstream: half of the latter. */
const MOST_AT_ONCE = 32
const MOST_AT_UPSTREAM = 8
const RETRY_SECONDS = 1

export function createTaskDeletes(clock: () => number): TaskDeletes {
  const rate = createFreeCallLimit(clock, { perMinute: MOST_DELETES_PER_MINUTE })
  const slots = createSharedSlots<never>({
    ...{ limit: MOST_AT_ONCE, limitOf: () => MOST_AT_UPSTREAM, mostWaiting: 0, woken: () => {} },
  })
  return {
    count(caller) {
      const rejection = rate.take(caller)
      if (rejection) throw freeCallFailure(rejection, 'deletions', clock())
    },
    enter(account, upstream) {
      const release = slots.take({ account, pools: [upstream] })
      if (release) return release
      const message = 'Too many tasks of this account are being cancelled. Retry in 1 second.'
      throw new Failure('rate_limited', message, { retryAfter: RETRY_SECONDS })
    },
  }
}
