// What was used over all accounts, in groups of any dimensions, on both engines. Days that are over have sums over all accounts
// (daily_total); groups of accounts or keys are read for some of them at a time, in the order of their ids.
import { type RawBuilder, sql } from 'kysely'
import {
  type ReportRange,
  type Reports,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageFilter,
  type UsageGroup,
} from '../../console/reports.ts'
import { checkText } from '../guard.ts'

import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, putMeta, rawStatement, type Statement, statement } from '../statements.ts'
import { type Condition, present } from './pages.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAY = sql.lit(DAY_MS)
/** A day is added up so long after its end: what was decided in it is written by then. */
const LATEST_MS = HOUR_MS
/** The beginning of the first day that is not added up, in `meta`. */
const ADDED_UNTIL = 'usage_rolled_until'

const SUMS = ['requests', 'tokens', 'cost', 'upstream_cost', 'unknown_costs'] as const
const NAMES = ['model', 'upstream', 'outcome'] as const

/** How many accounts or keys are read for one page of a month. */
const AT_ONCE = { account: 300, key: 1_000 } as const
const FEWEST_AT_ONCE = 20
const MONTH_MS = 31 * DAY_MS
type Lead = keyof typeof AT_ONCE

type Table = 'hourly_spending' | 'daily_spending' | 'daily_key_spending' | 'daily_total'
type Source = ReportRange & { table: Table }

export function usageSumsOver({ db, runner, clock }: Connection): Pick<Reports, 'usage' | 'addUp'> {
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

  return {
    async usage(dimensions, range, filter, limit, after) {
      const by = USAGE_DIMENSIONS.filter((each) => dimensions.includes(each))
      const lead = by.find(isId)
      const start = lead && optional(after?.[lead], integer)
      // A single account or key is read whole.
      const isOne = lead === undefined || filter[lead] !== undefined || filter.key !== undefined
      const last = isOne ? undefined : await lastOf(lead, start, filter, range)
      const leads = present(
        lead && start !== undefined ? sql`${sql.ref(lead)} >= ${start}` : undefined,
        lead && last !== undefined ? sql`${sql.ref(lead)} <= ${last}` : undefined,
      )
      const sources = sourcesOf(by, range, filter, await addedUntil())
      const rows = await runner.readPage(rawStatement(db, grouped(by, sources, filter, leads, limit + 1, after)))
      const page = rows.slice(0, limit).map((row) => toSums(row, by))
      if (rows.length > limit) return { rows: page, next: page.at(-1)?.group }
      return { rows: page, next: lead && last !== undefined ? { [lead]: last } : undefined }
    },
    async addUp() {
      const [known, ended] = [await addedUntil(), dayOf(clock() - LATEST_MS)]
      const [first] = await runner.read(rawStatement(db, sql`SELECT min(day) AS day FROM daily_spending`))
      // The last day once more: some of its rows may have come late.
      const begin = known === 0 ? optional(first?.day, small) : known - DAY_MS
      if (begin === undefined) return 0
      for (let day = begin; day < ended; day += DAY_MS) {
        const source = { table: 'daily_spending', from: day, to: day + DAY_MS } as const
        const sums = grouped([...NAMES, 'day'], [source], {}, [], MOST_SUMS)
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
  const needs = (dimension: Lead) => by.includes(dimension) || filter[dimension] !== undefined
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
  by: readonly UsageDimension[],
  sources: readonly Source[],
  filter: UsageFilter,
  leads: readonly Condition[],
  limit: number,
  after?: UsageGroup,
): RawBuilder<unknown> {
  const groups = by.map((dimension) => sql.ref(`sums.${dimension}`))
  const parts = sources.map((source) => part(by, source, filter, leads))
  const sums = SUMS.map((name) => sql`CAST(sum(${sql.ref(`sums.${name}`)}) AS bigint) AS ${sql.ref(name)}`)
  return sql`SELECT ${sql.join([...groups, ...sums])}
    FROM (${sql.join(parts, sql` UNION ALL `)}) AS sums ${later(by, after)}
    ${groups.length === 0 ? sql`HAVING count(*) > 0` : sql`GROUP BY ${sql.join(groups)} ORDER BY ${sql.join(groups)}`}
    LIMIT ${limit}`
}

function part(
  by: readonly UsageDimension[],
  { table, from, to }: Source,
  filter: UsageFilter,
  leads: readonly Condition[],
): RawBuilder<unknown> {
  const at = sql.ref(table === 'hourly_spending' ? 'hour' : 'day')
  // `+` makes both engines read by account or key, of which there are few, not by time.
  const time = isInOrder(by, table, filter, leads) ? sql`+${at}` : at
  const columns = by.map((each) =>
    each === 'day' ? sql`${at} - ${at} % ${DAY} AS day` : each === 'hour' ? sql`${at} AS hour` : sql.ref(each),
  )
  const conditions = [sql`${time} >= ${from}`, sql`${time} < ${to}`, ...leads, ...filtered(table, filter)]
  return sql`SELECT ${sql.join([...columns, ...SUMS.map((name) => sql.ref(name))])}
    FROM ${sql.table(table)} WHERE ${sql.join(conditions, sql` AND `)}`
}

/** Whether the table has the accounts or keys that are read one after the other. */
function isInOrder(
  by: readonly UsageDimension[],
  table: Table,
  filter: UsageFilter,
  leads: readonly Condition[],
): boolean {
  const isByAccount = filter.account !== undefined || (leads.length > 0 && !by.includes('key'))
  if (table === 'hourly_spending') return isByAccount
  return table !== 'daily_total' && (isByAccount || leads.length > 0 || filter.key !== undefined)
}

/** The sums of keys are in the order of keys, so that an account is found by its keys. */
const filtered = (table: Table, { key, account, model, upstream, outcome }: UsageFilter): Condition[] =>
  present(
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

/** Only groups that come after this one. */
function later(by: readonly UsageDimension[], after: UsageGroup | undefined): RawBuilder<unknown> {
  const known = by.filter((dimension) => after?.[dimension] !== undefined)
  if (!after || known.length === 0) return sql``
  const names = known.map((dimension) => sql.ref(`sums.${dimension}`))
  return sql`WHERE (${sql.join(names)}) > (${sql.join(known.map((dimension) => after[dimension]))})`
}

/** Of models, upstreams and outcomes on one day: far more than there are. */
const MOST_SUMS = 100_000

function putTotal(db: Database, row: Row): Statement {
  const sums = Object.fromEntries(SUMS.map((name) => [name, integer(row[name])])) as Record<
    (typeof SUMS)[number],
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
    isTime(dimension) ? small(row[dimension]) : isId(dimension) ? integer(row[dimension]) : text(row[dimension])
  return {
    group: Object.fromEntries(by.map((dimension) => [dimension, value(dimension)])),
    requests: small(row.requests),
    tokens: small(row.tokens),
    charged: integer(row.cost),
    upstreamCost: integer(row.upstream_cost),
    unknownCosts: small(row.unknown_costs),
  }
}

const isId = (dimension: UsageDimension): dimension is Lead => dimension === 'key' || dimension === 'account'
const isTime = (dimension: UsageDimension) => dimension === 'day' || dimension === 'hour'
