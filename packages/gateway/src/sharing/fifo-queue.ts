// A FIFO queue of requests whose clients may disconnect. An empty queue costs nothing.
import type { Client } from '@trivium/http/request.ts'

/** A linked list: a Set keeps the order, too, but visits all deleted entries to find the first. */
type Entry<T> = {
  item: T
  since: number
  client: Client
  done(inTime: boolean): void
  previous: Entry<T> | undefined
  next: Entry<T> | undefined
}

export class FifoQueue<T> {
  #first: Entry<T> | undefined
  #last: Entry<T> | undefined
  #length = 0
  readonly #onRemoved: (item: T) => void

  /** `onRemoved` is called for every item that leaves the queue, for whatever reason. */
  constructor(onRemoved: (item: T) => void = () => {}) {
    this.#onRemoved = onRemoved
  }

  get length(): number {
    return this.#length
  }

  get first(): T | undefined {
    return this.#first?.item
  }

  get firstSince(): number | undefined {
    return this.#first?.since
  }

  /** `client` is connected. `done` gets true: served; false: expired, or the client disconnected. */
  enqueue(item: T, since: number, client: Client, done: (inTime: boolean) => void): void {
    const entry: Entry<T> = { item, since, client, done, previous: undefined, next: undefined }
    this.#insert(entry)
    client.onDisconnect = () => this.#remove(entry, false)
  }

  releaseFirst(): void {
    if (this.#first) this.#remove(this.#first, true)
  }

  /** Removes the entries that have been queued since then, or longer. */
  expire(since: number): void {
    while (this.#first && this.#first.since <= since) this.#remove(this.#first, false)
  }

  /** By arrival: a request that was released too early and is queued again comes before those that arrived later. */
  #insert(entry: Entry<T>): void {
    let previous = this.#last
    while (previous && previous.since > entry.since) previous = previous.previous
    const next = previous ? previous.next : this.#first
    entry.previous = previous
    entry.next = next
    if (previous) previous.next = entry
    else this.#first = entry
    if (next) next.previous = entry
    else this.#last = entry
    this.#length++
  }

  #remove(entry: Entry<T>, inTime: boolean): void {
    const { previous, next } = entry
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
    this.#length--
    entry.client.onDisconnect = undefined
    this.#onRemoved(entry.item)
    entry.done(inTime)
  }
}
