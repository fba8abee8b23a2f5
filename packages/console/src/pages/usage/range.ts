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

export type Period = { from: string; to: string; step: 'hour' | 'day'; steps: string[] }

/** A preset ends with the present hour or day (UTC), which is still growing. `from` and `to`: a period from a link. */
export function periodOf(range: string, from: string, to: string, now: number): Period {
  const chosen = Date.parse(from) < Date.parse(to) ? { from: Date.parse(from), to: Date.parse(to) } : undefined
  const length = chosen ? chosen.to - chosen.from : (LENGTHS[range as Range] ?? LENGTHS['7d'])
  const [step, stepMs] = length <= 2 * DAY_MS ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const)
  const end = chosen?.to ?? (Math.floor(now / stepMs) + 1) * stepMs
  const start = chosen?.from ?? end - length
  const first = Math.floor(start / stepMs) * stepMs
  const steps: string[] = []
  for (let at = first; at < end; at += stepMs) steps.push(new Date(at).toISOString())
  return { from: new Date(first).toISOString(), to: new Date(end).toISOString(), step, steps }
}
