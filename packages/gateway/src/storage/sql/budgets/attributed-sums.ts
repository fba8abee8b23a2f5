// Sums by tag, by end user and of a session, on both engines.
import { type RawBuilder, sql } from 'kysely'
import type { AttributionDimension } from '../../../money/budgets/attribution.ts'
import type { Page } from '../../console/pages.ts'
import {
  ATTRIBUTED_DIMENSIONS,
  type AttributedDimension,
  type AttributedFilter,
  type AttributedGroup,
  type AttributedSort,
  type AttributedSums,
  type ReportRange,
  type SessionSums,
} from '../../console/reports.ts'
import { checkText } from '../guard.ts'
import { type Condition, present } from '../lists/pages.ts'
import { beginningOf, isPeriod } from '../lists/periods.ts'
import { madeBy } from '../lists/usage-sums.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'
import { hasTagName, isOfSession, onDays } from './conditions.ts'

const DAY_MS = 86_400_000
/** More requests of one session are not added up. */
const MOST_OF_SESSION = 10_000
/** An account may have ten thousand values on each day. */
const LONGEST_SHORT_RANGE_MS = 8 * DAY_MS
const SUMS = ['requests', 'tokens', 'cost', 'upstream_cost', 'unknown_costs'] as const

const SORTED: Readonly<Record<Exclude<AttributedSort['by'], 'value'>, string>> = {
  charged: 'sum(cost)',
  upstream_cost: 'sum(upstream_cost)',
  margin: 'sum(cost) - sum(upstream_cost)',
  requests: 'sum(requests)',
  tokens: 'sum(tokens)',
  unknown_costs: 'sum(unknown_costs)',
}

export type AttributedOrder = { sort?: AttributedSort | undefined; after?: AttributedGroup | undefined }

export const attributedSumsOver = ({ db, runner, monthOf }: Connection) => ({
  /**
   * Groups of the sums of whole days, in the order of the dimensions after the group `after`, or the first of another order. Those of many
   * days or of all accounts, without one value, are read without delaying requests.
   */
  async sums(
    dimension: AttributionDimension,
    dimensions: readonly AttributedDimension[],
    range: ReportRange,
    filter: AttributedFilter,
    limit: number,
    { sort, after }: AttributedOrder = {},
  ): Promise<Page<AttributedSums, AttributedGroup>> {
    for (const time of [range.from, range.to])
      if (time % DAY_MS !== 0) throw new RangeError(`${time} is not the beginning of a day`)
    const by = ATTRIBUTED_DIMENSIONS.filter((each) => dimensions.includes(each))
    const query = rawStatement(db, grouped(monthOf, dimension, by, range, filter, limit + 1, { sort, after }))
    const isShort = filter.account !== undefined && range.to - range.from <= LONGEST_SHORT_RANGE_MS
    const isOfFew = isShort || filter.value !== undefined
    const [rows = []] = isOfFew ? [await runner.readPage(query)] : await runner.readSlowly([query])
    const page = rows.slice(0, limit).map((row) => toSums(row, by))
    const isMore = rows.length > limit && (sort === undefined || sort.by === 'value')
    return { rows: page, next: isMore ? page.at(-1)?.group : undefined }
  },
  /**
   * What the newest requests of a session used that are not archived: a bounded number, of which there may be more. `person`: only those with keys
   * that this person made.
   */
  async session(account: bigint, session: string, person?: bigint): Promise<SessionSums> {
    const ofPerson = person === undefined ? sql`` : sql`AND ${madeBy(person)}`
    const newest = sql`SELECT id, state, tokens, cost FROM request WHERE account = ${account} AND ${isOfSession(session)} ${ofPerson}
      ORDER BY id DESC LIMIT ${sql.lit(MOST_OF_SESSION + 1)}`
    const ended = (column: string) => sql`CAST(sum(CASE WHEN state <> 0 THEN ${sql.ref(column)} END) AS bigint)`
    const query = sql`SELECT count(*) AS requests, CAST(sum(CASE WHEN state = 0 THEN 1 ELSE 0 END) AS bigint) AS running,
      ${ended('tokens')} AS tokens, ${ended('cost')} AS cost, min(id) AS first, max(id) AS last FROM (${newest}) AS newest`
    const [row = {}] = await runner.readPage(rawStatement(db, query))
    return {
      requests: Math.min(small(row.requests ?? 0), MOST_OF_SESSION),
      running: small(row.running ?? 0),
      tokens: small(row.tokens ?? 0),
      charged: integer(row.cost ?? 0n),
      first: optional(row.first, integer),
      last: optional(row.last, integer),
      isAll: small(row.requests ?? 0) <= MOST_OF_SESSION,
    }
  },
})

