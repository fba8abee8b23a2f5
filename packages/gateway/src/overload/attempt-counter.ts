// How often somebody has tried something lately, in this process: against guessing, not for accounting.

export type AttemptCounter = {
  /** Counts one more; seconds to wait when that is too many. */
  count(who: string): number | undefined
}

/** `most` in each span of `perMs`, which begins with the first of them. */
export function createAttemptCounter(
  clock: () => number,
  most: number,
  perMs: number,
  mostNames = 10_000,
): AttemptCounter {
  const spans = new Map<string, { since: number; count: number }>()
  return {
    count(who) {
      const now = clock()
      const span = spans.get(who)
      if (span && now - span.since < perMs) {
        span.count += 1
        return span.count > most ? Math.ceil((span.since + perMs - now) / 1000) : undefined
      }
      // At the end again: the first of the map is the one whose span began first.
      spans.delete(who)
      if (spans.size >= mostNames) spans.delete(spans.keys().next().value ?? '')
      spans.set(who, { since: now, count: 1 })
      return undefined
    },
  }
}
