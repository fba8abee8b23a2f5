// What the URL of the page can say, with the defaults; and the period that it means.
import { MOST_DAYS, type Period, periodOf } from '../../../pages/usage/range.ts'

export const FILTERS = {
  view: 'requests',
  live: 'on',
  range: '24h',
  /** Chosen days, or times, as other pages link to them; without `to`, until now. */
  from: '',
  to: '',
  /** The beginning of one bar of the chart. */
  at: '',
  account: '',
  key: '',
  model: '',
  upstream: '',
  outcome: '',
  tag: '',
  end_user: '',
  session: '',
  error_code: '',
  status: '',
  id: '',
  /** `true`: of those that have ended. */
  unknown_cost: '',
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
  const given = from.includes('T') ? periodBetween(Date.parse(from), to === '' ? now : Date.parse(to)) : undefined
  const period = given ?? periodOf(range, from, to, now)
  const stepMs = period.step === 'hour' ? HOUR_MS : DAY_MS
  const bar = Date.parse(at)
  if (!Number.isNaN(bar)) return { period, from: iso(bar), to: iso(bar + stepMs) }
  const [start, end] = given ? [from, to] : [period.from, period.to]
  return { period, from: start, to: end === '' || Date.parse(end) > now ? '' : end }
}

/** The period between two times, in whole steps around them. undefined: they are none, or the period is too long for a chart. */
function periodBetween(from: number, to: number): Period | undefined {
  const [step, stepMs] = to - from <= 2 * DAY_MS ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const)
  const [first, last] = [Math.floor(from / stepMs), Math.ceil(to / stepMs)]
  if (!(first < last && last - first <= MOST_DAYS)) return undefined
  const steps = Array.from({ length: last - first }, (_, index) => iso((first + index) * stepMs))
  return { from: iso(first * stepMs), to: iso(last * stepMs), step, steps }
}

const iso = (time: number): string => new Date(time).toISOString()
