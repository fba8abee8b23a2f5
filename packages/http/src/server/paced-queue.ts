// Releases a limited number of items per second, in arrival order. No item is delayed longer than a maximum: beyond it all
// overdue items are released. A single item is released with the next interval.

/** One timer serves all items: a timer for each would cost more than what it delays. */
const INTERVAL_MS = 20

/** Released by a call instead of a promise: many items wait for long, and a promise for each would keep memory. */
export type PacedItem = { proceed(): void }

export type Enqueue = (item: PacedItem) => void

export type PacedQueueOptions = {
  perSecond: number
  maxDelayMs: number
  clock?: () => number
  after?: (ms: number, run: () => void) => void
}

/** Items that are released together. */
type Group = { since: number; items: PacedItem[] }

export function createPacedQueue({ perSecond, maxDelayMs, clock = now, after = setTimer }: PacedQueueOptions): Enqueue {
  const perInterval = Math.ceil((perSecond * INTERVAL_MS) / 1_000)
  const groups: Group[] = []
  let isScheduled = false

  function openGroup(): Group {
    const group = { since: clock(), items: [] }
    groups.push(group)
    return group
  }
  function schedule(): void {
    isScheduled = true
    after(INTERVAL_MS, () => {
      const overdue = clock() - maxDelayMs
      do releaseAll(groups.shift()?.items ?? [])
      while (groups[0] && groups[0].since <= overdue)
      isScheduled = false
      if (groups.length > 0) schedule()
    })
  }

  return (item) => {
    const last = groups.at(-1)
    const group = last && last.items.length < perInterval ? last : openGroup()
    group.items.push(item)
    if (!isScheduled) schedule()
  }
}

/** Releases all items in the next iteration of the event loop. */
export function createNextIterationQueue(): Enqueue {
  let items: PacedItem[] = []
  return (item) => {
    if (items.push(item) > 1) return
    setImmediate(() => {
      const all = items
      items = []
      releaseAll(all)
    })
  }
}

function releaseAll(items: readonly PacedItem[]): void {
  for (const item of items) item.proceed()
}

const now = (): number => performance.now()
const setTimer = (ms: number, run: () => void): void => void setTimeout(run, ms)
