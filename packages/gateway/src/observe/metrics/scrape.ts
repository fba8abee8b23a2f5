// The text of a scrape: one at a time, and none more often than once per second, since each reads all values of all processes.
import { render } from './render.ts'
import { mergeSnapshots, type Snapshot } from './snapshot.ts'

export type Scrape = { text(): Promise<string> }

const SAME_TEXT_MS = 1_000

/** `own`: the values of this process; `others`: those of its siblings. */
export function createScrape(
  own: () => Promise<Snapshot>,
  others: () => Promise<readonly Snapshot[]>,
  clock = () => performance.now(),
): Scrape {
  let latest: Promise<string> | undefined
  let endedAt = Number.POSITIVE_INFINITY

  async function scrape(): Promise<string> {
    try {
      const [mine, theirs] = await Promise.all([own(), others()])
      return render(mergeSnapshots([mine, ...theirs]))
    } finally {
      endedAt = clock()
    }
  }

  return {
    text() {
      if (latest && clock() - endedAt < SAME_TEXT_MS) return latest
      endedAt = Number.POSITIVE_INFINITY
      latest = scrape()
      return latest
    },
  }
}
