// What accounts spend, for the console, on both engines: sums over time, and lists of requests.
import { sql } from 'kysely'
import { HELD } from '../../../money/book.ts'
import { firstIdAt } from '../../../money/request-ids.ts'
import type { Page } from '../../console/pages.ts'
import { ALL_ERRORS, FAILED_OUTCOMES } from '../../console/reports.ts'
import type { RequestFilter, SpendingBy, SpendingFilter, SpendingStep, SpendingTotals } from '../../console/spending.ts'
import type { UsageRow } from '../../ledger.ts'
import { toUsageRow } from '../../ledger.ts'
import { hasTag, isOfSession } from '../budgets/conditions.ts'
import { checkId, checkText } from '../guard.ts'
import type { IdRange } from '../lists/pages.ts'
import { receipt, USAGE } from '../reports.ts'
import { integer, type Row, small } from '../rows.ts'
import { type Connection, type Database, type Statement, statement } from '../statements.ts'
import { historyOver } from './history.ts'
import { latenciesOver } from './latencies.ts'
import { attributionOf, seriesStatement, toSeries, toTotals, totalsStatement } from './series.ts'

/** `keys`: in place of a person, those that the person made. */
export type FoundRequests = RequestFilter & { range?: IdRange; keys?: readonly bigint[] }

/** All keys of longer ranges are summed without delaying requests meanwhile, at the price of a slower answer. */
const LONGEST_SHORT_RANGE_MS = 130 * 86_400_000
/** An account may have ten thousand tags a day. */
const LONGEST_SHORT_ATTRIBUTED_MS = 8 * 86_400_000
/** How many requests one page looks at if few of them match. */
const MOST_READ = 4_000

export function spendingOver(connection: Connection) {
  const { db, runner } = connection
  return {
    ...historyOver(connection),
    ...latenciesOver(connection),
    /** The steps that begin before `to`; the first one is that of `from`. Reads as many rows as there are days, models and keys. */
    async series(account: bigint, filter: SpendingFilter, step: SpendingStep, by: SpendingBy) {
      return toSeries(await sumsOf(seriesStatement(db, account, filter, step, by), filter, by), step, by)
    },
    /** What each model or key had of the same sums, those that cost most first, at most `limit`. */
    async totals(
      account: bigint,
      filter: SpendingFilter,
      step: SpendingStep,
      by: Exclude<SpendingBy, 'none'>,
      limit: number,
    ): Promise<SpendingTotals> {
      return toTotals(await sumsOf(totalsStatement(db, account, filter, step, by, limit), filter, by))
    },
    /** Newest first. Reads a bounded number of rows: `next` is where to continue, undefined if there are no more. */
    async requests(account: bigint, filter: FoundRequests, limit: number): Promise<Page<UsageRow>> {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`limit: ${limit}`)
      // Where to stop looking: without it, a filter that nothing matches would read all requests of the account.
      const floor = isRare(filter) ? await requestAt(account, filter, MOST_READ - 1) : undefined
      const found = requests(db, account, filter, floor).select([...USAGE, receipt.as('receipt')])
      const rows = (await runner.readPage(statement(found.limit(limit + 1)))).map(toUsageRow)
      const page = rows.slice(0, limit)
      return { rows: page, next: rows.length > limit ? page.at(-1)?.request : floor }
    },
    /** Open requests, oldest first, at most `limit`. */
    async openRequests(account: bigint, limit: number): Promise<UsageRow[]> {
      return (await runner.readLedger(openRequests(db, account, limit))).map(toUsageRow)
    },
    /** Last use of each key that was ever used. `account`: only of its keys. */
    async lastUsed(account: bigint | undefined, keys: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
      if (keys.length === 0) return new Map()
      const rows = await runner.readLedger(lastUsed(db, account, keys))
      return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[integer(id), small(at)] as const])))
    },
  }

  async function sumsOf(query: Statement, filter: SpendingFilter, by: SpendingBy): Promise<readonly Row[]> {
    const { key, from, to } = filter
    const attributed = attributionOf(filter, by)
    const isOfMany = attributed ? attributed.value === undefined : by === 'key' && key === undefined
    const isLong = isOfMany && to - from > (attributed ? LONGEST_SHORT_ATTRIBUTED_MS : LONGEST_SHORT_RANGE_MS)
    return isLong ? ((await runner.readSlowly([query]))[0] ?? []) : await runner.readPage(query)
  }

  /** The id of the request that stands there in the list, whatever model, key and outcome it has. */
  async function requestAt(account: bigint, filter: FoundRequests, place: number): Promise<bigint | undefined> {
    const { from, to, before, range } = filter
    const times = { ...(from && { from }), ...(to && { to }), ...(before && { before }), ...(range && { range }) }
    const query = requests(db, account, times).select('id').limit(1).offset(place)
    const [row] = await runner.readPage(statement(query))
    return row && integer(row.id)
  }
}

const isRare = ({ model, key, outcome, person, keys, tag, endUser }: FoundRequests): boolean =>
  [model, key, outcome, person, keys, tag, endUser].some((filter) => filter !== undefined)

/** Newest first. */
function requests(db: Database, account: bigint, filter: FoundRequests, floor?: bigint) {
  const { from, to, model, key, person, keys, outcome, before, range, tag, endUser, session } = filter
  let query = db.selectFrom('request').where('account', '=', account).orderBy('id', 'desc')
  if (floor !== undefined) query = query.where('id', '>=', floor)
  if (range?.low !== undefined) query = query.where('id', '>=', range.low)
  if (range?.high !== undefined) query = query.where('id', '<', range.high)
  if (before !== undefined) query = query.where('id', '<', checkId(before))
  if (from !== undefined) query = query.where('id', '>=', firstIdAt(from))
  if (to !== undefined) query = query.where('id', '<', firstIdAt(to))
  if (model !== undefined) query = query.where('model', '=', checkText('model', model))
  if (key !== undefined) query = query.where('key', '=', key)
  if (keys !== undefined) query = query.where('key', 'in', keys)
  if (tag !== undefined) query = query.where(hasTag(tag))
  if (endUser !== undefined) query = query.where('end_user', '=', checkText('endUser', endUser))
  if (session !== undefined) query = query.where(isOfSession(session))
  if (person !== undefined) query = query.where('key', 'in', keysOf(db, account, person))
  if (outcome === 'running') return query.where('state', '=', HELD)
  if (outcome === ALL_ERRORS) return query.where('outcome', 'in', FAILED_OUTCOMES)
  return outcome === undefined ? query : query.where('outcome', '=', checkText('outcome', outcome))
}

export const keysOf = (db: Database, account: bigint, person: bigint) =>
  db.selectFrom('api_key').select('api_key.id').where('api_key.account', '=', account).where('person', '=', person)

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

/** Each key reads the models of its last day only. */
const lastUsed = (db: Database, account: bigint | undefined, keys: readonly bigint[]): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .select((row) => [
        'id',
        row
          .selectFrom('daily_key_spending')
          .select('last_at')
          .whereRef('key', '=', 'api_key.id')
          .orderBy('day', 'desc')
          .orderBy('last_at', 'desc')
          .limit(1)
          .as('at'),
      ])
      .where('id', 'in', keys)
      .$if(account !== undefined, (query) => query.where('account', '=', account ?? 0n)),
  )
