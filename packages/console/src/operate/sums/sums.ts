// Sums of what all accounts used, as the pages Usage and Margin ask for them: of a period, of the one before, and by group.

import { daysOf, type Period } from '../../pages/usage/range.ts'
import { nanosOf, usdText } from '../../pages/usage/series.ts'
import { useAdmin } from '../api/queries.ts'
import type { Schemas } from '../api/routes.ts'
import { pathOf } from '../page-ids.ts'

export type Sums = Schemas['Usage']
export const DIMENSIONS = [
  ...(['account', 'key', 'person', 'model', 'upstream', 'outcome', 'tag', 'end_user', 'day', 'week', 'month'] as const),
] as const
/** Sums are kept by one of these at a time, for whole days. */
const ATTRIBUTED: readonly string[] = ['tag', 'end_user']
export const isAttributed = (dimension: string): boolean => ATTRIBUTED.includes(dimension)
const TIMES: readonly string[] = ['day', 'week', 'month']
export const isTime = (dimension: string): boolean => TIMES.includes(dimension)
export type Dimension = (typeof DIMENSIONS)[number]
/** What narrows the sums down, by the names of the URL and the API; empty: everything. */
export type SumsFilter = Partial<Record<Exclude<Dimension, 'day' | 'week' | 'month' | 'person'>, string>>

/** How many groups are shown; what is left of the sum stands below them. */
export const MOST_ROWS = 100
const FRESH_MS = 30_000
const OPTIONS = { keepPrevious: true, staleTime: FRESH_MS, every: FRESH_MS }

const NOTHING = { requests: 0, tokens: 0, charged_usd: '0.00', shortfall_usd: '0.00' }
const NO_COSTS = { upstream_cost_usd: '0.00', margin_usd: '0.00', unknown_costs: 0 }

/** Without an id: of no group. */
export type Figures = Omit<Sums, 'object' | 'id'>

/** `now`, `before`: undefined until they are known. `error`: of the period itself. */
export function useTotals({ from, to }: Pick<Period, 'from' | 'to'>, filter: SumsFilter) {
  const length = Date.parse(to) - Date.parse(from)
  const earlier = new Date(Date.parse(from) - length).toISOString()
  const now = useAdmin('usage', { from, to, ...filter }, OPTIONS)
  const before = useAdmin('usage', { from: earlier, to: from, ...filter }, OPTIONS)
  const figures = (page: typeof now.data): Figures | undefined => page && (page.data[0] ?? { ...NOTHING, ...NO_COSTS })
  return { now: figures(now.data), before: figures(before.data), error: now.error, refetch: now.refetch }
}

/** Days, weeks and months in their order, the last one first; other groups by what is sorted by. `tagName`: of the tags that are grouped by. */
export function useGroups(
  period: Pick<Period, 'from' | 'to'>,
  by: readonly Dimension[],
  filter: SumsFilter,
  sort: string,
  tagName = '',
) {
  const { from, to } = period
  const isByDay = by.length === 1 && isTime(by[0] ?? '')
  const order = isByDay ? { limit: '1000' } : { sort, limit: String(MOST_ROWS) }
  const { data, error, refetch } = useAdmin(
    'usage',
    { group_by: groupText(by, tagName), from, to, ...filter, ...order },
    OPTIONS,
  )
  return { rows: isByDay ? data?.data.toReversed() : data?.data, error, refetch }
}

export const groupText = (by: readonly Dimension[], tagName: string): string =>
  by.map((each) => (each === 'tag' && tagName !== '' ? `tag:${tagName}` : each)).join(',')

/** The sums over time, of everything and of some groups of one dimension. */
export function useSteps(period: Period, filter: SumsFilter, enabled = true) {
  const { from, to, step } = period
  return useAdmin('usage', { group_by: step, from, to, ...filter, limit: '1000' }, { ...OPTIONS, enabled })
}

