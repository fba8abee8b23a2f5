// What an account has spent over time, on both engines: from the sums of hours, or of days for steps of days and months. One
// statement reads all of it, so that names and totals fit together.
import { type RawBuilder, sql } from 'kysely'
import { type AttributionDimension, FURTHER_VALUES } from '../../../money/budgets/attribution.ts'
import {
  MOST_NAMED,
  type SpendingBy,
  type SpendingFilter,
  type SpendingPoint,
  type SpendingStep,
  type SpendingTotals,
} from '../../console/spending.ts'
import { hasTagName, onDays } from '../budgets/conditions.ts'
import { checkText } from '../guard.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Database, rawStatement, type Statement } from '../statements.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Sql = RawBuilder<unknown>
/** Rows of sums named `sums`: the tables and the condition. `at`: the column with the beginning of their time. */
type Source = { rows: Sql; at: Sql }

export function seriesStatement(
  db: Database,
  account: bigint,
  filter: SpendingFilter,
  step: SpendingStep,
  by: SpendingBy,
): Statement {
  const all = totals(account, filter, step, by)
  if (by === 'none') return rawStatement(db, sql`${pointsOf(all, sql`NULL`)} ORDER BY at`)
  const name = sql.ref(NAME_OF[by])
  const named = by === 'key' && !attributionOf(filter, by) ? keySums(account, filter, step) : all
  const isLargest = sql`${name} IN (SELECT name FROM largest)`
  return rawStatement(
    db,
    sql`WITH ${by === 'key' && named !== all ? largestKeys(account, filter, step) : largestOf(name, all)}
      ${pointsOf({ ...named, rows: sql`${named.rows} AND ${isLargest}` }, sql`CAST(${name} AS text)`, name)}
      UNION ALL ${pointsOf(all, sql`NULL`)}`,
  )
}

const NAME_OF = { model: 'sums.model', key: 'sums.key', tag: 'sums.value', end_user: 'sums.value' } as const

/** Without a key, the sums of days that have none are fewer. */
function totals(account: bigint, filter: SpendingFilter, step: SpendingStep, by: SpendingBy): Source {
  const attributed = attributionOf(filter, by)
  if (attributed) return attributedSums(account, attributed, filter, step)
  if (step !== 'hour' && (filter.key ?? filter.person) !== undefined) return keySums(account, filter, step)
  const table = sql.table(step === 'hour' ? 'hourly_spending' : 'daily_spending')
  return sourceIn(sql`${table} AS sums WHERE sums.account = ${account}`, filter, step)
}

type Attributed = { dimension: AttributionDimension; value: string | undefined }

/** undefined: sums of all that is spent serve. */
export function attributionOf({ tag, endUser }: SpendingFilter, by: SpendingBy): Attributed | undefined {
  const isByTag = tag !== undefined || by === 'tag'
  if (isByTag && (endUser !== undefined || by === 'end_user'))
    throw new RangeError('sums by tag and end user together are not kept')
  if (isByTag) return { dimension: 'tag', value: tag }
  return endUser !== undefined || by === 'end_user' ? { dimension: 'end_user', value: endUser } : undefined
}

function attributedSums(account: bigint, { dimension, value }: Attributed, filter: SpendingFilter, step: SpendingStep) {
  if (step === 'hour') throw new RangeError('sums by tag and end user are of days')
  const ofValue = value === undefined ? sql`` : sql` AND sums.value = ${checkText('value', value)}`
  const { tagName } = filter
  const named = tagName === undefined ? sql`` : sql` AND ${hasTagName('sums.value', tagName)}`
  return sourceIn(
    sql`daily_attribution_spending AS sums WHERE sums.account = ${account} AND sums.dimension = ${dimension}${ofValue}${named}`,
    filter,
    step,
    onDays('sums.day', filter, value !== undefined),
  )
}

function keySums(account: bigint, filter: SpendingFilter, step: SpendingStep): Source {
  const table = sql.table(step === 'hour' ? 'hourly_spending' : 'daily_key_spending')
  return sourceIn(sql`${table} AS sums WHERE sums.account = ${account}`, filter, step)
}

/** Key by key, which is the order of the table of days: grouped by a column of that table SQLite would sort all of its rows. */
function largestKeys(account: bigint, filter: SpendingFilter, step: SpendingStep): Sql {
  if (step === 'hour') return largestOf(sql.ref('sums.key'), keySums(account, filter, step))
  return largestOf(sql.ref('api_key.id'), keyedSums(account, filter, step))
}

function keyedSums(account: bigint, filter: SpendingFilter, step: SpendingStep): Source {
  const rows = sql`api_key CROSS JOIN daily_key_spending AS sums WHERE api_key.account = ${account} AND sums.key = api_key.id`
  return sourceIn(rows, filter, step)
}

/** `times`: in place of the range of the filter. */
function sourceIn(
  rows: Sql,
  { from, to, model, key, person }: SpendingFilter,
  step: SpendingStep,
  times?: Sql,
): Source {
  const [at, stepMs] = step === 'hour' ? [sql.ref('sums.hour'), HOUR_MS] : [sql.ref('sums.day'), DAY_MS]
  const range = times ?? sql`${at} >= ${from - (from % stepMs)} AND ${at} < ${to}`
  const conditions = [sql`${rows} AND ${range}`]
  if (model !== undefined) conditions.push(sql`sums.model = ${checkText('model', model)}`)
  if (key !== undefined) conditions.push(sql`sums.key = ${key}`)
  if (person !== undefined)
    conditions.push(
      sql`sums.key IN (SELECT id FROM api_key AS own WHERE own.account = sums.account AND own.person = ${person})`,
    )
  return { at, rows: sql.join(conditions, sql` AND `) }
}

