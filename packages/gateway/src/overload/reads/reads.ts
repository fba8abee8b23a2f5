// Every request that only reads goes through here, before anything is asked of the store for it: a limit per minute, then a slot.
// routes.ts and http-api/dispatch.ts bind it to all of their GET routes.

import type { HttpRequest } from '@trivium/http/request.ts'
import { createPacedQueue } from '@trivium/http/server/paced-queue.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import type { RequestRecord } from '../../observe/request-record.ts'
import { Failure } from '../../request/failure.ts'
import { createFreeCallLimit, freeCallFailure } from '../free-call-limit.ts'
import { OVERLOADED } from '../load-shedding.ts'
import type { ThreadTime } from '../thread-time.ts'
import type { ReadSlot, ReadSlots } from './read-slots.ts'

/** Per account and process, of all its keys and browsers together. Clients that poll a hundred videos every few seconds stay below it. */
export const MOST_READS_PER_MINUTE = 3_000
const RETRY_SECONDS = 1
/** A client that is rejected at once may retry at once. */
const REJECTIONS = { perSecond: 500, maxDelayMs: RETRY_SECONDS * 1_000 }

export type ReadingRequest = { http: HttpRequest; record: Pick<RequestRecord, 'queuedMs' | 'isShed'> }

export type Reads = {
  /**
   * Runs `work` in a slot of the account. Throws Failure: 429 if the account has reached its limit or its queue is full, 503 if the
   * CPU is saturated. The slot is released when `work` has ended: what it returns must not read any more.
   */
  run<T>(account: bigint, request: ReadingRequest, work: () => T | Promise<T>): Promise<T>
  /**
   * The next part of a response that has begun, such as a page of a file: in a slot again, but neither counted nor rejected.
   * undefined: the client disconnected.
   */
  resume<T>(account: bigint, http: HttpRequest, work: () => T | Promise<T>): Promise<T | undefined>
}

export function createReads({
  slots,
  clock,
  admission,
}: {
  slots: ReadSlots
  /** Milliseconds since 1970. */
  clock(): number
  /** `rejected` counts requests that were shed. */
  admission: { readonly isSaturated: boolean; rejected: number; threadTime: Pick<ThreadTime, 'turn' | 'run'> }
}): Reads {
  const rate = createFreeCallLimit(clock, { perMinute: () => MOST_READS_PER_MINUTE })
  const paced = createPacedQueue(REJECTIONS)
  const rejectLater = (failure: Failure): Promise<never> =>
    new Promise((_, reject) => paced({ proceed: () => reject(failure) }))

  async function inSlot<T>(account: bigint, slot: ReadSlot, work: () => T | Promise<T>): Promise<T> {
    try {
      return await admission.threadTime.run(account, work)
    } finally {
      slot.release()
    }
  }

  return {
    async run(account, { http, record }, work) {
      if (admission.isSaturated) {
        admission.rejected++
        record.isShed = true
        const { code, message, retryAfter } = OVERLOADED
        await rejectLater(new Failure(code, message, { retryAfter }))
      }
      // One window for all keys of the account: limits of a key are for what it pays.
      const limited = rate.take({ account, key: account, limits: NO_LIMITS, accountLimits: NO_LIMITS })
      if (limited) await rejectLater(freeCallFailure(limited, 'reads', clock()))
      const since = performance.now()
      const turn = admission.threadTime.turn(account, 0, http)
      if (turn) await turn
      const slot = await slots.enter(account, http)
      record.queuedMs += performance.now() - since
      return slot ? inSlot(account, slot, work) : rejectLater(queueFull())
    },
    async resume(account, http, work) {
      while (!http.isDisconnected) {
        const slot = admission.isSaturated ? undefined : await slots.enter(account, http)
        if (slot) return inSlot(account, slot, work)
        await Bun.sleep(RETRY_SECONDS * 1_000)
      }
      return undefined
    },
  }
}

const queueFull = (): Failure =>
  new Failure('rate_limit_exceeded', 'Too many reads of this account are in progress. Retry in 1 second.', {
    retryAfter: RETRY_SECONDS,
  })
