// A queue by account: the account that holds the fewest slots is served next, and each account's requests in FIFO order. It
// costs nothing while it is empty. Selection visits every queued account, and the queue is short.

import type { Client } from '@trivium/http/request.ts'
import { FifoQueue } from './fifo-queue.ts'

/** An account and the number of slots that it currently holds. */
export type Holder = { readonly account: bigint; readonly slots: number }

/** The first request of an account. */
export type QueueHead<T> = { holder: Holder; item: T; since: number }

type Queued<T> = { holder: Holder; queue: FifoQueue<T>; weight: number }

export class FairQueue<T> {
  readonly #accounts = new Map<bigint, Queued<T>>()
  readonly #weigh: (item: T) => number
  #length = 0
  #weight = 0

  constructor(weigh: (item: T) => number = () => 0) {
    this.#weigh = weigh
  }

  get length(): number {
    return this.#length
  }

  /** The total weight. */
  get weight(): number {
    return this.#weight
  }

  lengthOf(account: bigint): number {
    return this.#accounts.get(account)?.queue.length ?? 0
  }

  weightOf(account: bigint): number {
    return this.#accounts.get(account)?.weight ?? 0
  }

  /** `client` is connected. `done` gets true: served; false: expired, the client disconnected, or the queue is closed. */
  enqueue(holder: Holder, item: T, since: number, client: Client, done: (inTime: boolean) => void): void {
    const queued = this.#queueOf(holder)
    const weight = this.#weigh(item)
    queued.weight += weight
    this.#weight += weight
    this.#length++
    queued.queue.enqueue(item, since, client, done)
  }

  /**
   * The account that holds the fewest slots, among those whose first request is eligible; on a tie, the one whose request
   * arrived first. undefined: none is eligible.
   */
  next(isEligible: (item: T) => boolean): QueueHead<T> | undefined {
    let found: QueueHead<T> | undefined
    for (const { holder, queue } of this.#accounts.values()) {
      const { first: item, firstSince: since } = queue
      if (item === undefined || since === undefined) continue
      const difference = found ? holder.slots - found.holder.slots || since - found.since : -1
      if (difference < 0 && isEligible(item)) found = { holder, item, since }
    }
    return found
  }

  /** Serves the first request of the account. */
  releaseFirst(account: bigint): void {
    this.#accounts.get(account)?.queue.releaseFirst()
  }

  /** Expires the requests that have been queued since then, or longer. */
  expire(since: number): void {
    for (const { queue } of this.#accounts.values()) queue.expire(since)
  }

  #queueOf(holder: Holder): Queued<T> {
    const known = this.#accounts.get(holder.account)
    if (known) return known
    const queue = new FifoQueue<T>((item) => this.#removed(queued, item))
    const queued: Queued<T> = { holder, queue, weight: 0 }
    this.#accounts.set(holder.account, queued)
    return queued
  }

  #removed(queued: Queued<T>, item: T): void {
    const weight = this.#weigh(item)
    queued.weight -= weight
    this.#weight -= weight
    this.#length--
    if (queued.queue.length === 0) this.#accounts.delete(queued.holder.account)
  }
}
