// Counts recent attempts per name in this process: a defence against guessing, not accounting.

export type AttemptCounter = {
  /** Counts an attempt. Returns the seconds to wait if there were too many. */
  count(name: string): number | undefined
  /** The seconds to wait until an attempt is allowed, without counting one. */
  wait(name: string): number | undefined
}

/** Allows `most()` attempts per window of `perMs`, which begins with the first one. */
export function createAttemptCounter(
  clock: () => number,
  most: () => number,
  perMs: number,
  maxNames = 10_000,
): AttemptCounter {
  const windows = new Map<string, { since: number; count: number }>()
  return {
    count(name) {
      const now = clock()
      const window = windows.get(name)
      if (window && now - window.since < perMs) {
        window.count += 1
        return window.count > most() ? Math.ceil((window.since + perMs - now) / 1000) : undefined
      }
      // Insertion order: the first entry is the one whose window began first.
      windows.delete(name)
      if (windows.size >= maxNames) windows.delete(windows.keys().next().value ?? '')
      windows.set(name, { since: now, count: 1 })
      return undefined
    },
    wait(name) {
      const [now, window] = [clock(), windows.get(name)]
      if (!window || window.count < most() || now - window.since >= perMs) return undefined
      return Math.ceil((window.since + perMs - now) / 1000)
    },
  }
}
