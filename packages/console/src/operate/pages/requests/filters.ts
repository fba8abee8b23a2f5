// What the URL of the page can say, with the defaults; and the period that it means.
import { type Period, periodOf } from '../../../pages/usage/range.ts'

export const FILTERS = {
  view: 'requests',
  live: 'on',
  range: '24h',
  /** Chosen days, or times of full hours as other pages link to them. */
  from: '',
  to: '',
  /** The beginning of one bar of the chart. */
  at: '',
  account: '',
  key: '',
  model: '',
  upstream: '',
  outcome: '',
  error_code: '',
  status: '',
  id: '',
  request: '',
  before: '',
  after: '',
}
export type RequestFilters = typeof FILTERS

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `to` of the list is absent while the period goes on with the clock. */
export type Shown = { period: Period; from: string; to: string }

export function shownIn({ range, from, to, at }: RequestFilters, now: number): Shown {
  const period = hoursBetween(from, to) ?? periodOf(range, from, to, now)
  const stepMs = period.step === 'hour' ? HOUR_MS : DAY_MS
  const bar = Date.parse(at)
  if (!Number.isNaN(bar)) return { period, from: iso(bar), to: iso(bar + stepMs) }
  return { period, from: period.from, to: Date.parse(period.to) > now ? '' : period.to }
}

/** Times instead of days. undefined: they are none, or the period could not be shown. */
function hoursBetween(from: string, to: string): Period | undefined {
  if (!from.includes('T')) return undefined
  const [start, end] = [Math.floor(Date.parse(from) / HOUR_MS), Math.ceil(Date.parse(to) / HOUR_MS)]
  const length = (end - start) * HOUR_MS
  if (!(length > 0 && length <= 2 * DAY_MS)) return undefined
  const steps = Array.from({ length: end - start }, (_, hour) => iso((start + hour) * HOUR_MS))
  return { from: iso(start * HOUR_MS), to: iso(end * HOUR_MS), step: 'hour', steps }
}

const iso = (time: number): string => new Date(time).toISOString()
