// Requests that were rejected before a hold: counted by key, code and minute, never part of the usage.
import { type RawBuilder, sql } from 'kysely'
import type { RejectedCount } from '../../../observe/rejected-requests.ts'
import { checkText } from '../guard.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, rawStatement, type Statement, statement } from '../statements.ts'

export type { RejectedCount } from '../../../observe/rejected-requests.ts'

export type RejectedPlace = Pick<RejectedCount, 'account' | 'key' | 'code' | 'minute'>
/**
 * Times in milliseconds since 1970; `to` is excluded. `before`: only rows that come after this one in the list. `after`: only those that
 * come before it, the nearest ones.
 */
export type RejectedFilter = {
  account?: bigint
  key?: bigint
  code?: string
  /** Only keys that this person made. */
  person?: bigint
  /** The row whose last request it is. */
  lastRequest?: string
  from?: number
  to?: number
  before?: RejectedPlace
  after?: RejectedPlace
}

/** How many rows are kept; of the last minute, a few more may be. */
export type RejectedBounds = { perKey: number; perAccount: number; inAll: number }

const LONGEST_REASON = 200
const AT_ONCE = 500

export const rejectedRequestsOver = ({ db, runner }: Connection) => ({
  /** Adds to the counts of the same key, code and minute. The oldest rows beyond the bounds are removed in the same transaction. */
  async add(rows: readonly RejectedCount[], bounds: RejectedBounds): Promise<void> {
    if (rows.length === 0) return
    // Always in the same order, so that nodes that write at once cannot deadlock.
    const sorted = rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const statements: Statement[] = []
    for (let at = 0; at < sorted.length; at += AT_ONCE) {
      const some = sorted.slice(at, at + AT_ONCE)
      statements.push(add(db, some), ...removeOldest(db, some, bounds))
    }
    await runner.write([...statements, removeOldestOfAll(db, bounds.inAll)])
  },
  /** Newest first. */
  async list(
    { account, key, code, person, lastRequest, from, to, before, after }: RejectedFilter,
    limit: number,
  ): Promise<RejectedCount[]> {
    let query = db.selectFrom('rejected_request').selectAll()
    if (account !== undefined) query = query.where('account', '=', account)
    if (key !== undefined) query = query.where('key', '=', key)
    if (code !== undefined) query = query.where('code', '=', checkText('code', code))
    if (person !== undefined)
      query = query.where('key', 'in', db.selectFrom('api_key').select('id').where('person', '=', person))
    if (lastRequest !== undefined) query = query.where('last_request', '=', checkText('lastRequest', lastRequest))
    if (from !== undefined) query = query.where('minute', '>=', from - (from % MINUTE_MS))
    if (to !== undefined) query = query.where('minute', '<', to)
    if (before) query = query.where(sql<boolean>`${ORDER} < ${placeOf(before)}`)
    if (after) query = query.where(sql<boolean>`${ORDER} > ${placeOf(after)}`)
    const ordered = COLUMNS.reduce((all, column) => all.orderBy(column, after ? 'asc' : 'desc'), query)
    const rows = (await runner.readPage(statement(ordered.limit(limit)))).map(toRejected)
    return after ? rows.reverse() : rows
  },
  /** Removes rows of minutes before `before`. */
  async sweep(before: number): Promise<void> {
    await runner.write([statement(db.deleteFrom('rejected_request').where('minute', '<', before))])
  },
})

const MINUTE_MS = 60_000
const COLUMNS = ['minute', 'account', 'key', 'code'] as const
const ORDER = sql`(minute, account, key, code)`
const placeOf = ({ minute, account, key, code }: RejectedPlace) => sql`(${minute}, ${account}, ${key}, ${code})`

const nameOf = ({ account, minute, key, code }: RejectedCount): string =>
  [account, minute, key]
    .map((part) => String(part).padStart(20, '0'))
    .concat(code)
    .join(' ')

const add = (db: Database, rows: readonly RejectedCount[]): Statement =>
  statement(
    db
      .insertInto('rejected_request')
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
        conflict.columns(['account', 'key', 'minute', 'code']).doUpdateSet((row) => ({
          count: row('rejected_request.count', '+', row.ref('excluded.count')),
          last_request: row.ref('excluded.last_request'),
          reason: row.ref('excluded.reason'),
        })),
      ),
  )

/** Removes the oldest requests of the keys and accounts that were added to. */
function removeOldest(
  db: Database,
  rows: readonly RejectedCount[],
  { perKey, perAccount }: RejectedBounds,
): Statement[] {
  const keys = [...new Map(rows.map((row) => [`${row.account} ${row.key}`, [row.account, row.key]])).values()]
  const accounts = [...new Set(rows.map(({ account }) => account))].map((account) => [account])
  return [removeBeyond(db, ['account', 'key'], keys, perKey), removeBeyond(db, ['account'], accounts, perAccount)]
}

/** Looks up the minute of the last row that stays, in the order of an index, and removes what is older. */
function removeBeyond(
  db: Database,
  columns: readonly string[],
  ids: readonly (readonly bigint[])[],
  most: number,
): Statement {
  const joined = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql` AND `)
  const values = ids.map((each) => sql`(${sql.join(each.map((id) => sql`CAST(${id} AS bigint)`))})`)
  // Both engines name the columns of a list of values so.
  const isOf = (table: string) => joined(columns.map((name, at) => sql`${sql.ref(`${table}.${name}`)} = ${given(at)}`))
  const given = (at: number) => sql.ref(`given.column${at + 1}`)
  const last = sql`SELECT kept.minute FROM rejected_request AS kept WHERE ${isOf('kept')}
    ORDER BY kept.minute DESC LIMIT 1 OFFSET ${most - 1}`
  return rawStatement(
    db,
    sql`DELETE FROM rejected_request WHERE (account, key, minute, code) IN (
      SELECT old.account, old.key, old.minute, old.code FROM (VALUES ${sql.join(values)}) AS given
      JOIN rejected_request AS old ON ${isOf('old')} AND old.minute < (${last}))`,
  )
}

const removeOldestOfAll = (db: Database, most: number): Statement =>
  rawStatement(
    db,
    sql`DELETE FROM rejected_request
      WHERE minute < (SELECT minute FROM rejected_request ORDER BY minute DESC LIMIT 1 OFFSET ${most - 1})`,
  )

const toRejected = (row: Row): RejectedCount => ({
  account: integer(row.account),
  key: integer(row.key),
  code: text(row.code),
  minute: small(row.minute),
  count: small(row.count),
  lastRequest: text(row.last_request),
  reason: text(row.reason),
})
