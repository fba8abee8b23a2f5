// One timer for many calls with the same timeout: nearly all end in time, and a timer for each would cost more than the
// rest of the call.

import { StoreDown } from '../storage.ts'

/** Runs `run` once, later; returns the function that cancels it. */
export type After = (ms: number, run: () => void) => () => void

/** The same answer; without one for `ms`, it rejects with StoreDown. */
export const answerWithin = <T>(ms: number, after: After, answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = after(ms, () => reject(new StoreDown(`no response within ${ms} ms`)))
    answer.then(resolve, reject).finally(cancel)
  })

/** An entry of a linked list: entries have the links, so that one can be removed from the middle. */
export abstract class DeadlineEntry {
  earlier: DeadlineEntry | undefined
  later: DeadlineEntry | undefined
  dueAt = 0
  abstract onTimeout(): void
}

export class Deadlines {
  readonly #ms: number
  readonly #after: After
  readonly #now: () => number
  #first: DeadlineEntry | undefined
  #last: DeadlineEntry | undefined
  #isSet = false

  constructor(ms: number, after: After, now: () => number) {
    this.#ms = ms
    this.#after = after
    this.#now = now
  }

  /** `onTimeout` is called once, unless the entry is removed before. */
  add(item: DeadlineEntry): void {
    item.dueAt = this.#now() + this.#ms
    item.earlier = this.#last
    if (this.#last) this.#last.later = item
    else this.#first = item
    this.#last = item
    if (!this.#isSet) this.#set(this.#ms)
  }

  remove(item: DeadlineEntry): void {
    const { earlier, later } = item
    if (earlier) earlier.later = later
    else this.#first = later
    if (later) later.earlier = earlier
    else this.#last = earlier
    item.earlier = undefined
    item.later = undefined
  }

  #set(ms: number): void {
    this.#isSet = true
    this.#after(ms, () => this.#ring())
  }

  #ring(): void {
    this.#isSet = false
    const now = this.#now()
    for (let first = this.#first; first && first.dueAt <= now; first = this.#first) {
      this.remove(first)
      first.onTimeout()
    }
    if (this.#first && !this.#isSet) this.#set(this.#first.dueAt - now)
  }
}
