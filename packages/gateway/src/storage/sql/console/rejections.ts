// Rejected requests on both engines.
import { sql } from 'kysely'
import type { RejectedRequests, Rejections } from '../../console/rejections.ts'
import { checkText } from '../guard.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, rawStatement, type Statement, statement } from '../statements.ts'

const LONGEST_REASON = 200
const AT_ONCE = 500

export const rejectionsOver = ({ db, runner }: Connection): Rejections => ({
  async add(rows) {
    // Always in the same order, so that nodes that write at once cannot deadlock.
    const sorted = rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const statements: Statement[] = []
    for (let at = 0; at < sorted.length; at += AT_ONCE) statements.push(add(db, sorted.slice(at, at + AT_ONCE)))
    if (statements.length > 0) await runner.write(statements)
  },
  async list(account, { key, from, to }, limit) {
    let query = db.selectFrom('rejection').selectAll().where('account', '=', account)
    if (key !== undefined) query = query.where('key', '=', key)
    if (from !== undefined) query = query.where('minute', '>=', from)
    if (to !== undefined) query = query.where('minute', '<', to)
    const rows = await runner.readPage(
      statement(query.orderBy('minute', 'desc').orderBy('key').orderBy('code').limit(limit)),
    )
    return rows.map(toRejected)
  },
  async sweep(before, mostPerAccount, mostInAll) {
    const [removed = []] = (await runner.write([sweep(db, before, mostPerAccount, mostInAll)])) ?? []
    return removed.length
  },
})

const nameOf = ({ account, minute, key, code }: RejectedRequests): string =>
  [account, minute, key]
    .map((part) => String(part).padStart(20, '0'))
    .concat(code)
    .join(' ')

const add = (db: Database, rows: readonly RejectedRequests[]): Statement =>
  statement(
    db
      .insertInto('rejection')
      .values(
        rows.map(({ account, key, code, minute, count, lastRequest, reason }) => ({
          account,
          key,
          code: checkText('code', code),
          minute,
          count,
          last_request: checkText('lastRequest', lastRequest),
          reason: checkText('reason', reason.slice(0, LONGEST_REASON).toWellFormed().replaceAll('\0', '')),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['account', 'minute', 'key', 'code']).doUpdateSet((row) => ({
          count: row('rejection.count', '+', row.ref('excluded.count')),
          last_request: row.ref('excluded.last_request'),
          reason: row.ref('excluded.reason'),
        })),
      ),
  )

const sweep = (db: Database, before: number, mostPerAccount: number, mostInAll: number): Statement =>
  rawStatement(
    db,
    sql`DELETE FROM rejection WHERE (account, minute, key, code) IN (
      SELECT account, minute, key, code FROM (
        SELECT account, minute, key, code, row_number() OVER (PARTITION BY account ORDER BY minute DESC, key, code) AS of_account,
          row_number() OVER (ORDER BY minute DESC, account, key, code) AS of_all FROM rejection) placed
      WHERE minute < ${before} OR of_account > ${mostPerAccount} OR of_all > ${mostInAll})
    RETURNING code`,
  )

const toRejected = (row: Row): RejectedRequests => ({
  account: integer(row.account),
  key: integer(row.key),
  code: text(row.code),
  minute: small(row.minute),
  count: small(row.count),
  lastRequest: text(row.last_request),
  reason: text(row.reason),
})
