// Limits the concurrency of expensive work that anyone can request: some of it queues, the rest is rejected at once.

export type ConcurrencyLimit = {
  /** undefined: the queue is full, and `work` is not started. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
}

export function createConcurrencyLimit(width: number, maxQueued: number): ConcurrencyLimit {
  let running = 0
  const queued: (() => void)[] = []

  return {
    async run(work) {
      if (running >= width) {
        if (queued.length >= maxQueued) return undefined
        // A slot is handed over directly: work that arrives later cannot take it in between.
        await new Promise<void>((resolve) => queued.push(resolve))
      } else running += 1
      try {
        return await work()
      } finally {
        const next = queued.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
