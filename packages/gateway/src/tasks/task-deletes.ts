// Limits of DELETE. It costs nothing, and that of a queued task asks the upstream twice: so an account has a number per minute, and
// few that wait for an upstream at the same time.

import { createFreeCallLimit, freeCallFailure } from '../overload/free-call-limit.ts'
import { Failure } from '../request/failure.ts'
import { createSharedSlots } from '../sharing/shared-slots.ts'
import type { Caller } from '../storage/storage.ts'
import type { Task } from './task.ts'

export type TaskDeletes = {
  /** Counts a request. Throws Failure if the key or the account has had enough of them. */
  count(caller: Caller): void
  /**
   * Runs `cancel`, which asks the upstream, in a slot; throws Failure if there is none. While a task is being cancelled, further
   * requests for it get the same result.
   */
  run(task: Pick<Task, 'id' | 'account' | 'upstream'>, cancel: () => Promise<boolean>): Promise<boolean>
}

/** For an account without a limit of requests. */
export const MOST_DELETES_PER_MINUTE = 300
/** For one account at one upstream: half of the latter. */
const MOST_AT_ONCE = 32
const MOST_AT_UPSTREAM = 8
const RETRY_SECONDS = 1
const TOO_MANY = 'Too many tasks of this account are being cancelled. Retry in 1 second.'

export function createTaskDeletes(clock: () => number): TaskDeletes {
  const rate = createFreeCallLimit(clock, { perMinute: () => MOST_DELETES_PER_MINUTE })
  const slots = createSharedSlots<never>({
    limit: MOST_AT_ONCE,
    limitOf: () => MOST_AT_UPSTREAM,
    mostWaiting: 0,
    woken: () => {},
  })
  const underWay = new Map<bigint, Promise<boolean>>()
  return {
    count(caller) {
      const rejection = rate.take(caller)
      if (rejection) throw freeCallFailure(rejection, 'deletions', clock())
    },
    async run({ id, account, upstream }, cancel) {
      const known = underWay.get(id)
      if (known) return known
      const release = slots.take({ account, pools: [upstream] })
      if (!release) throw new Failure('rate_limit_exceeded', TOO_MANY, { retryAfter: RETRY_SECONDS })
      const cancelling = cancel().finally(() => {
        underWay.delete(id)
        release()
      })
      underWay.set(id, cancelling)
      return cancelling
    },
  }
}
