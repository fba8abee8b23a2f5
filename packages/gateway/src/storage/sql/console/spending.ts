// What accounts spend, for the console, on both engines: sums by hour, and lists of requests.
import { sql } from 'kysely'
import { firstIdAt } from '../../../money/request-ids.ts'
import type { RequestFilter, Spending, SpendingFilter, SpendingPoint, SpendingStep } from '../../spending.ts'
import { checkId, checkText } from '../guard.ts'
import { receipt, USAGE } from '../reports.ts'
import { integer, type Row, small, text, toUsageRow } from '../rows.ts'
import { type Connection, type Database, type Statement, statement } from '../statements.ts'
import { historyOver } from './history.ts'
import { latenciesOver } from './latencies.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Longer ranges are summed without delaying requests meanwhile, at the price of a slower answer. */
const LONGEST_SHORT_RANGE_MS = 40 * DAY_MS
/** How many requests one page looks at if few of them match. */
const MOST_READ = 4_000

export function spendingOver(connection: Connection): Spending {
  const { db, runner } = connection
  return {
    ...historyOver(connection),
    ...latenciesOver(connection),
    async series(account, filter, step, by) {
      const query = series(db, account, filter, step, by === 'none' ? undefined : by)
      const isShort = filter.to - filter.from <= LONGEST_SHORT_RANGE_MS
      const rows = isShort ? await runner.readLedger(query) : (await runner.readSlowly([query]))[0]
      const points = (rows ?? []).map(toPoint)
      return step === 'month' ? byMonth(points) : points
    },
    async requests(account, filter, limit) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`limit: ${limit}`)
      // Where to stop looking: without it, a filter that nothing matches would read all requests of the account.
      const floor = isRare(filter) ? await requestAt(account, filter, MOST_READ - 1) : undefined
      const found = requests(db, account, filter, floor).select([...USAGE, receipt.as('receipt')])
      const rows = (await runner.readLedger(statement(found.limit(limit + 1)))).map(toUsageRow)
      const page = rows.slice(0, limit)
      return { rows: page, next: rows.length > limit ? page.at(-1)?.request : floor }
    },
    async openRequests(account, limit) {
      return (await runner.readLedger(openRequests(db, account, limit))).map(toUsageRow)
    },
    async lastUsed(account, keys) {
      if (keys.length === 0) return new Map()
      const rows = await runner.readLedger(lastUsed(db, account, keys))
      return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[integer(id), small(at)] as const])))
    },
  }

  /** The id of the request that stands there in the list, whatever model, key and ending it has. */
  async function requestAt(account: bigint, filter: RequestFilter, place: number): Promise<bigint | undefined> {
    const { model: _, key: __, ending: ___, ...range } = filter
    const query = requests(db, account, range).select('id').limit(1).offset(place)
    const [row] = await runner.readLedger(statement(query))
    return row && integer(row.id)
  }
}

const isRare = ({ model, key, ending }: RequestFilter): boolean =>
  model !== undefined || key !== undefined || ending !== undefined

function series(
  db: Database,
  account: bigint,
  { from, to, model, key }: SpendingFilter,
  step: SpendingStep,
  by: 'model' | 'key' | undefined,
): Statement {
  const at = step === 'hour' ? sql<number>`hour` : sql<number>`hour - hour % ${sql.lit(DAY_MS)}`
  const sum = (column: 'requests' | 'tokens' | 'cost') => sql`CAST(sum(${sql.ref(column)}) AS bigint)`.as(column)
  let query = db
    .selectFrom('spending')
    .select([at.as('at'), sum('requests'), sum('tokens'), sum('cost')])
    .where('account', '=', account)
    .where('hour', '>=', from - (from % HOUR_MS))
    .where('hour', '<', to)
    .groupBy(at)
    .orderBy(at)
  if (model !== undefined) query = query.where('model', '=', checkText('model', model))
  if (key !== undefined) query = query.where('key', '=', key)
  if (by === undefined) return statement(query)
  const named = sql<string>`CAST(${sql.ref(by)} AS text)`
  return statement(query.select(named.as('name')).groupBy(by).orderBy(by))
}

const toPoint = (row: Row): SpendingPoint => ({
  at: small(row.at),
  name: row.name === undefined ? '' : text(row.name),
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
        ...{ at, name, requests: month.requests + requests, tokens: month.tokens + tokens, cost: month.cost + cost },
      })),
    )
    .map((point) => ({ ...point, at: monthOf(point.at) }))
    .toSorted((one, other) => one.at - other.at)
}

function monthOf(at: number): number {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth())
}

/** Newest first. */
function requests(db: Database, account: bigint, filter: RequestFilter, floor?: bigint) {
  const { from, to, model, key, ending, before } = filter
  let query = db.selectFrom('request').where('account', '=', account).orderBy('id', 'desc')
  if (floor !== undefined) query = query.where('id', '>=', floor)
  if (before !== undefined) query = query.where('id', '<', checkId(before))
  if (from !== undefined) query = query.where('id', '>=', firstIdAt(from))
  if (to !== undefined) query = query.where('id', '<', firstIdAt(to))
  if (model !== undefined) query = query.where('model', '=', checkText('model', model))
  if (key !== undefined) query = query.where('key', '=', key)
  return ending === undefined ? query : query.where('ending', '=', checkText('ending', ending))
}

/** `+` makes both engines use the index of open requests, which are few, not that of all requests of the account. */
const openRequests = (db: Database, account: bigint, limit: number): Statement =>
  statement(
    db
      .selectFrom('request')
      .select([...USAGE, receipt.as('receipt')])
      .where('state', '=', sql.lit(0))
      .where(sql<bigint>`+account`, '=', account)
      .orderBy(sql`+id`)
      .limit(limit),
  )

/** Each key reads the models of its last hour only. */
const lastUsed = (db: Database, account: bigint, keys: readonly bigint[]): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .select((row) => [
        'id',
        row
          .selectFrom('spending')
          .select('last_at')
          .whereRef('key', '=', 'api_key.id')
          .orderBy('hour', 'desc')
          .orderBy('last_at', 'desc')
          .limit(1)
          .as('at'),
      ])
      .where('id', 'in', keys)
      .where('account', '=', account),
  )
