// One interval for every stream's time-outs and heartbeats. A timer per stream, reset at each chunk, would cost more
// than relaying the chunk does; noting the time of the last byte costs nothing.

/**
 * What a ticker ticks. The links of the ticker's list are in the items themselves: a Set that takes in and gives up
 * several entries for each request costs more than the rest of the request's bookkeeping together.
 */
export abstract class Ticking {
  previous: Ticking | undefined
  next: Ticking | undefined
  abstract tick(now: number): void
}

export type Ticker = {
  /** A coarse clock in milliseconds, fresh to within one tick. */
  now(): number
  /** The time itself, which `now` gives from here on: for the rare decision that must not be made a tick too early or too late. */
  exactNow(): number
  /** Between two ticks: by so much `now` may be behind. */
  readonly intervalMs: number
  add(item: Ticking): void
  remove(item: Ticking): void
  each(visit: (item: Ticking) => void): void
  /** Runs `run` once, at the first tick after `ms`; gives the function that calls it off. Far cheaper than a timer. */
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
  /** Told of the first callback that threw in a tick, and how many others did. Absent: the error ends the process. */
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
      // Without a predecessor it is not in the list, or not any more.
      if (!item.previous) return
      item.previous.next = item.next
      if (item.next) item.next.previous = item.previous
      item.previous = undefined
    },
    each(visit) {
      // An item that is removed while it is visited keeps its `next`, so the way on is known.
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
    // One callback must not take the others' turn, nor end the process: timeouts of every request depend on them.
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

/** What comes of the promise, or undefined if nothing has by then. */
export function withTimeout<T>(ticker: Ticker, ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const callOff = ticker.after(ms, () => resolve(undefined))
    promise.then(resolve, reject).finally(callOff)
  })
}
