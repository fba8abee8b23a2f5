// What went through the gateway lately, on both engines.
import { type RawBuilder, sql } from 'kysely'
import { HELD } from '../../../money/book.ts'
import { EPOCH_MS, firstIdAt } from '../../../money/request-ids.ts'
import type { ReportRange } from '../../console/reports.ts'
import type { Traffic, TrafficSource, TrafficSums } from '../../console/traffic.ts'
import { ledBy } from '../lists/usage-sums.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'

const HOUR_MS = 3_600_000

export function trafficOver({ db, runner }: Connection): Traffic {
  const read = (query: RawBuilder<unknown>) => runner.readPage(rawStatement(db, query))
  return {
    async hours({ from, to }) {
      const rows = await read(sql`SELECT hour AS at, model, upstream, outcome, ${SUMS} FROM hourly_spending
        WHERE hour >= ${from} AND hour < ${to} GROUP BY hour, model, upstream, outcome ORDER BY hour`)
      return rows.map(toSums)
    },
    async requests(range, stepMs) {
      const at = stepOf(sql`(id >> 22) + ${sql.lit(EPOCH_MS)}`, stepMs)
      const rows = await read(sql`SELECT ${at} AS at, model, upstream,
          CASE WHEN state = ${sql.lit(HELD)} THEN 'running' ELSE outcome END AS outcome,
          count(*) AS requests, CAST(sum(cost) AS bigint) AS cost,
          CAST(coalesce(sum(upstream_cost), 0) AS bigint) AS upstream_cost,
          count(*) - count(upstream_cost) AS unknown_costs
        FROM request WHERE ${began(range)} GROUP BY 1, 2, 3, 4 ORDER BY 1`)
      return rows.map(toSums)
    },
    async rejected({ from, to }, stepMs) {
      const rows = await read(sql`SELECT ${stepOf(sql`minute`, stepMs)} AS at, CAST(sum(count) AS bigint) AS count
        FROM rejected_request WHERE minute >= ${from} AND minute < ${to} GROUP BY 1`)
      return new Map(rows.map((row) => [small(row.at), small(row.count)]))
    },
    async topAccounts(range, source, limit) {
      const rows = await read(sql`SELECT ${source === 'requests' ? sql`account` : sql`lead_id`} AS account,
          CAST(${source === 'requests' ? sql`count(*)` : sql`sum(requests)`} AS bigint) AS requests,
          CAST(sum(cost) AS bigint) AS cost
        FROM ${rowsOf(source, range)} GROUP BY 1 ORDER BY 3 DESC, 2 DESC, 1 LIMIT ${limit}`)
      return rows.map((row) => ({
        account: integer(row.account),
        requests: small(row.requests),
        charged: integer(row.cost),
      }))
    },
    async firstTokens({ from, to }) {
      const rows = await read(sql`SELECT bucket, CAST(sum(count) AS bigint) AS count FROM latency
        WHERE hour >= ${from - (from % HOUR_MS)} AND hour < ${to} GROUP BY bucket ORDER BY bucket`)
      return rows.map((row) => ({ bucket: small(row.bucket), count: small(row.count) }))
    },
  }
}

const SUMS = sql.raw(
  ['requests', 'cost', 'upstream_cost', 'unknown_costs']
    .map((name) => `CAST(sum(${name}) AS bigint) AS ${name}`)
    .join(),
)

/** Ids of requests begin with their time. */
const began = ({ from, to }: ReportRange) => sql`id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)}`

const stepOf = (time: RawBuilder<unknown>, stepMs: number) => sql`${time} - (${time}) % ${sql.lit(stepMs)}`

/** Sums are read for one account after the other, as they lie in their tables: by time, each would be looked up on its own. */
function rowsOf(source: TrafficSource, { from, to }: ReportRange): RawBuilder<unknown> {
  if (source === 'requests') return sql`request WHERE ${began({ from, to })}`
  const [table, at] = source === 'hours' ? ['hourly_spending', 'hour'] : ['daily_spending', 'day']
  return sql`${ledBy('account')}${sql.table(table)}
    WHERE account = lead_id AND ${sql.ref(at)} >= ${from} AND ${sql.ref(at)} < ${to}`
}

const toSums = (row: Row): TrafficSums => ({
  at: small(row.at),
  model: text(row.model),
  upstream: text(row.upstream),
  outcome: text(row.outcome),
  requests: small(row.requests),
  charged: integer(row.cost),
  upstreamCost: integer(row.upstream_cost),
  unknownCosts: small(row.unknown_costs),
})
