// Sums over all accounts on both engines. Whole days are read from the sums of days, other ranges from those of hours.
import { type RawBuilder, sql } from 'kysely'
import { firstIdAt, formatRequestId } from '../../../money/request-ids.ts'
import {
  FAILED_OUTCOMES,
  type ReportedBy,
  type ReportedFailures,
  type ReportRange,
  type Reports,
} from '../../console/reports.ts'
import { checkText } from '../guard.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'

const DAY_MS = 86_400_000
const DAY = sql.lit(DAY_MS)

export const reportsOver = ({ db, runner, receiptError }: Connection): Reports => ({
  async spending(by, range, limit, after) {
    const [rows = []] = await runner.readSlowly([rawStatement(db, spendingBy(by, range, limit, after))])
    return rows.map((row) => ({
      of: text(row.of_name),
      name: optional(row.name, text),
      account: optional(row.account, integer),
      requests: small(row.requests),
      tokens: small(row.tokens),
      charged: integer(row.cost),
      upstreamCost: integer(row.upstream_cost),
      unknownCosts: small(row.unknown_costs),
    }))
  },
  async failures(range, limit) {
    const [receipts = [], rejected = []] = await runner.readSlowly([
      rawStatement(db, failedReceipts(range, limit, receiptError)),
      rawStatement(db, rejectedByCode(range, limit)),
    ])
    const failed = [
      ...receipts.map((row) => toFailures(row, formatRequestId(integer(row.last)))),
      ...rejected.map((row) => toFailures(row, text(row.last))),
    ]
    return failed.toSorted((one, other) => other.count - one.count).slice(0, limit)
  },
})

const toFailures = (row: Row, lastRequest: string): ReportedFailures => ({
  code: text(row.code),
  outcome: optional(row.outcome, text),
  model: optional(row.model, text),
  upstream: optional(row.upstream, text),
  count: small(row.count),
  lastRequest,
})

const SUMS = sql.raw(
  ['requests', 'tokens', 'cost', 'upstream_cost', 'unknown_costs']
    .map((column) => `CAST(sum(sums.${column}) AS bigint) AS ${column}`)
    .join(', '),
)

function spendingBy(by: ReportedBy, { from, to }: ReportRange, limit: number, after?: string): RawBuilder<unknown> {
  const isWhole = from % DAY_MS === 0 && to % DAY_MS === 0
  const table = sql.table(isWhole ? (by === 'key' ? 'daily_key_spending' : 'daily_spending') : 'hourly_spending')
  const at = sql.ref(isWhole ? 'sums.day' : 'sums.hour')
  const isNumber = by === 'account' || by === 'key' || by === 'day'
  // Times are after 1970, so that the remainder is never negative.
  const group = by === 'day' ? sql`${at} - ${at} % ${DAY}` : sql.ref(`sums.${by}`)
  const place = after === undefined ? undefined : isNumber ? BigInt(after) : checkText('after', after)
  const later = place === undefined ? sql`` : sql`AND ${group} > ${place}`
  const grouped = sql`SELECT ${group} AS grouped, ${SUMS} FROM ${table} AS sums
    WHERE ${at} >= ${from} AND ${at} < ${to} ${later} GROUP BY ${group} ORDER BY ${group} LIMIT ${limit}`
  const named =
    by === 'account' || by === 'key'
      ? sql`${sql.raw(by === 'key' ? 'api_key.name, api_key.account' : 'account.name, NULL AS account')}`
      : sql`NULL AS name, NULL AS account`
  const joined =
    by === 'account' || by === 'key'
      ? sql`LEFT JOIN ${sql.table(by === 'key' ? 'api_key' : 'account')} ON id = grouped`
      : sql``
  return sql`WITH found AS (${grouped})
    SELECT CAST(grouped AS text) AS of_name, ${named}, requests, tokens, cost, upstream_cost, unknown_costs
    FROM found ${joined} ORDER BY grouped`
}

/** The condition is that of an index of failed requests alone. */
const failedReceipts = ({ from, to }: ReportRange, limit: number, receiptError: string): RawBuilder<unknown> =>
  sql`WITH failed AS (
      SELECT coalesce(${sql.raw(receiptError)}, outcome) AS code, outcome, model, upstream, id FROM request
      WHERE outcome IN (${sql.join(FAILED_OUTCOMES.map((outcome) => sql.lit(outcome)))})
        AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)}
    )
    SELECT code, outcome, model, upstream, count(*) AS count, max(id) AS last FROM failed
    GROUP BY code, outcome, model, upstream ORDER BY count(*) DESC, code, outcome, model, upstream LIMIT ${limit}`

/** Ids of requests grow with time, also as text. */
const rejectedByCode = ({ from, to }: ReportRange, limit: number): RawBuilder<unknown> =>
  sql`SELECT code, NULL AS outcome, NULL AS model, NULL AS upstream, CAST(sum(count) AS bigint) AS count, max(last_request) AS last
    FROM rejected_request WHERE minute >= ${from} AND minute < ${to}
    GROUP BY code ORDER BY sum(count) DESC, code LIMIT ${limit}`
