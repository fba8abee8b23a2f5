// Overview: the first page after sign-in.
import { formatUsd } from '../../money/amount.ts'
import { balancesJson } from '../../money/json.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { Overview } from '../routes/usage.ts'
import { requestRows } from './requests.ts'
import { scopeOf, type Viewer } from './scope.ts'

const DAY_MS = 86_400_000
const DAYS = 14
const NEWEST = 10

export async function showOverview(viewer: Viewer, deps: ConsoleDependencies): Promise<Overview> {
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
}
