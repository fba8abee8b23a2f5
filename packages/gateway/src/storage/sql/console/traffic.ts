// What went through the gateway lately, over all accounts, for the operators' overview. Sums that charges keep, except for parts of an hour,
// which are counted from the requests themselves.
import { type RawBuilder, sql } from 'kysely'
import { HELD } from '../../../money/book.ts'
import { EPOCH_MS, firstIdAt } from '../../../money/request-ids.ts'
import type { ReportRange } from '../../console/reports.ts'
import { fieldsOf, from, integer, small, text } from '../../fields.ts'
import { ledBy } from '../lists/usage-sums.ts'
import { type Connection, rawStatement } from '../statements.ts'

/** Sums over the time that begins at `at`. `outcome`: `running` for requests that have not ended. */
const toSums = fieldsOf({
  at: small,
  model: text,
  upstream: text,
  outcome: text,
  requests: small,
  charged: from('cost', integer),
  /** What is known of it. */
  upstreamCost: integer,
  /** How many requests have a cost that is not known. */
  unknownCosts: small,
})
export type TrafficSums = ReturnType<typeof toSums>

const toAccountSums = fieldsOf({ account: integer, requests: small, charged: from('cost', integer) })
export type AccountSums = ReturnType<typeof toAccountSums>

/** Where the sums of a range come from: the requests themselves, or the sums of hours or days, of which the range consists. */
export type TrafficSource = 'requests' | 'hours' | 'days'

const HOUR_MS = 3_600_000

export function trafficOver({ db, runner }: Connection) {
  const read = (query: RawBuilder<unknown>) => runner.readPage(rawStatement(db, query))
  return {
    /** By hour, from the sums of hours. */
    async hours({ from, to }: ReportRange): Promise<TrafficSums[]> {
      const rows = await read(sql`SELECT hour AS at, model, upstream, outcome, ${SUMS} FROM hourly_spending
        WHERE hour >= ${from} AND hour < ${to} GROUP BY hour, model, upstream, outcome ORDER BY hour`)
      return rows.map(toSums)
    },
    /** By steps of `stepMs`, from the requests that began in the range, which should be short. */
    async requests(range: ReportRange, stepMs: number): Promise<TrafficSums[]> {
      const at = stepOf(sql`(id >> 22) + ${sql.lit(EPOCH_MS)}`, stepMs)
      const rows = await read(sql`SELECT ${at} AS at, model, upstream,
          CASE WHEN state = ${sql.lit(HELD)} THEN 'running' ELSE outcome END AS outcome,
          count(*) AS requests, CAST(sum(cost) AS bigint) AS cost,
          CAST(coalesce(sum(upstream_cost), 0) AS bigint) AS upstream_cost,
          count(*) - count(upstream_cost) AS unknown_costs
        FROM request WHERE ${began(range)} GROUP BY 1, 2, 3, 4 ORDER BY 1`)
      return rows.map(toSums)
    },
    /** Requests that were rejected before a hold, by the beginning of the step. */
    async rejected({ from, to }: ReportRange, stepMs: number): Promise<ReadonlyMap<number, number>> {
      const rows = await read(sql`SELECT ${stepOf(sql`minute`, stepMs)} AS at, CAST(sum(count) AS bigint) AS count
        FROM rejected_request WHERE minute >= ${from} AND minute < ${to} GROUP BY 1`)
      return new Map(rows.map((row) => [small(row.at), small(row.count)]))
    },
    /** Those that spent most first. */
    async topAccounts(range: ReportRange, source: TrafficSource, limit: number): Promise<AccountSums[]> {
      const rows = await read(sql`SELECT ${source === 'requests' ? sql`account` : sql`lead_id`} AS account,
          CAST(${source === 'requests' ? sql`count(*)` : sql`sum(requests)`} AS bigint) AS requests,
          CAST(sum(cost) AS bigint) AS cost
        FROM ${rowsOf(source, range)} GROUP BY 1 ORDER BY 3 DESC, 2 DESC, 1 LIMIT ${limit}`)
      return rows.map(toAccountSums)
    },
    /** Times to the first token of all models in the hours of the range, as a histogram (observe/latency-buckets.ts). */
    async firstTokens({ from, to }: ReportRange): Promise<{ bucket: number; count: number }[]> {
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
