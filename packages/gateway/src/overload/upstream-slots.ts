// Where every upstream of a model has as many calls as it may have, a request waits for one of them to end: for about half a
// second, before any money is held. Retries do not wait: theirs is held already. Accounts that have the fewest calls there come
// first (http/fair-queue.ts), and the requests of one account in the order of coming.

import type { Client } from '@trivium/http/request.ts'
import { FairQueue, type Head, type Holder } from './fair-queue.ts'
import { mostPerAccount } from './fair-share.ts'

export type UpstreamSlots = {
  /**
   * Whether a request of the account has to wait behind others for this model: of the same account, or of any that may go now.
   * A model is its entry in the configuration, not its id: whoever comes after a change may have room where those who came
   * before it know of none.
   */
  hasQueue(model: unknown, account: bigint): boolean
  /** true: try again, there is room. false: not in time, too many wait already, or the client has left. */
  wait(model: unknown, waiter: SlotWaiter): Promise<boolean>
  /** A call has ended somewhere. */
  freed(): void
  /** A few times a second: who has waited too long is sent home; who cooled may be asked again. */
  tick(now: number): void
  close(): void
}

export type SlotWaiter = {
  /** Since when it has waited in all. */
  since: number
  client: Client
  /** Its account, and how many calls that has where it waits for room. */
  holder: Holder
  /** Whether any upstream has room for its account, whether it can be asked or not. Asked often, so it must be cheap. */
  hasRoom(): boolean
  /** Whether there is room now. */
  isAvailable(): boolean
}

const PATIENCE_MS = 500
/** For one model; their bodies are in memory, and weighed by the admission. */
const MOST_IN_LINE = 256

const mayGo = (waiter: SlotWaiter): boolean => waiter.hasRoom()

export function createUpstreamSlots(): UpstreamSlots {
  const queues = new Map<unknown, FairQueue<SlotWaiter>>()
  let mostInLine = MOST_IN_LINE

  /** Of those who are next in their queues and have room, the one who came first. */
  function callOne(): boolean {
    let first: { queue: FairQueue<SlotWaiter>; head: Head<SlotWaiter> } | undefined
    for (const queue of queues.values()) {
      const head = queue.next(mayGo)
      if (!head || (first && head.since >= first.head.since)) continue
      if (head.about.isAvailable()) first = { queue, head }
    }
    first?.queue.callFirst(first.head.holder.account)
    return first !== undefined
  }

  function expire(since: number): void {
    for (const queue of queues.values()) queue.expire(since)
  }

  return {
    hasQueue(model, account) {
      const queue = queues.size > 0 ? queues.get(model) : undefined
      return queue !== undefined && (queue.lengthOf(account) > 0 || queue.next(mayGo) !== undefined)
    },
    async wait(model, waiter) {
      const { client, holder, since } = waiter
      const queue = queues.get(model) ?? new FairQueue<SlotWaiter>()
      const isOwnFull = queue.lengthOf(holder.account) >= mostPerAccount(mostInLine)
      if (client.isDisconnected || queue.length >= mostInLine || isOwnFull) return false
      queues.set(model, queue)
      const isTheirTurn = await new Promise<boolean>((called) => {
        queue.join(holder, waiter, since, client, called)
      })
      if (queue.length === 0 && queues.get(model) === queue) queues.delete(model)
      // Where a pause has ended there is room for more than one, and no end of a call would tell the others. Not before this one
      // has taken its place.
      if (isTheirTurn && queues.size > 0) setImmediate(callOne)
      return isTheirTurn
    },
    freed() {
      // Not at once: what ends a call gives back its places at the upstream and at the key one after the other, and a retry takes
      // its own again before anybody else may have it.
      if (queues.size > 0) queueMicrotask(callOne)
    },
    tick(now) {
      if (queues.size === 0) return
      expire(now - PATIENCE_MS)
      callOne()
    },
    close() {
      mostInLine = 0
      expire(Number.POSITIVE_INFINITY)
    },
  }
}
