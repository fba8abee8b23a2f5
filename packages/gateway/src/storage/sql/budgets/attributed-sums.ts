// Sums by tag, and by end user, on both engines.
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
} from '../../console/reports.ts'
import { checkText } from '../guard.ts'
import { type Condition, present } from '../lists/pages.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Connection, rawStatement, statement } from '../statements.ts'

const DAY_MS = 86_400_000
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

export const attributionOver = ({ db, runner }: Connection) => ({
  /**
   * Groups of the sums of whole days, in the order of the dimensions after the group `after`, or the first of another order. Those of all
   * accounts, without one value, are read without delaying requests.
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
    const query = rawStatement(db, grouped(dimension, by, range, filter, limit + 1, { sort, after }))
    const isOfFew = filter.account !== undefined || filter.value !== undefined
    const [rows = []] = isOfFew ? [await runner.readPage(query)] : await runner.readSlowly([query])
    const page = rows.slice(0, limit).map((row) => toSums(row, by))
    const isMore = rows.length > limit && (sort === undefined || sort.by === 'value')
    return { rows: page, next: isMore ? page.at(-1)?.group : undefined }
  },
  /** Removes the sums of one day of an account that is deleted. false: there are none. */
  async sweepDeleted(): Promise<boolean> {
    const ofAccount = db.selectFrom('daily_attribution_spending').select(['account', 'dimension', 'day']).limit(1)
    const deleted = db
      .selectFrom('account')
      .select('id')
      .where('deleted_at', 'is not', null)
      .where((row) =>
        row.exists(
          row
            .selectFrom('daily_attribution_spending as sums')
            .select('sums.account')
            .whereRef('sums.account', '=', 'account.id'),
        ),
      )
    const [found] = await runner.readPage(statement(deleted.limit(1)))
    if (!found) return false
    const account = integer(found.id)
    const [one] = await runner.readPage(statement(ofAccount.where('account', '=', account)))
    if (!one) return false
    const [dimension, day] = [text(one.dimension), small(one.day)]
    await runner.write(
      (['daily_attribution_spending', 'daily_attribution_values'] as const).map((table) =>
        statement(
          db.deleteFrom(table).where('account', '=', account).where('dimension', '=', dimension).where('day', '=', day),
        ),
      ),
    )
    return true
  },
})

function grouped(
  dimension: AttributionDimension,
  by: readonly AttributedDimension[],
  { from, to }: ReportRange,
  filter: AttributedFilter,
  limit: number,
  { sort, after }: AttributedOrder,
): RawBuilder<unknown> {
  const groups = by.map((each) => sql.ref(each))
  const sums = SUMS.map((name) => sql`CAST(sum(${sql.ref(name)}) AS bigint) AS ${sql.ref(name)}`)
  const where = [
    sql`dimension = ${dimension}`,
    sql`day >= ${from}`,
    sql`day < ${to}`,
    ...filtered(filter),
    ...later(by, after, sort?.descends === true),
  ]
  return sql`SELECT ${sql.join([...groups, ...sums, sql`max(last_at) AS last_at`])} FROM daily_attribution_spending
    WHERE ${sql.join(where, sql` AND `)} ${groups.length === 0 ? sql`HAVING count(*) > 0` : sql`GROUP BY ${sql.join(groups)}`}
    ${order(groups, sort)} LIMIT ${limit}`
}

const filtered = ({ account, key, model, upstream, outcome, value }: AttributedFilter): Condition[] =>
  present(
    account === undefined ? undefined : sql`account = ${account}`,
    key === undefined ? undefined : sql`key = ${key}`,
    value === undefined ? undefined : sql`value = ${checkText('value', value)}`,
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

function later(by: readonly AttributedDimension[], after: AttributedGroup | undefined, descends: boolean): Condition[] {
  const known = by.filter((each) => after?.[each] !== undefined)
  if (!after || known.length === 0) return []
  const names = known.map((each) => sql.ref(each))
  const place = sql.join(known.map((each) => after[each]))
  return [sql`(${sql.join(names)}) ${sql.raw(descends ? '<' : '>')} (${place})`]
}

function toSums(row: Row, by: readonly AttributedDimension[]): AttributedSums {
  const value = (each: AttributedDimension) =>
    each === 'day' ? small(row.day) : each === 'account' || each === 'key' ? integer(row[each]) : text(row[each])
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
