// One interval for the timeouts and heartbeats of all streams. A timer per stream, reset at each chunk, would cost more than
// relaying the chunk; storing the time of the last byte costs nothing.

/**
 * An item that a ticker calls. The list is intrusive: adding several entries per request to a Set and deleting them would cost
 * more than the rest of the request's bookkeeping.
 */
export abstract class Ticking {
  previous: Ticking | undefined
  next: Ticking | undefined
  abstract tick(now: number): void
}

export type Ticker = {
  /** A coarse clock in milliseconds, accurate to within one tick. */
  now(): number
  /** Reads the clock and updates `now`: for decisions that must not be a tick too early or too late. */
  exactNow(): number
  /** Time between two ticks, by which `now` may be late. */
  readonly intervalMs: number
  add(item: Ticking): void
  remove(item: Ticking): void
  each(visit: (item: Ticking) => void): void
  /** Runs `run` once, at the first tick after `ms`, and returns a function that cancels it. Far cheaper than a timer. */
  after(ms: number, run: () => void): () => void
  stop(): void
}

class Head extends Ticking {
  tick(): void {}
}

class Alarm extends Ticking {
  readonly at: number
  readonly run: () => void
  readonly ticker: Ticker

  constructor(at: number, run: () => void, ticker: Ticker) {
    super()
    this.at = at
    this.run = run
    this.ticker = ticker
  }

  tick(now: number): void {
    if (now < this.at) return
    this.ticker.remove(this)
    this.run()
  }
}

export type TickerOptions = {
  /** Milliseconds. */
  clock?(): number
  /** Called with the first error of a tick and the number of further ones. Default: the error ends the process. */
  failed?(error: unknown, others: number): void
}

const throwLater = (error: unknown): void =>
  queueMicrotask(() => {
    throw error
  })

export function createTicker(
  intervalMs: number,
  { clock = () => performance.now(), failed = throwLater }: TickerOptions = {},
): Ticker {
  const head = new Head()
  let now = clock()

  const ticker: Ticker = {
    now: () => now,
    exactNow() {
      now = clock()
      return now
    },
    intervalMs,
    add(item) {
      item.previous = head
      item.next = head.next
      if (head.next) head.next.previous = item
      head.next = item
    },
    remove(item) {
      // Without a predecessor it is not in the list.
      if (!item.previous) return
      item.previous.next = item.next
      if (item.next) item.next.previous = item.previous
      item.previous = undefined
    },
    each(visit) {
      // An item that is removed while it is visited keeps its `next`, so the iteration continues.
      for (let item = head.next; item; item = item.next) if (item.previous) visit(item)
    },
    after(ms, run) {
      const alarm = new Alarm(clock() + ms, run, ticker)
      ticker.add(alarm)
      return () => ticker.remove(alarm)
    },
    stop: () => clearInterval(timer),
  }

  const timer = setInterval(() => {
    now = clock()
    const errors: unknown[] = []
    // An error in one callback must not skip the others or end the process: the timeouts of all requests depend on them.
    ticker.each((item) => {
      try {
        item.tick(now)
      } catch (error) {
        errors.push(error)
      }
    })
    if (errors.length > 0) failed(errors[0], errors.length - 1)
  }, intervalMs)
  timer.unref()
  return ticker
}

/** The result of the promise, or undefined if it is still pending after `ms`. */
export function withTimeout<T>(ticker: Ticker, ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = ticker.after(ms, () => resolve(undefined))
    promise.then(resolve, reject).finally(cancel)
  })
}
