// What was spent on each model, or by each key, in a period: the largest ones by name, and the sum of the others.
import { formatUsd } from '../../money/amount.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { BreakdownQuery, UsageBreakdown } from '../routes/usage.ts'
import { keyNames } from './key-names.ts'
import { periodIn } from './requests.ts'
import { scopeOf, type Viewer } from './scope.ts'

/** An account may have thousands of keys; more rows than these are not readable. */
const MOST_ROWS = 200

export async function showBreakdown(
  viewer: Viewer,
  query: BreakdownQuery,
  deps: ConsoleDependencies,
): Promise<UsageBreakdown> {
  const { filter, step } = periodIn(query, deps.clock())
  const { by = 'model' } = query
  const { rows, names, all } = await deps.store.spending.totals(
    viewer.account.id,
    { ...filter, ...scopeOf(viewer) },
    step,
    by,
    MOST_ROWS,
  )
  const labels = await keyNames(deps.store.keys, by === 'key' ? rows.map(({ name }) => BigInt(name)) : [])
  const shown = rows.map(({ name, requests, tokens, cost }) => ({
    name,
    label: (by === 'key' ? labels.get(BigInt(name)) : undefined) ?? name,
    requests,
    tokens,
    cost_usd: formatUsd(cost),
  }))
  const rest = rows.reduce(
    (left, { requests, tokens, cost }) => ({
      requests: left.requests - requests,
      tokens: left.tokens - tokens,
      cost: left.cost - cost,
    }),
    all,
  )
  const others = names - rows.length
  return {
    items: shown,
    others:
      others === 0
        ? null
        : { names: others, requests: rest.requests, tokens: rest.tokens, cost_usd: formatUsd(rest.cost) },
  }
}
