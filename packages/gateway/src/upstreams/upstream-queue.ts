// Queues requests while all upstreams of their model are at their concurrency limit: for about half a second, before funds are
// reserved. Retries do not queue: their hold exists already. The account with the fewest calls there is served first
// (fair-queue.ts), and the requests of one account in FIFO order.

import type { Client } from '@trivium/http/request.ts'
import { FairQueue, type Holder, type QueueHead } from '../sharing/fair-queue.ts'
import { mostPerAccount } from '../sharing/fair-share.ts'

export type UpstreamQueue = {
  /**
   * Whether a request of the account must queue behind others for this model: of the same account, or of any that may be served.
   * A model is its entry in the configuration, not its id: after a change of the configuration, new requests may have slots
   * that queued ones do not know of.
   */
  hasQueue(model: unknown, account: bigint): boolean
  /** true: a slot is free, try again. false: the wait timed out, the queue is full, or the client disconnected. */
  wait(model: unknown, waiter: SlotWaiter): Promise<boolean>
  /** Requests in all queues. */
  readonly length: number
  /** A call to some upstream has ended. */
  freed(): void
  /** Called a few times a second: expires queued requests, and serves those whose upstream has cooled down. */
  tick(now: number): void
  close(): void
}

export type SlotWaiter = {
  /** When its first wait began. */
  since: number
  client: Client
  /** Its account, and the calls of that account at the upstreams it waits for. */
  holder: Holder
  /** Whether any upstream has a free slot for its account, healthy or not. Called often: must be cheap. */
  hasRoom(): boolean
  /** Whether a healthy upstream has a free slot now. */
  isAvailable(): boolean
}

const QUEUE_TIMEOUT_MS = 500
/** Per model. Their bodies are in memory, which admission control accounts for. */
const MAX_QUEUED = 256

const isEligible = (waiter: SlotWaiter): boolean => waiter.hasRoom()

export function createUpstreamQueue(): UpstreamQueue {
  const queues = new Map<unknown, FairQueue<SlotWaiter>>()
  let maxQueued = MAX_QUEUED

  /** Serves the request that arrived first, of those that are next in their queues and have a free slot. */
  function releaseOne(): boolean {
    let first: { queue: FairQueue<SlotWaiter>; head: QueueHead<SlotWaiter> } | undefined
    for (const queue of queues.values()) {
      const head = queue.next(isEligible)
      if (!head || (first && head.since >= first.head.since)) continue
      if (head.item.isAvailable()) first = { queue, head }
    }
    first?.queue.releaseFirst(first.head.holder.account)
    return first !== undefined
  }

  function expire(since: number): void {
    for (const queue of queues.values()) queue.expire(since)
  }

  return {
    hasQueue(model, account) {
      const queue = queues.size > 0 ? queues.get(model) : undefined
      return queue !== undefined && (queue.lengthOf(account) > 0 || queue.next(isEligible) !== undefined)
    },
    get length() {
      return queues.values().reduce((sum, { length }) => sum + length, 0)
    },
    async wait(model, waiter) {
      const { client, holder, since } = waiter
      const queue = queues.get(model) ?? new FairQueue<SlotWaiter>()
      const isOwnFull = queue.lengthOf(holder.account) >= mostPerAccount(maxQueued)
      if (client.isDisconnected || queue.length >= maxQueued || isOwnFull) return false
      queues.set(model, queue)
      const isServed = await new Promise<boolean>((done) => {
        queue.enqueue(holder, waiter, since, client, done)
      })
      if (queue.length === 0 && queues.get(model) === queue) queues.delete(model)
      // After a cool-down there are slots for more than one request, and no end of a call would wake the others. Only after this
      // one has taken its slot.
      if (isServed && queues.size > 0) setImmediate(releaseOne)
      return isServed
    },
    freed() {
      // Deferred: the end of a call releases its slots at the upstream and at the key one after the other, and a retry takes its
      // own again before any other request may.
      if (queues.size > 0) queueMicrotask(releaseOne)
    },
    tick(now) {
      if (queues.size === 0) return
      expire(now - QUEUE_TIMEOUT_MS)
      releaseOne()
    },
    close() {
      maxQueued = 0
      expire(Number.POSITIVE_INFINITY)
    },
  }
}
