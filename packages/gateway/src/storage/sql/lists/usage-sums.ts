// What was used over all accounts, in groups of any dimensions, on both engines. Days that are over have sums over all accounts
// (daily_total); groups of accounts or keys are read for some of them at a time, in the order of their ids.
import { type RawBuilder, sql } from 'kysely'
import { SHORTFALL } from '../../../money/book.ts'
import type { Page } from '../../console/pages.ts'
import {
  type ReportRange,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageFilter,
  type UsageGroup,
  type UsageSort,
  type UsageSums,
} from '../../console/reports.ts'
import { checkText } from '../guard.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, putMeta, rawStatement, type Statement, statement } from '../statements.ts'
import { type Condition, present } from './pages.ts'
import { beginningOf, isPeriod } from './periods.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A day is added up so long after its end: what was decided in it is written by then. */
const LATEST_MS = HOUR_MS
/** The beginning of the first day that is not added up, in `meta`. */
export const ADDED_UNTIL = 'usage_rolled_until'

/** As the tables keep them. */
const KEPT = ['requests', 'tokens', 'cost', 'upstream_cost', 'unknown_costs'] as const
const SUMS = [...KEPT, 'shortfall'] as const
const NAMES = ['model', 'upstream', 'outcome'] as const

/** How many accounts or keys are read for one page of a month. */
const AT_ONCE = { account: 300, key: 1_000 } as const
const FEWEST_AT_ONCE = 20
const MONTH_MS = 31 * DAY_MS
type Lead = keyof typeof AT_ONCE

/** Not kept as sums: requests cost at most what is held for them, with few exceptions. */
const SHORTFALLS = 'shortfalls'
const shortfalls = ({ from, to }: ReportRange): Source => ({ table: SHORTFALLS, from, to })

type Table = 'hourly_spending' | 'daily_spending' | 'daily_key_spending' | 'daily_total'
type Source = ReportRange & { table: Table | typeof SHORTFALLS }

