// Fills a store of either engine with the requests of one account that have tags, end users and sessions, and with their sums by tag and end
// user: what reports and lists are measured on. Only these rows are written, so that an audit of the store would fail.
import { firstIdAt } from '../../packages/gateway/src/money/request-ids.ts'

export type AttributedPlan = {
  account: bigint
  key: bigint
  requests: number
  /** Different tags; each request has one of them, and one of three others. */
  tags: number
  /** Until the end of today. */
  days: number
}

const DAY_MS = 86_400_000

/** Statements in order, for both engines. */
export function attributedRows({ account, key, requests, tags, days }: AttributedPlan, now: number): string[] {
  const from = now - (now % DAY_MS) - (days - 1) * DAY_MS
  // Spread over the days, and ids are times.
  const apart = (firstIdAt(from + days * DAY_MS) - firstIdAt(from)) / BigInt(requests)
  const row = `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${requests - 1})`
  // A permutation, so that neighbours have different tags.
  const tag = `'team=t' || CAST((CAST(i AS bigint) * 7919) % ${tags} AS text)`
  const request = `INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, tokens, cost, model, upstream, upstream_cost,
      outcome, tags, end_user, session)
    ${row} SELECT ${firstIdAt(from)} + CAST(i AS bigint) * ${apart}, ${account}, ${key}, 900, 1, 1, 1000, ${from}, 100, 1000 + i % 7,
      'model-' || CAST(i % 10 AS text), 'main', 500, 'completed', 'env=' || CAST(i % 3 AS text) || ',' || ${tag},
      'u_' || CAST(i % ${tags} AS text), 's_' || CAST(i / 20 AS text) FROM numbers`
  const day = `${from} + (CAST(i AS bigint) * ${days} / ${requests}) * ${DAY_MS}`
  const sums = (dimension: string, value: string) => `INSERT INTO daily_attribution_spending
    (account, dimension, day, value, key, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
    ${row} SELECT ${account}, '${dimension}', ${day}, ${value}, ${key}, 'model-' || CAST(i % 10 AS text), 'main', 'completed',
      count(*), count(*) * 100, sum(1000 + i % 7), count(*) * 500, 0, ${now} FROM numbers GROUP BY 3, 4, 6`
  return [
    request,
    sums('tag', tag),
    sums('tag', `'env=' || CAST(i % 3 AS text)`),
    sums('end_user', `'u_' || CAST(i % ${tags} AS text)`),
  ]
}
