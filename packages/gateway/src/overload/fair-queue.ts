// Requests that wait, by account: the account that holds the fewest is served next, and each account's requests in the order of
// their arrival. It costs nothing while nothing waits. Choosing looks at every account that waits, and the queue is short.

import type { Client } from '@trivium/http/request.ts'
import { FifoQueue } from './queue.ts'

/** An account, and what it holds at any moment of what it waits for. */
export type Holder = { readonly account: bigint; readonly slots: number }

/** The first request of an account in the queue. */
export type Head<T> = { holder: Holder; about: T; since: number }

type Queued<T> = { holder: Holder; line: FifoQueue<T>; weight: number }

export class FairQueue<T> {
  readonly #accounts = new Map<bigint, Queued<T>>()
  readonly #weigh: (about: T) => number
  #length = 0
  #weight = 0

  constructor(weigh: (about: T) => number = () => 0) {
    this.#weigh = weigh
  }

  get length(): number {
    return this.#length
  }

  /** Of all that wait. */
  get weight(): number {
    return this.#weight
  }

  lengthOf(account: bigint): number {
    return this.#accounts.get(account)?.line.length ?? 0
  }

  weightOf(account: bigint): number {
    return this.#accounts.get(account)?.weight ?? 0
  }

  /** `client` is connected. Called with true: served; false: it took too long, the client disconnected, or the queue is closed. */
  join(holder: Holder, about: T, since: number, client: Client, called: (inTime: boolean) => void): void {
    const queued = this.#queueOf(holder)
    const weight = this.#weigh(about)
    queued.weight += weight
    this.#weight += weight
    this.#length++
    queued.line.join(about, since, client, called)
  }

  /**
   * Of the accounts whose first request may go, the one that holds the fewest; of several, the one whose request came first.
   * undefined: none may go.
   */
  next(mayGo: (about: T) => boolean): Head<T> | undefined {
    let found: Head<T> | undefined
    for (const { holder, line } of this.#accounts.values()) {
      const { first: about, firstSince: since } = line
      if (about === undefined || since === undefined) continue
      const difference = found ? holder.slots - found.holder.slots || since - found.since : -1
      if (difference < 0 && mayGo(about)) found = { holder, about, since }
    }
    return found
  }

  /** Serves the first request of the account. */
  callFirst(account: bigint): void {
    this.#accounts.get(account)?.line.callFirst()
  }

  /** Sends away the requests that have waited since then, or longer. */
  expire(since: number): void {
    for (const { line } of this.#accounts.values()) line.expire(since)
  }

  #queueOf(holder: Holder): Queued<T> {
    const known = this.#accounts.get(holder.account)
    if (known) return known
    const line = new FifoQueue<T>((about) => this.#left(queued, about))
    const queued: Queued<T> = { holder, line, weight: 0 }
    this.#accounts.set(holder.account, queued)
    return queued
  }

  #left(queued: Queued<T>, about: T): void {
    const weight = this.#weigh(about)
    queued.weight -= weight
    this.#weight -= weight
    this.#length--
    if (queued.line.length === 0) this.#accounts.delete(queued.holder.account)
  }
}