/** What the groups leave of the whole; undefined: nothing. */
export function othersOf(total: Figures, rows: readonly Sums[]): Figures | undefined {
  const less = (whole: string | undefined, part: (row: Sums) => string | undefined) =>
    usdText(rows.reduce((left, row) => left - nanosOf(part(row) ?? '0'), nanosOf(whole ?? '0')))
  const count = (whole: number | undefined, part: (row: Sums) => number | undefined) =>
    rows.reduce((left, row) => left - (part(row) ?? 0), whole ?? 0)
  const requests = count(total.requests, (row) => row.requests)
  if (requests <= 0) return undefined
  const others = {
    requests,
    tokens: count(total.tokens, (row) => row.tokens),
    charged_usd: less(total.charged_usd, (row) => row.charged_usd),
    shortfall_usd: less(total.shortfall_usd, (row) => row.shortfall_usd),
  }
  if (total.margin_usd === undefined) return others
  return {
    ...others,
    upstream_cost_usd: less(total.upstream_cost_usd, (row) => row.upstream_cost_usd),
    margin_usd: less(total.margin_usd, (row) => row.margin_usd),
    unknown_costs: count(total.unknown_costs, (row) => row.unknown_costs),
  }
}

/** How a group is named in filters: accounts and keys by their ids. */
export function nameIn(row: Sums, by: Dimension): string {
  if (by === 'account') return row.account_id ?? ''
  return (by === 'key' ? row.key_id : row[by]) ?? ''
}

/** It is the sum of all values that are not told apart. */
export const isFurther = (row: Sums, by: Dimension): boolean => isAttributed(by) && row[by] === null

/** What people call it. */
export function labelOf(row: Sums, by: Dimension): string {
  if (by === 'account') return row.account ?? `#${row.account_id}`
  if (by === 'person') return row.person ?? '–'
  return (by === 'key' ? (row.key ?? `#${row.key_id}`) : row[by]) ?? ''
}

const DAY_MS = 86_400_000

/** The requests that are added up in a period, by days, or by times within two days: what the page of requests shows. */
export function requestsHref(
  { from, to, step }: Pick<Period, 'from' | 'to' | 'step'>,
  filter: Readonly<Record<string, string | undefined>>,
): string {
  const times = step === 'hour' ? { from, to } : daysOf({ from, to })
  const given = Object.entries({ ...times, ...filter }).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return `${pathOf('requests')}?${new URLSearchParams(given)}`
}

/** A row leads to its requests or, if it is a person's, to the keys that the person made. */
export function hrefOf(row: Sums, by: readonly Dimension[], filter: SumsFilter, period: Period): string | undefined {
  if (by.some((each) => isFurther(row, each))) return undefined
  if (!by.includes('person')) return requestsHref(period, { ...filter, ...rowFilter(row, by, period) })
  return row.person ? `${pathOf('keys')}?${new URLSearchParams({ view: 'all', made_by: row.person })}` : undefined
}

/** The days of the week or month of a row that are in the period. */
function within({ week, month }: Sums, { from, to }: Pick<Period, 'from' | 'to'>): { from: string; to: string } {
  const begin = Date.parse(`${week ?? `${month}-01`}T00:00:00Z`)
  const date = new Date(begin)
  const end = week === undefined ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) : begin + 7 * DAY_MS
  const [start, last] = [Math.max(begin, Date.parse(from)), Math.min(end, Date.parse(to))]
  return daysOf({ from: new Date(start).toISOString(), to: new Date(last).toISOString() })
}

/** What narrows the requests of a period down to those of a row. */
export function rowFilter(row: Sums, by: readonly Dimension[], { from, to, step }: Period): Record<string, string> {
  const named = Object.fromEntries(
    by.filter((each) => !isTime(each) && each !== 'person').map((each) => [each, nameIn(row, each)]),
  )
  const { day } = row
  if (row.week !== undefined || row.month !== undefined) return { ...named, ...within(row, { from, to }) }
  if (day === undefined) return named
  if (step === 'day') return { ...named, from: day, to: day }
  const begin = Date.parse(`${day}T00:00:00Z`)
  return {
    ...named,
    from: new Date(Math.max(begin, Date.parse(from))).toISOString(),
    to: new Date(Math.min(begin + DAY_MS, Date.parse(to))).toISOString(),
  }
}
