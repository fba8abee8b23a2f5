// For work that strangers can ask for and that is dear: a few at a time, some who wait, and the rest is told at once.

export type ConcurrencyLimit = {
  /** undefined: too many wait already; `work` is not begun. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
}

export function createConcurrencyLimit(width: number, mostWaiting: number): ConcurrencyLimit {
  let running = 0
  const waiting: (() => void)[] = []

  return {
    async run(work) {
      if (running >= width) {
        if (waiting.length >= mostWaiting) return undefined
        // Whoever finishes hands the place over: nobody who comes later can take it in between.
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
