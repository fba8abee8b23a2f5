// Rows of many requests are written together, later (transactions.ts). Whoever reads the books has that done sooner, and
// callers who look at their usage all the time would have it done all the time: so it is done for all who wait, and only
// so often. Each sees all that was answered before it asked, a moment later if the store is busy.
import type { WriterQueue } from './writer-queue.ts'

const BETWEEN_MS = 100

export type Time = { now(): number; sleep(milliseconds: number): Promise<void> }
const TIME: Time = { now: () => performance.now(), sleep: (milliseconds) => Bun.sleep(milliseconds) }

/** Resolves when the rows show all that verbs answered so far have changed. */
export function openCatchUp(
  queue: Pick<WriterQueue, 'isBehind' | 'writeRows'>,
  { now, sleep }: Time = TIME,
): () => Promise<void> {
  let waiting: Promise<void> | undefined
  let lastAt = Number.NEGATIVE_INFINITY

  async function soon(): Promise<void> {
    const wait = lastAt + BETWEEN_MS - now()
    // Also where there is nothing to wait for: `waiting` is set before it is cleared here.
    await (wait > 0 ? sleep(wait) : undefined)
    // A caller that arrives from here on may depend on later verbs, and waits for the next run.
    waiting = undefined
    lastAt = now()
    if (queue.isBehind()) await queue.writeRows()
  }

  return async () => {
    if (!queue.isBehind()) return
    waiting ??= soon()
    await waiting
  }
}
