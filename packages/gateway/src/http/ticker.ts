// One interval for every stream's time-outs and heartbeats. A timer per stream, reset at each chunk, would cost more
// than relaying the chunk does; noting the time of the last byte costs nothing.

export type Ticking = { tick(now: number): void }

export type Ticker = {
  /** A coarse clock in milliseconds, fresh to within one tick. */
  now(): number
  add(item: Ticking): void
  remove(item: Ticking): void
  /** Runs `run` once, at the first tick after `ms`; gives the function that calls it off. Far cheaper than a timer. */
  after(ms: number, run: () => void): () => void
  stop(): void
}

export function createTicker(intervalMs: number, clock: () => number = () => performance.now()): Ticker {
  const items = new Set<Ticking>()
  let now = clock()
  const timer = setInterval(() => {
    now = clock()
    for (const item of items) item.tick(now)
  }, intervalMs)
  timer.unref()
  function after(ms: number, run: () => void): () => void {
    const at = clock() + ms
    const item = {
      tick(time: number) {
        if (time < at) return
        items.delete(item)
        run()
      },
    }
    items.add(item)
    return () => void items.delete(item)
  }

  return {
    after,
    now: () => now,
    add: (item) => void items.add(item),
    remove: (item) => void items.delete(item),
    stop: () => clearInterval(timer),
  }
}
