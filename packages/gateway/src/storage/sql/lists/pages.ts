// Pages of lists in the order of ids, on both engines.
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Page, Place } from '../../console/pages.ts'
import { integer, type Row } from '../rows.ts'
import { type Connection, type Runner, rawStatement, statement } from '../statements.ts'

export type Condition = RawBuilder<unknown>

export type IdList = {
  table: 'account' | 'person' | 'api_key' | 'request' | 'transfer' | 'audit_log'
  columns: readonly RawBuilder<unknown>[]
  order: 'newest' | 'oldest'
  /** Conditions that an index serves. */
  where: readonly Condition[]
  /** Conditions that are checked row by row. */
  filters: readonly Condition[]
  /** How many rows a page looks at, if there are filters. */
  mostRead?: number
}

const MOST_READ = 10_000

/** From `low` until before `high`. */
export type IdRange = { low?: bigint | undefined; high?: bigint | undefined }

export async function readIdPage(
  { db, runner }: Connection,
  { table, columns, order, where, filters, mostRead = MOST_READ }: IdList,
  { after, before }: Place,
  limit: number,
): Promise<Page<Row>> {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`limit: ${limit}`)
  const isBackwards = before !== undefined
  const descends = (order === 'newest') !== isBackwards
  const id = sql.ref(`${table}.id`)
  const start = isBackwards ? before : after
  const range = [...where]
  if (start !== undefined) range.push(descends ? sql`${id} < ${start}` : sql`${id} > ${start}`)
  const ordered = sql`ORDER BY ${id} ${sql.raw(descends ? 'DESC' : 'ASC')}`
  const rowsOf = (
    selected: readonly RawBuilder<unknown>[],
    conditions: readonly Condition[],
    end: RawBuilder<unknown>,
  ) =>
    runner.readPage(
      rawStatement(db, sql`SELECT ${sql.join(selected)} FROM ${sql.table(table)} ${all(conditions)} ${ordered} ${end}`),
    )

  let last: bigint | undefined
  if (filters.length > 0) {
    // Where to stop looking: without it, a filter that nothing matches would read the whole list.
    const [row] = await rowsOf([id], range, sql`LIMIT 1 OFFSET ${mostRead - 1}`)
    last = row && integer(row.id)
    if (last !== undefined) range.push(descends ? sql`${id} >= ${last}` : sql`${id} <= ${last}`)
  }
  const found = await rowsOf(columns, [...range, ...filters], sql`LIMIT ${limit + 1}`)
  const rows = found.slice(0, limit)
  const next = found.length > limit ? integer(rows.at(-1)?.id) : last
  return { rows: isBackwards ? rows.reverse() : rows, next }
}

type Range = { before?: bigint | number; after?: bigint | number }

/** Rows before one of the list, or those after it that are nearest to it. `at`: the column that they are in the order of. */
export async function newestFirst<DB, Table extends keyof DB, Selected>(
  read: Runner['read'],
  query: SelectQueryBuilder<DB, Table, Selected>,
  { before, after }: Range,
  limit: number,
  at = 'id',
): Promise<Row[]> {
  const column = sql.ref<bigint | number>(at)
  let page = query.orderBy(column, after === undefined ? 'desc' : 'asc').limit(limit)
  if (before !== undefined) page = page.where(column, '<', before)
  if (after !== undefined) page = page.where(column, '>', after)
  const rows = await read(statement(page))
  return after === undefined ? rows : rows.reverse()
}

export const all = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`

export const columnsOf = (table: string, names: readonly string[]): RawBuilder<unknown>[] =>
  names.map((name) => sql.ref(`${table}.${name}`))

export const inRange = ({ low, high }: IdRange): Condition[] =>
  present(low === undefined ? undefined : sql`id >= ${low}`, high === undefined ? undefined : sql`id < ${high}`)

/** The conditions that are set. */
export const present = (...conditions: readonly (Condition | undefined)[]): Condition[] =>
  conditions.filter((each) => each !== undefined)

export const beginsWith = (column: string, text: string): Condition =>
  sql`substr(${sql.ref(column)}, 1, ${[...text].length}) = ${text}`

/** Whatever the case of its letters, as far as the engine folds them. */
export const contains = (column: string, part: string): Condition =>
  sql`(lower(${sql.ref(column)}) LIKE ${`%${escaped(part.toLowerCase())}%`} ESCAPE '!'
    OR ${sql.ref(column)} LIKE ${`%${escaped(part)}%`} ESCAPE '!')`

const escaped = (part: string): string => part.replace(/[!%_]/g, '!$&')
