// Rows of sums: names that tell them apart, and amounts that are added to those in the table.
import type { Database } from 'bun:sqlite'
import type { Spending } from '../../../money/ledger.ts'
import { prepareInserts } from './insert-rows.ts'

export type Sum = Spending & { hour: number; lastAt: number }

export const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
export const dayOf = (time: number): number => time - (time % DAY_MS)

/** Column -> its value. */
const NAMES = {
  account: (sum: Sum) => sum.account,
  hour: (sum: Sum) => sum.hour,
  day: (sum: Sum) => dayOf(sum.hour),
  key: (sum: Sum) => sum.key,
  model: (sum: Sum) => sum.model,
  upstream: (sum: Sum) => sum.upstream,
  outcome: (sum: Sum) => sum.outcome,
}
const AMOUNTS = {
  requests: (sum: Sum) => sum.requests,
  tokens: (sum: Sum) => sum.tokens,
  cost: (sum: Sum) => sum.cost,
  upstream_cost: (sum: Sum) => sum.upstreamCost,
  unknown_costs: (sum: Sum) => sum.unknownCosts,
}

export const NOTHING_SPENT = { requests: 0, tokens: 0, cost: 0n, upstreamCost: 0n, unknownCosts: 0, lastAt: 0 }

export function addTo(sum: Sum, more: Spending, at: number): void {
  sum.requests += more.requests
  sum.tokens += more.tokens
  sum.cost += more.cost
  sum.upstreamCost += more.upstreamCost
  sum.unknownCosts += more.unknownCosts
  sum.lastAt = Math.max(sum.lastAt, at)
}

/** `own`: columns of this table alone. */
export function prepareSums<Own extends Sum>(
  db: Database,
  table: string,
  names: readonly (keyof typeof NAMES)[],
  own: Readonly<Record<string, (sum: Own) => string>> = {},
): (sums: Iterable<Own>) => void {
  const amounts = Object.keys(AMOUNTS)
  const values = [...Object.values(own), ...names.map((name) => NAMES[name]), ...Object.values(AMOUNTS)]
  const added = amounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')
  return prepareInserts<Own>(
    db,
    table,
    [...Object.keys(own), ...names, ...amounts, 'last_at'],
    (sum, all) => {
      for (const value of values) all.push(value(sum))
      all.push(sum.lastAt)
    },
    `ON CONFLICT DO UPDATE SET ${added}, last_at = max(last_at, excluded.last_at)`,
  )
}