function grouped(
  monthOf: Connection['monthOf'],
  dimension: AttributionDimension,
  by: readonly AttributedDimension[],
  range: ReportRange,
  filter: AttributedFilter,
  limit: number,
  { sort, after }: AttributedOrder,
): RawBuilder<unknown> {
  const groups = by.map((each) => expressionOf(each, monthOf))
  const named = by.map((each, index) => sql`${groups[index]} AS ${sql.ref(each)}`)
  const sums = SUMS.map((name) => sql`CAST(sum(${sql.ref(name)}) AS bigint) AS ${sql.ref(name)}`)
  const where = [
    sql`dimension = ${dimension}`,
    onDays('day', range, filter.account !== undefined && filter.value !== undefined),
    ...filtered(filter),
    ...later(groups, by, after, sort?.descends === true),
  ]
  return sql`SELECT ${sql.join([...named, ...sums, sql`max(last_at) AS last_at`])} FROM daily_attribution_spending
    WHERE ${sql.join(where, sql` AND `)} ${groups.length === 0 ? sql`HAVING count(*) > 0` : sql`GROUP BY ${sql.join(groups)}`}
    ${order(groups, sort)} LIMIT ${limit}`
}

function expressionOf(each: AttributedDimension, monthOf: Connection['monthOf']): RawBuilder<unknown> {
  if (each === 'day') return sql.ref('day')
  if (isPeriod(each)) return beginningOf(each, 'day', { monthOf })
  return each === 'person' ? sql`(SELECT coalesce(person, 0) FROM api_key WHERE id = key)` : sql.ref(each)
}

const filtered = ({ account, key, person, model, upstream, outcome, value, tagName }: AttributedFilter): Condition[] =>
  present(
    account === undefined ? undefined : sql`account = ${account}`,
    key === undefined ? undefined : sql`key = ${key}`,
    person === undefined ? undefined : madeBy(person),
    value === undefined ? undefined : sql`value = ${checkText('value', value)}`,
    tagName === undefined ? undefined : hasTagName('value', tagName),
    model === undefined ? undefined : sql`model = ${checkText('model', model)}`,
    upstream === undefined ? undefined : sql`upstream = ${checkText('upstream', upstream)}`,
    outcome === undefined ? undefined : sql`outcome = ${checkText('outcome', outcome)}`,
  )

function order(groups: readonly RawBuilder<unknown>[], sort: AttributedSort | undefined): RawBuilder<unknown> {
  const direction = sql.raw(sort?.descends ? 'DESC' : 'ASC')
  const all = groups.map((group) => sql`${group} ${direction}`)
  const first = sort === undefined || sort.by === 'value' ? [] : [sql`${sql.raw(SORTED[sort.by])} ${direction}`]
  return first.length + all.length === 0 ? sql`` : sql`ORDER BY ${sql.join([...first, ...all])}`
}

function later(
  groups: readonly RawBuilder<unknown>[],
  by: readonly AttributedDimension[],
  after: AttributedGroup | undefined,
  descends: boolean,
): Condition[] {
  const known = by.flatMap((each, index) =>
    after?.[each] === undefined ? [] : [[groups[index], after[each]] as const],
  )
  if (known.length === 0) return []
  const names = sql.join(known.map(([name]) => name))
  return [sql`(${names}) ${sql.raw(descends ? '<' : '>')} (${sql.join(known.map(([, value]) => value))})`]
}

const IDS: ReadonlySet<string> = new Set(['account', 'key', 'person'])

function toSums(row: Row, by: readonly AttributedDimension[]): AttributedSums {
  const value = (each: AttributedDimension) =>
    isPeriod(each) ? small(row[each]) : IDS.has(each) ? integer(row[each]) : text(row[each])
  return {
    group: Object.fromEntries(by.map((each) => [each, value(each)])),
    requests: small(row.requests),
    tokens: small(row.tokens),
    charged: integer(row.cost),
    upstreamCost: integer(row.upstream_cost),
    unknownCosts: small(row.unknown_costs),
    lastAt: small(row.last_at),
  }
}
