// What failed, over all accounts, on both engines. Sums of what was used: usage-sums.ts.
import { type RawBuilder, sql } from 'kysely'
import { firstIdAt, formatRequestId } from '../../../money/request-ids.ts'
import { FAILED_OUTCOMES, type ReportedFailures, type ReportRange } from '../../console/reports.ts'
import { usageSumsOver } from '../lists/usage-sums.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'

export const reportsOver = (connection: Connection) => ({
  ...usageSumsOver(connection),
  /** The most frequent first. Receipts count by the begin of their request. */
  async failures(range: ReportRange, limit: number): Promise<ReportedFailures[]> {
    const { db, runner, receiptError } = connection
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
