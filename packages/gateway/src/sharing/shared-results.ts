// Results that many ask for at once, such as tabs that poll: read once, then shared for a while. A read that takes long may be shared
// for longer, so that however many ask, reading never takes more than a small part of the time.

/** Entries of a process: far more than pages that are open at once. */
const MOST_ENTRIES = 256
const LASTS_MS = 2_000
const LONGEST_MS = 60_000
/** How many times as long as it took to read, so that reading takes at most a hundredth of the time. */
export const REST = 100

export type SharedResults = {
  /** `name`: what is read, with all that it depends on. A read that fails is not kept. `lastsMs`: at least. */
  get<T>(name: string, read: () => Promise<T>, lastsMs?: number): Promise<T>
  /** For a change that the next one who asks must see. */
  clear(): void
}

type Entry = { result: Promise<unknown>; until: number }

/** `clock`: in milliseconds, and never goes back. `rest`: how many times as long as it took to read. */
export function createSharedResults(clock: () => number, rest = 0): SharedResults {
  let entries = new Map<string, Entry>()

  function start<T>(name: string, read: () => Promise<T>, lastsMs: number): Promise<T> {
    const begun = clock()
    const result = read()
    // Whoever asks while it is read waits for the same read.
    const entry: Entry = { result, until: Number.POSITIVE_INFINITY }
    const own = entries
    own.delete(name)
    own.set(name, entry)
    for (const oldest of own.keys()) {
      if (own.size <= MOST_ENTRIES) break
      own.delete(oldest)
    }
    result.then(
      () => {
        const now = clock()
        entry.until = now + Math.max(lastsMs, Math.min(LONGEST_MS, (now - begun) * rest))
      },
      () => {
        if (own.get(name) === entry) own.delete(name)
      },
    )
    return result
  }

  return {
    get(name, read, lastsMs = LASTS_MS) {
      const known = entries.get(name)
      if (known && clock() < known.until) return known.result as ReturnType<typeof read>
      return start(name, read, lastsMs)
    },
    clear() {
      entries = new Map()
    },
  }
}
