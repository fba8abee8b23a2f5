// Those who wait for a place, in the order in which they came. A line costs nothing until somebody stands in it.
import type { Client } from './request.ts'

type Waiting<T> = { about: T; since: number; client: Client; called(inTime: boolean): void }

export class Line<T> {
  /** A set keeps the order, and gives up anybody in it at once. */
  readonly #waiting = new Set<Waiting<T>>()
  /** Told of everybody who leaves the line, for whatever reason. */
  readonly #onGone: (about: T) => void

  constructor(onGone: (about: T) => void = () => {}) {
    this.#onGone = onGone
  }

  get length(): number {
    return this.#waiting.size
  }

  /** What was said about the one whose turn it is. */
  get first(): T | undefined {
    return this.#head()?.about
  }

  get firstSince(): number | undefined {
    return this.#head()?.since
  }

  /** `client` has not left yet. true: it is your turn. false: it took too long, you left, or the line was sent home. */
  join(about: T, since: number, client: Client): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting<T> = { about, since, client, called: resolve }
      this.#enter(waiting)
      client.onGone = () => this.#call(waiting, false)
    })
  }

  callFirst(): void {
    const head = this.#head()
    if (head) this.#call(head, true)
  }

  /** Sends those home who have waited since then, or longer. */
  expire(since: number): void {
    for (const waiting of this.#waiting) if (waiting.since <= since) this.#call(waiting, false)
  }

  /** Who was called too early, and comes back, has his place in front of those who came after him. */
  #enter(waiting: Waiting<T>): void {
    const later = waiting.since < (this.firstSince ?? 0) ? [...this.#waiting] : []
    if (later.length > 0) this.#waiting.clear()
    this.#waiting.add(waiting)
    for (const each of later) this.#waiting.add(each)
  }

  #head(): Waiting<T> | undefined {
    return this.#waiting.values().next().value
  }

  #call(waiting: Waiting<T>, inTime: boolean): void {
    if (!this.#waiting.delete(waiting)) return
    waiting.client.onGone = undefined
    this.#onGone(waiting.about)
    waiting.called(inTime)
  }
}