export function usageSumsOver(connection: Connection) {
  const { db, runner, clock } = connection
  /** One at a time: each may read all sums of months. */
  let lastTop: Promise<unknown> = Promise.resolve()

  async function addedUntil(): Promise<number> {
    const [row] = await runner.read(statement(db.selectFrom('meta').select('value').where('name', '=', ADDED_UNTIL)))
    return Number(row?.value ?? 0)
  }

  /** The last account or key of those that are read; undefined: all that follow are. */
  async function lastOf(lead: Lead, after: bigint | undefined, { account }: UsageFilter, range: ReportRange) {
    const months = Math.max(1, (range.to - range.from) / MONTH_MS)
    const count = Math.max(FEWEST_AT_ONCE, Math.floor(AT_ONCE[lead] / months))
    const of = lead === 'key' && account !== undefined ? sql`AND account = ${account}` : sql``
    const [row] = await runner.readPage(
      rawStatement(
        db,
        sql`SELECT id FROM ${sql.table(lead === 'key' ? 'api_key' : 'account')}
          WHERE id >= ${after ?? 0n} ${of} ORDER BY id LIMIT 1 OFFSET ${count}`,
      ),
    )
    return row && integer(row.id)
  }

  /** No index leads with the day: this reads all rows. */
  async function firstDay(): Promise<number | undefined> {
    const [[first] = []] = await runner.readSlowly([rawStatement(db, sql`SELECT min(day) AS day FROM daily_spending`)])
    return optional(first?.day, small)
  }

  return {
    /** In the order of the dimensions, after the group `after`, which may have only the first of its dimensions. */
    async usage(
      dimensions: readonly UsageDimension[],
      range: ReportRange,
      filter: UsageFilter,
      limit: number,
      after?: UsageGroup,
    ): Promise<Page<UsageSums, UsageGroup>> {
      const by = USAGE_DIMENSIONS.filter((each) => dimensions.includes(each))
      const lead = by.find(isId)
      const start = lead && optional(after?.[lead], integer)
      // A single account or key is read whole.
      const isOne =
        lead === undefined || filter[lead] !== undefined || filter.key !== undefined || filter.person !== undefined
      const last = isOne ? undefined : await lastOf(lead, start, filter, range)
      const leads = present(
        lead && start !== undefined ? sql`${sql.ref(lead)} >= ${start}` : undefined,
        lead && last !== undefined ? sql`${sql.ref(lead)} <= ${last}` : undefined,
      )
      const sources = sourcesOf(by, range, filter, await addedUntil())
      const query = grouped(connection, by, [...sources, shortfalls(range)], filter, leads, limit + 1, { after })
      // All keys of the range are read: what people spent is in no order.
      const [rows = []] =
        by.includes('person') || filter.person !== undefined
          ? await runner.readSlowly([rawStatement(db, query)])
          : [await runner.readPage(rawStatement(db, query))]
      const page = rows.slice(0, limit).map((row) => toSums(row, by))
      if (rows.length > limit) return { rows: page, next: page.at(-1)?.group }
      return { rows: page, next: lead && last !== undefined ? { [lead]: last } : undefined }
    },
    /** The first groups in that order. Reads all sums of the range, one call at a time. */
    async topUsage(
      dimensions: readonly UsageDimension[],
      range: ReportRange,
      filter: UsageFilter,
      limit: number,
      sort: UsageSort,
    ): Promise<UsageSums[]> {
      const by = USAGE_DIMENSIONS.filter((each) => dimensions.includes(each))
      const sources = [...sourcesOf(by, range, filter, await addedUntil()), shortfalls(range)]
      const query = rawStatement(db, grouped(connection, by, sources, filter, [], limit, { sort }))
      const read = () => runner.readSlowly([query])
      const top = lastTop.then(read, read)
      lastTop = top
      const [rows = []] = await top
      return rows.map((row) => toSums(row, by))
    },
    /**
     * Adds up, over all accounts, the days that are over and are not added up yet; until then they are read from the sums of accounts. One
     * process of a cluster at a time. Resolves with the number of days.
     */
    async addUp(): Promise<number> {
      const [known, ended] = [await addedUntil(), dayOf(clock() - LATEST_MS)]
      // The last day once more: some of its rows may have come late.
      const begin = known === 0 ? await firstDay() : known - DAY_MS
      if (begin === undefined) return 0
      for (let day = begin; day < ended; day += DAY_MS) {
        const source = { table: 'daily_spending', from: day, to: day + DAY_MS } as const
        const sums = grouped(connection, [...NAMES, 'day'], [source], {}, [], MOST_SUMS)
        const [rows = []] = await runner.readSlowly([rawStatement(db, sums)])
        await runner.write([...rows.map((row) => putTotal(db, row)), putMeta(db, ADDED_UNTIL, String(day + DAY_MS))])
      }
      return Math.max(0, (ended - begin) / DAY_MS)
    },
  }
}

/** Days before `addedUntil` have sums over all accounts. Parts of days are read from hours. */
function sourcesOf(
  by: readonly UsageDimension[],
  { from, to }: ReportRange,
  filter: UsageFilter,
  addedUntil: number,
): Source[] {
  const [firstDay, lastDay] = [dayOf(from + DAY_MS - 1), dayOf(to)]
  if (firstDay > lastDay || by.includes('hour')) return [{ table: 'hourly_spending', from, to }]
  const needs = (dimension: Lead) =>
    by.includes(dimension) ||
    filter[dimension] !== undefined ||
    (dimension === 'key' && (by.includes('person') || filter.person !== undefined))
  const added = needs('key') || needs('account') ? firstDay : Math.min(Math.max(firstDay, addedUntil), lastDay)
  const sources: Source[] = [
    { table: 'hourly_spending', from, to: firstDay },
    { table: 'daily_total', from: firstDay, to: added },
    { table: needs('key') ? 'daily_key_spending' : 'daily_spending', from: added, to: lastDay },
    { table: 'hourly_spending', from: lastDay, to },
  ]
  return sources.filter((source) => source.from < source.to)
}

const dayOf = (time: number): number => time - (time % DAY_MS)

