// One interval for every stream's time-outs and heartbeats. A timer per stream, reset at each chunk, would cost more
// than relaying the chunk does; noting the time of the last byte costs nothing.

export type Ticking = { tick(now: number): void }

export type Ticker = {
  /** A coarse clock in milliseconds, fresh to within one tick. */
  now(): number
  add(item: Ticking): void
  remove(item: Ticking): void
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
  return {
    now: () => now,
    add: (item) => void items.add(item),
    remove: (item) => void items.delete(item),
    stop: () => clearInterval(timer),
  }
}
