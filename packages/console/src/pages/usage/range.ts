// The period that the page shows. Pure.

export const RANGES = ['24h', '7d', '30d', '90d'] as const
export type Range = (typeof RANGES)[number]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LENGTHS: Readonly<Record<Range, number>> = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
}
/** The longest period that can be chosen: its bars are one pixel wide. */
export const MOST_DAYS = 400

export type Period = { from: string; to: string; step: 'hour' | 'day'; steps: string[] }

/** A preset ends with the present hour or day (UTC), which is still growing. `from` and `to`: chosen days, instead of a preset. */
export function periodOf(range: string, from: string, to: string, now: number): Period {
  const chosen = chosenDays(from, to)
  const length = chosen ? chosen.to - chosen.from : (LENGTHS[range as Range] ?? LENGTHS['7d'])
  const [step, stepMs] = length <= 2 * DAY_MS ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const)
  const end = chosen?.to ?? (Math.floor(now / stepMs) + 1) * stepMs
  const start = chosen?.from ?? end - length
  const steps: string[] = []
  for (let at = start; at < end; at += stepMs) steps.push(new Date(at).toISOString())
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString(), step, steps }
}

/** From the beginning of the first day to the end of the last (UTC). undefined: they are no period that can be shown. */
function chosenDays(from: string, to: string): { from: number; to: number } | undefined {
  const [first, last] = [beginningOf(from), beginningOf(to)]
  const isPeriod = first <= last && last - first < MOST_DAYS * DAY_MS
  return isPeriod ? { from: first, to: last + DAY_MS } : undefined
}

export const isPeriod = (from: string, to: string): boolean => chosenDays(from, to) !== undefined

const beginningOf = (day: string): number =>
  /^20\d\d-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN

/** The whole days that a period touches: some sums are kept for days alone. */
export function inDays({ from, to, ...period }: Period): Period {
  if (period.step === 'day') return { from, to, ...period }
  const start = Math.floor(Date.parse(from) / DAY_MS) * DAY_MS
  const end = Math.ceil(Date.parse(to) / DAY_MS) * DAY_MS
  const steps = Array.from({ length: (end - start) / DAY_MS }, (_, day) => new Date(start + day * DAY_MS).toISOString())
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString(), step: 'day', steps }
}

/** The days that a period touches, as a person would choose them: `2026-01-31`. */
export function daysOf({ from, to }: Pick<Period, 'from' | 'to'>): { from: string; to: string } {
  return { from: from.slice(0, 10), to: new Date(Date.parse(to) - 1).toISOString().slice(0, 10) }
}
