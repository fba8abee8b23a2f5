// Rows of many requests are written together, later (transactions.ts). A read of the ledger needs them sooner. Frequent reads
// must not cause as many writes: concurrent reads share one, and writes have a minimum interval. Each read sees all that was
// confirmed before it began.
import type { WriterQueue } from './writer-queue.ts'

const BETWEEN_MS = 100

export type Time = { now(): number; sleep(milliseconds: number): Promise<void> }
const TIME: Time = { now: () => performance.now(), sleep: (milliseconds) => Bun.sleep(milliseconds) }

/** Resolves when the rows show the changes of all verbs confirmed so far. */
export function createFlushBeforeRead(
  queue: Pick<WriterQueue, 'isBehind' | 'writeRows'>,
  { now, sleep }: Time = TIME,
  betweenMs = BETWEEN_MS,
): () => Promise<void> {
  let pending: Promise<void> | undefined
  let lastAt = Number.NEGATIVE_INFINITY

  async function soon(): Promise<void> {
    const wait = lastAt + betweenMs - now()
    // Awaits in any case, so that `pending` is set before it is cleared here.
    await (wait > 0 ? sleep(wait) : undefined)
    // A read from here on may depend on later verbs, and waits for the next run.
    pending = undefined
    lastAt = now()
    if (queue.isBehind()) await queue.writeRows()
  }

  return async () => {
    if (!queue.isBehind()) return
    pending ??= soon()
    await pending
  }
}
