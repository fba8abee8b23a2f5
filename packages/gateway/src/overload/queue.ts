// Those who wait for a place, in the order in which they came. A line costs nothing until somebody stands in it.
import type { Client } from '@trivium/http/request.ts'

/**
 * Each knows its neighbours: a Set keeps the order, too, but looks through everybody who has left whenever it is asked who
 * is first.
 */
type Waiting<T> = {
  about: T
  since: number
  client: Client
  called(inTime: boolean): void
  before: Waiting<T> | undefined
  behind: Waiting<T> | undefined
}

export class FifoQueue<T> {
  #first: Waiting<T> | undefined
  #last: Waiting<T> | undefined
  #length = 0
  /** Told of everybody who leaves the line, for whatever reason. */
  readonly #onGone: (about: T) => void

  constructor(onGone: (about: T) => void = () => {}) {
    this.#onGone = onGone
  }

  get length(): number {
    return this.#length
  }

  /** What was said about the one whose turn it is. */
  get first(): T | undefined {
    return this.#first?.about
  }

  get firstSince(): number | undefined {
    return this.#first?.since
  }

  /** `client` has not left yet. Called with true: it is your turn; false: it took too long, you left, or all were sent home. */
  join(about: T, since: number, client: Client, called: (inTime: boolean) => void): void {
    const waiting: Waiting<T> = { about, since, client, called, before: undefined, behind: undefined }
    this.#enter(waiting)
    client.onDisconnect = () => this.#call(waiting, false)
  }

  callFirst(): void {
    if (this.#first) this.#call(this.#first, true)
  }

  /** Sends those home who have waited since then, or longer. */
  expire(since: number): void {
    while (this.#first && this.#first.since <= since) this.#call(this.#first, false)
  }

  /** Who was called too early, and comes back, has his place in front of those who came after him. */
  #enter(waiting: Waiting<T>): void {
    let before = this.#last
    while (before && before.since > waiting.since) before = before.before
    const behind = before ? before.behind : this.#first
    waiting.before = before
    waiting.behind = behind
    if (before) before.behind = waiting
    else this.#first = waiting
    if (behind) behind.before = waiting
    else this.#last = waiting
    this.#length++
  }

  #call(waiting: Waiting<T>, inTime: boolean): void {
    const { before, behind } = waiting
    if (before) before.behind = behind
    else this.#first = behind
    if (behind) behind.before = before
    else this.#last = before
    this.#length--
    waiting.client.onDisconnect = undefined
    this.#onGone(waiting.about)
    waiting.called(inTime)
  }
}
