// Overview: the first page after sign-in.
import { formatUsd } from '../../money/amount.ts'
import { balancesJson } from '../../money/json.ts'
import { BALANCES, fields, listOf, number, TIME, USD } from '../../request/schema/schema.ts'
import { route } from '../route.ts'
import { REQUEST, requestRows } from './requests.ts'
import { scopeOf } from './scope.ts'

const DAY_MS = 86_400_000
const DAYS = 14
const NEWEST = 10

export const showOverview = route(
  'GET overview',
  {
    policy: 'member',
    summary: 'The first page after sign-in',
    output: fields({
      ...BALANCES,
      spent_today_usd: USD,
      spent_this_month_usd: USD,
      /** The last 14 days (UTC), days without charges included. */
      days: listOf(fields({ at: TIME, cost_usd: USD, requests: number() })),
      requests: listOf(REQUEST),
      keys: number('Without the built-in key. 0: the first-run path is shown.'),
    }),
  },
  async (viewer, deps) => {
    const { account } = viewer
    const scope = scopeOf(viewer)
    const { spending, keys } = deps.store
    const today = Math.floor(deps.clock() / DAY_MS) * DAY_MS
    const from = today - (DAYS - 1) * DAY_MS
    const month = Date.UTC(new Date(today).getUTCFullYear(), new Date(today).getUTCMonth())
    const range = { from: Math.min(from, month), to: today + DAY_MS }
    const points = await spending.series(account.id, { ...range, ...scope }, 'day', 'none')
    // The sums of Usage and Wallet, which count a video on the day of its charge; limits count it on the day of its hold.
    const spentSince = (day: number) => points.reduce((sum, { at, cost }) => (at >= day ? sum + cost : sum), 0n)
    const byDay = new Map(points.map((point) => [point.at, point]))
    const { rows } = await spending.requests(account.id, scope, NEWEST)
    const { total } = await keys.page(account.id, { purpose: 'client', ...scope }, 1)
    return {
      ...balancesJson(account),
      spent_today_usd: formatUsd(spentSince(today)),
      spent_this_month_usd: formatUsd(spentSince(month)),
      days: Array.from({ length: DAYS }, (_, index) => {
        const at = from + index * DAY_MS
        const { cost = 0n, requests = 0 } = byDay.get(at) ?? {}
        return { at: new Date(at).toISOString(), cost_usd: formatUsd(cost), requests }
      }),
      requests: await requestRows(rows, deps),
      keys: total,
    }
  },
)