const SUMS = sql.raw(
  ['requests', 'tokens', 'cost'].map((column) => `CAST(sum(sums.${column}) AS bigint) AS ${column}`).join(', '),
)

const pointsOf = ({ rows, at }: Source, shown: Sql, name?: Sql): Sql =>
  sql`SELECT ${at} AS at, ${shown} AS name, ${SUMS} FROM ${rows} GROUP BY ${at}${name ? sql`, ${name}` : sql``}`

/** By each of the three sums, since any of them may be shown. */
const largestOf = (name: Sql, { rows }: Source): Sql => {
  const place = (column: string) => sql`row_number() OVER (ORDER BY ${sql.ref(column)} DESC, name)`
  return sql`named AS (SELECT ${name} AS name, ${SUMS} FROM ${rows} GROUP BY ${name}),
    placed AS (SELECT name, ${place('requests')} AS by_requests, ${place('tokens')} AS by_tokens,
      ${place('cost')} AS by_cost FROM named),
    largest AS (SELECT name FROM placed
      WHERE CAST(name AS text) <> ${FURTHER_VALUES} AND (by_requests <= ${MOST_NAMED} OR by_tokens <= ${MOST_NAMED} OR by_cost <= ${MOST_NAMED}))`
}

/** Sums by name, the most expensive first, with those of all names beside each of them. */
export function totalsStatement(
  db: Database,
  account: bigint,
  filter: SpendingFilter,
  step: SpendingStep,
  by: Exclude<SpendingBy, 'none'>,
  limit: number,
): Statement {
  const { rows, name } =
    by === 'key' && step !== 'hour' && !attributionOf(filter, by)
      ? { rows: keyedSums(account, filter, step).rows, name: sql.ref('api_key.id') }
      : { rows: totals(account, filter, step, by).rows, name: sql.ref(NAME_OF[by]) }
  const over = (column: string) => sql`CAST(sum(${sql.ref(column)}) OVER () AS bigint) AS ${sql.ref(`all_${column}`)}`
  return rawStatement(
    db,
    sql`WITH named AS (SELECT ${name} AS name, ${SUMS} FROM ${rows} GROUP BY ${name})
      SELECT CAST(name AS text) AS name, requests, tokens, cost, count(*) OVER () AS names,
        ${over('requests')}, ${over('tokens')}, ${over('cost')}
      FROM named ORDER BY cost DESC, requests DESC, named.name LIMIT ${limit}`,
  )
}

export function toTotals(rows: readonly Row[]): SpendingTotals {
  const [first] = rows
  return {
    rows: rows.map((row) => ({
      name: text(row.name),
      requests: small(row.requests),
      tokens: small(row.tokens),
      cost: integer(row.cost),
    })),
    names: first ? small(first.names) : 0,
    all: first
      ? { requests: small(first.all_requests), tokens: small(first.all_tokens), cost: integer(first.all_cost) }
      : { requests: 0, tokens: 0, cost: 0n },
  }
}

/** In order of time, then of name; what has no name of its own comes first. */
export function toSeries(rows: readonly Row[], step: SpendingStep, by: SpendingBy): SpendingPoint[] {
  const points = by === 'none' ? rows.map(toPoint) : withOthers(rows)
  const inOrder = points.toSorted((one, two) => one.at - two.at || compareNames(one.name, two.name, by))
  return step === 'month' ? byMonth(inOrder) : inOrder
}

const compareNames = (one: string, two: string, by: SpendingBy): number =>
  (by === 'key' ? one.length - two.length : 0) || (one < two ? -1 : 1)

/** Points of the rows with a name, and what these leave of the rows without one. */
function withOthers(rows: readonly Row[]): SpendingPoint[] {
  const named = rows.filter(({ name }) => name !== null).map(toPoint)
  const others = new Map(rows.filter(({ name }) => name === null).map((row) => [small(row.at), toPoint(row)]))
  for (const { at, requests, tokens, cost } of named) {
    const other = others.get(at)
    if (!other) continue
    other.requests -= requests
    other.tokens -= tokens
    other.cost -= cost
  }
  const isLeft = ({ requests, tokens, cost }: SpendingPoint) => requests !== 0 || tokens !== 0 || cost !== 0n
  return [...named, ...[...others.values()].filter(isLeft)]
}

const toPoint = (row: Row): SpendingPoint => ({
  at: small(row.at),
  name: row.name === null ? '' : text(row.name),
  requests: small(row.requests),
  tokens: small(row.tokens),
  cost: integer(row.cost),
})

/** `points` of days, in order. */
function byMonth(points: readonly SpendingPoint[]): SpendingPoint[] {
  const months = Map.groupBy(points, ({ at, name }) => `${monthOf(at)} ${name}`)
  return [...months.values()]
    .map((days) =>
      days.reduce((month, { at, name, requests, tokens, cost }) => ({
        at,
        name,
        requests: month.requests + requests,
        tokens: month.tokens + tokens,
        cost: month.cost + cost,
      })),
    )
    .map((point) => ({ ...point, at: monthOf(point.at) }))
    .toSorted((one, other) => one.at - other.at)
}

export function monthOf(at: number): number {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth())
}
