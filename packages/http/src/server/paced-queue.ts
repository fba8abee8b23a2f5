// Lets so many through in a second, in the order of coming, and nobody waits longer than a given time: beyond that all are
// let through. Whoever comes alone goes through with the next beat.

/** One timer for all of them, and a few for each beat: a timer for each would cost more than what they wait for. */
const BEAT_MS = 20

/** Whoever waits is told by a call and not by a promise: many wait for long, and what they hold meanwhile is theirs to say. */
export type PacedItem = { proceed(): void }

/** Puts somebody in line. */
export type Enqueue = (who: PacedItem) => void

export type PacedQueueOptions = {
  perSecond: number
  maxDelayMs: number
  clock?: () => number
  after?: (ms: number, run: () => void) => void
}

/** Those who go together. */
type Group = { since: number; waiters: PacedItem[] }

export function createPacedQueue({
  perSecond,
  maxDelayMs: longestMs,
  clock = now,
  after = setTimer,
}: PacedQueueOptions): Enqueue {
  const perBeat = Math.ceil((perSecond * BEAT_MS) / 1_000)
  const groups: Group[] = []
  let isBeating = false

  function openGroup(): Group {
    const group = { since: clock(), waiters: [] }
    groups.push(group)
    return group
  }
  function beatSoon(): void {
    isBeating = true
    after(BEAT_MS, () => {
      const late = clock() - longestMs
      do callAll(groups.shift()?.waiters ?? [])
      while (groups[0] && groups[0].since <= late)
      isBeating = false
      if (groups.length > 0) beatSoon()
    })
  }

  return (who) => {
    const last = groups.at(-1)
    const group = last && last.waiters.length < perBeat ? last : openGroup()
    group.waiters.push(who)
    if (!isBeating) beatSoon()
  }
}

/** For the next turn of the event loop. */
export function createNextIterationQueue(): Enqueue {
  let waiters: PacedItem[] = []
  return (who) => {
    if (waiters.push(who) > 1) return
    setImmediate(() => {
      const all = waiters
      waiters = []
      callAll(all)
    })
  }
}

function callAll(waiters: readonly PacedItem[]): void {
  for (const waiter of waiters) waiter.proceed()
}

const now = (): number => performance.now()
const setTimer = (ms: number, run: () => void): void => void setTimeout(run, ms)
