// Windows of budgets. LiteLLM's are calendar periods in UTC, whatever their names say: 7d begins on Mondays, 30d on the first.
import { startOf } from '../../money/limits.ts'
import type { FoundBudget } from '../installation.ts'

export type Window = Pick<FoundBudget, 'period' | 'everyHours' | 'startsAt'> & {
  /** When the window that is open began. */
  start: number
}
const ALWAYS: Window = { period: undefined, everyHours: undefined, startsAt: undefined, start: 0 }
const CALENDAR = { '1d': 'day', '24h': 'day', '7d': 'week', '1w': 'week', '30d': 'month', '1mo': 'month' } as const
const HOURS = { s: 1 / 3_600, m: 1 / 60, h: 1, d: 24, w: 168 } as const
const [HOUR_MS, MOST_HOURS] = [3_600_000, 8_784]

/** undefined: no period of ours. `resetAt`: when the open window ends. */
export function windowOf(duration: string | undefined, resetAt: number | undefined, now: number): Window | undefined {
  if (duration === undefined || duration === '') return ALWAYS
  const period = Object.hasOwn(CALENDAR, duration) ? CALENDAR[duration as keyof typeof CALENDAR] : undefined
  if (period) return { period, everyHours: undefined, startsAt: undefined, start: startOf(period, now) }
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(duration) ?? []
  const everyHours = Number(count ?? 0) * HOURS[(unit ?? 's') as keyof typeof HOURS]
  if (!Number.isInteger(everyHours) || everyHours < 1 || everyHours > MOST_HOURS) return undefined
  const length = everyHours * HOUR_MS
  // Those that divide a day are aligned to it.
  const anchor = 24 % everyHours === 0 ? 0 : (resetAt ?? startOf('day', now))
  const startsAt = anchor % length
  return { period: 'hours', everyHours, startsAt, start: now - ((((now - startsAt) % length) + length) % length) }
}
