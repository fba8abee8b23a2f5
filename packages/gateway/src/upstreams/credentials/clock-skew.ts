// Whether the clock of this machine is so wrong that signatures and tokens are: compared with the `Date` of responses.

/** Vendors reject signatures at a difference of five minutes. */
const MOST_SKEW_MS = 120_000
const LOOK_EVERY_MS = 60_000

export type ClockSkew = {
  note(date: string | null): void
  /** What this machine is ahead, in milliseconds; undefined: not too much. */
  current(): number | undefined
}

/** `found`: called when the clock has become wrong, once until it was right again. */
export function createClockSkew(now: () => number, found: (aheadMs: number) => void): ClockSkew {
  let lookedAt = Number.NEGATIVE_INFINITY
  let skewMs: number | undefined
  return {
    note(date) {
      const at = now()
      if (date === null || Math.abs(at - lookedAt) < LOOK_EVERY_MS) return
      lookedAt = at
      const aheadMs = at - Date.parse(date)
      const isWrong = Math.abs(aheadMs) > MOST_SKEW_MS
      if (isWrong && skewMs === undefined) found(aheadMs)
      skewMs = isWrong ? aheadMs : undefined
    },
    current: () => skewMs,
  }
}