/** `leads`: which accounts or keys are read. */
function grouped(
  connection: Connection,
  by: readonly UsageDimension[],
  sources: readonly Source[],
  filter: UsageFilter,
  leads: readonly Condition[],
  limit: number,
  { after, sort }: { after?: UsageGroup | undefined; sort?: UsageSort } = {},
): RawBuilder<unknown> {
  const groups = by.map((dimension) => sql.ref(`sums.${dimension}`))
  const parts = sources.map((source) =>
    sort ? addedPart(connection, by, source, filter) : part(connection, by, source, filter, leads),
  )
  const sums = SUMS.map((name) => sql`CAST(sum(${sql.ref(`sums.${name}`)}) AS bigint) AS ${sql.ref(name)}`)
  return sql`SELECT ${sql.join([...groups, ...sums])}
    FROM (${sql.join(parts, sql` UNION ALL `)}) AS sums ${later(by, after)}
    ${groups.length === 0 ? sql`HAVING count(*) > 0` : sql`GROUP BY ${sql.join(groups)} ORDER BY ${order(groups, sort)}`}
    LIMIT ${limit}`
}

/**
 * Groups of one source with their sums. Those of accounts or keys are read for one after the other: what is read is that of the range, in the
 * order of the table, however long its history is.
 */
function addedPart(
  connection: Connection,
  by: readonly UsageDimension[],
  source: Source,
  filter: UsageFilter,
): RawBuilder<unknown> {
  const lead = LEADS[source.table]
  const isLed = lead !== undefined && by.includes(lead)
  const rows = part(
    connection,
    by,
    source,
    filter,
    isLed ? [sql`${sql.ref(lead)} = lead_id`] : [],
    isLed ? lead : undefined,
  )
  if (by.length === 0) return rows
  const sums = SUMS.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`)
  const groups = by.map((each) => sql.ref(each))
  return sql`SELECT * FROM (SELECT ${sql.join([...groups, ...sums])} FROM (${rows}) AS part GROUP BY ${sql.join(groups)}) AS added`
}

/** What the rows of a table are ordered by. */
const LEADS: Readonly<Partial<Record<Source['table'], Lead>>> = { daily_spending: 'account', daily_key_spending: 'key' }
/** The join is in this order on both engines. Grouped by `lead_id`, SQLite reads the ids in their order and has nothing to sort. */
export const ledBy = (lead: Lead): RawBuilder<unknown> =>
  sql`(SELECT id AS lead_id FROM ${sql.table(lead === 'key' ? 'api_key' : 'account')}) AS leads CROSS JOIN `

const SORTED: Readonly<Record<UsageSort['by'], string>> = {
  charged: 'sum(sums.cost)',
  upstream_cost: 'sum(sums.upstream_cost)',
  margin: 'sum(sums.cost) - sum(sums.upstream_cost)',
  requests: 'sum(sums.requests)',
  tokens: 'sum(sums.tokens)',
  unknown_costs: 'sum(sums.unknown_costs)',
  shortfall: 'sum(sums.shortfall)',
}

const order = (groups: readonly RawBuilder<unknown>[], sort: UsageSort | undefined): RawBuilder<unknown> =>
  sort === undefined
    ? sql.join(groups)
    : sql`${sql.raw(SORTED[sort.by])} ${sql.raw(sort.descends ? 'DESC' : 'ASC')}, ${sql.join(groups)}`

function part(
  connection: Connection,
  by: readonly UsageDimension[],
  { table, from, to }: Source,
  filter: UsageFilter,
  leads: readonly Condition[],
  led?: Lead,
): RawBuilder<unknown> {
  const isShortfall = table === SHORTFALLS
  const atName = isShortfall ? 'at' : table === 'hourly_spending' ? 'hour' : 'day'
  const at = sql.ref(atName)
  // `+` makes both engines read by account or key, of which there are few, not by time.
  const time = led === undefined && isInOrder(by, table, filter, leads) ? sql`+${at}` : at
  const columns = by.map((each) =>
    isPeriod(each)
      ? sql`${beginningOf(each, atName, connection)} AS ${sql.ref(each)}`
      : each === led
        ? sql`lead_id AS ${sql.ref(each)}`
        : each === 'person'
          ? sql`(SELECT coalesce(person, 0) FROM api_key WHERE id = ${led === 'key' ? sql`lead_id` : sql.ref('key')}) AS person`
          : sql.ref(each),
  )
  const conditions = [sql`${time} >= ${from}`, sql`${time} < ${to}`, ...leads, ...filtered(table, filter)]
  const sums = isShortfall
    ? [...KEPT.map(() => sql.lit(0)), sql.ref('amount')]
    : [...KEPT.map((name) => sql.ref(name)), sql.lit(0)]
  const named = SUMS.map((name, index) => sql`${sums[index]} AS ${sql.ref(name)}`)
  return sql`SELECT ${sql.join([...columns, ...named])}
    FROM ${led ? ledBy(led) : sql``}${isShortfall ? SHORTFALL_ROWS : sql.table(table)} WHERE ${sql.join(conditions, sql` AND `)}`
}

/** Whether the table has the accounts or keys that are read one after the other. */
function isInOrder(
  by: readonly UsageDimension[],
  table: Source['table'],
  filter: UsageFilter,
  leads: readonly Condition[],
): boolean {
  const isByAccount = filter.account !== undefined || (leads.length > 0 && !by.includes('key'))
  if (table === SHORTFALLS) return false
  if (table === 'hourly_spending') return isByAccount
  return table !== 'daily_total' && (isByAccount || leads.length > 0 || filter.key !== undefined)
}

/** The sums of keys are in the order of keys, so that an account is found by its keys. */
const filtered = (
  table: Source['table'],
  { key, account, person, model, upstream, outcome }: UsageFilter,
): Condition[] =>
  present(
    person === undefined ? undefined : madeBy(person),
    key === undefined ? undefined : sql`key = ${key}`,
    account === undefined
      ? undefined
      : table === 'daily_key_spending' && key === undefined
        ? sql`key IN (SELECT id FROM api_key WHERE account = ${account})`
        : sql`account = ${account}`,
    model === undefined ? undefined : sql`model = ${checkText('model', model)}`,
    upstream === undefined ? undefined : sql`upstream = ${checkText('upstream', upstream)}`,
    outcome === undefined ? undefined : sql`outcome = ${checkText('outcome', outcome)}`,
  )

/** 0: an operator, or the command line. */
export const madeBy = (person: bigint): Condition =>
  person === 0n
    ? sql`key IN (SELECT id FROM api_key WHERE person IS NULL)`
    : sql`key IN (SELECT id FROM api_key WHERE person = ${person})`

/** Only groups that come after this one. */
function later(by: readonly UsageDimension[], after: UsageGroup | undefined): RawBuilder<unknown> {
  const known = by.filter((dimension) => after?.[dimension] !== undefined)
  if (!after || known.length === 0) return sql``
  const names = known.map((dimension) => sql.ref(`sums.${dimension}`))
  return sql`WHERE (${sql.join(names)}) > (${sql.join(known.map((dimension) => after[dimension]))})`
}

/** In the hour of the end of the request, as its charge. The condition is that of an index of these transfers alone. */
const SHORTFALL_ROWS = sql`(SELECT transfer.at, CASE WHEN transfer.debit = ${sql.lit(SHORTFALL)} THEN transfer.amount ELSE -transfer.amount END AS amount,
    request.key, request.account, request.model, request.upstream, request.outcome
  FROM transfer JOIN request ON request.id = transfer.request
  WHERE transfer.debit = ${sql.lit(SHORTFALL)} OR transfer.credit = ${sql.lit(SHORTFALL)}) AS shortfalls`

/** Far more than the models, upstreams and outcomes of one day. */
const MOST_SUMS = 100_000

function putTotal(db: Database, row: Row): Statement {
  const sums = Object.fromEntries(KEPT.map((name) => [name, integer(row[name])])) as Record<
    (typeof KEPT)[number],
    bigint
  >
  const names = {
    day: small(row.day),
    model: text(row.model),
    upstream: text(row.upstream),
    outcome: text(row.outcome),
  }
  const insert = db.insertInto('daily_total').values({ ...names, ...sums })
  return statement(insert.onConflict((conflict) => conflict.columns(['day', ...NAMES]).doUpdateSet(sums)))
}

function toSums(row: Row, by: readonly UsageDimension[]) {
  const value = (dimension: UsageDimension) =>
    isPeriod(dimension)
      ? small(row[dimension])
      : isId(dimension) || dimension === 'person'
        ? integer(row[dimension])
        : text(row[dimension])
  return {
    group: Object.fromEntries(by.map((dimension) => [dimension, value(dimension)])),
    requests: small(row.requests),
    tokens: small(row.tokens),
    charged: integer(row.cost),
    upstreamCost: integer(row.upstream_cost),
    unknownCosts: small(row.unknown_costs),
    shortfall: integer(row.shortfall),
  }
}

const isId = (dimension: UsageDimension): dimension is Lead => dimension === 'key' || dimension === 'account'
