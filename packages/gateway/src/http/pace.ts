// Lets so many through in a second, in the order of coming, and nobody waits longer than a given time: beyond that all are
// let through. Whoever comes alone goes through with the next beat.

/** One timer for all of them, and a few for each beat: a timer for each would cost more than what they wait for. */
const BEAT_MS = 20

export type PaceOptions = {
  perSecond: number
  longestMs: number
  clock?: () => number
  after?: (ms: number, run: () => void) => void
}

/** Those who go together. */
type Group = { since: number; count: number; turn: Promise<void>; go(): void }

/** Gives what resolves when it is one's turn. */
export function createPace({ perSecond, longestMs, clock = now, after = setTimer }: PaceOptions): () => Promise<void> {
  const perBeat = Math.ceil((perSecond * BEAT_MS) / 1_000)
  const groups: Group[] = []
  let isBeating = false

  function openGroup(): Group {
    const { promise, resolve } = Promise.withResolvers<void>()
    const group = { since: clock(), count: 0, turn: promise, go: resolve }
    groups.push(group)
    return group
  }
  function beatSoon(): void {
    isBeating = true
    after(BEAT_MS, () => {
      const late = clock() - longestMs
      do groups.shift()?.go()
      while (groups[0] && groups[0].since <= late)
      isBeating = false
      if (groups.length > 0) beatSoon()
    })
  }

  return () => {
    const last = groups.at(-1)
    const group = last && last.count < perBeat ? last : openGroup()
    group.count++
    if (!isBeating) beatSoon()
    return group.turn
  }
}

const now = (): number => performance.now()
const setTimer = (ms: number, run: () => void): void => void setTimeout(run, ms)
