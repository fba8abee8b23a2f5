// What accounts do, as lists of operators show and order it: sums that are kept with each charge, and counts of few rows.
import { type RawBuilder, sql } from 'kysely'
import { ACTIVITY_DAYS, type AccountActivity, type AccountOrder } from '../../console/lists.ts'
import type { Page, Place } from '../../console/pages.ts'
import { integer, optional, small, text } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'
import { all, type Condition } from './pages.ts'

const DAY_MS = 86_400_000
/** Each account has a row for every day and model of the range. */
const AT_ONCE = 200

/** Sums are of days (UTC). */
const spentSince = (from: number) =>
  sql`(SELECT CAST(sum(cost) AS bigint) FROM daily_spending WHERE daily_spending.account = account.id AND day >= ${from})`
const LAST_AT = sql`(SELECT last_at FROM daily_spending WHERE daily_spending.account = account.id ORDER BY day DESC, last_at DESC LIMIT 1)`
const IS_HELD = (now: number) => sql`deleted = 0 AND purpose = 'client' AND (expires_at IS NULL OR expires_at > ${now})`

const firstDay = (now: number): number => now - (now % DAY_MS) - (ACTIVITY_DAYS - 1) * DAY_MS

export function accountActivityOver({ db, runner, clock }: Connection) {
  async function read(accounts: readonly bigint[]) {
    const now = clock()
    const rows = await runner.readPage(
      rawStatement(
        db,
        sql`SELECT account.id, account.open_requests, ${spentSince(firstDay(now))} AS spent, ${LAST_AT} AS last_at,
          (SELECT count(*) FROM api_key WHERE api_key.account = account.id AND ${IS_HELD(now)}) AS active_keys
          FROM account WHERE id IN (${sql.join(accounts)})`,
      ),
    )
    const named = await runner.readPage(
      rawStatement(
        db,
        sql`SELECT DISTINCT account, group_name FROM api_key WHERE account IN (${sql.join(accounts)}) AND ${IS_HELD(now)} ORDER BY group_name`,
      ),
    )
    const groups = Map.groupBy(named, ({ account }) => integer(account))
    return rows.map(
      (row): AccountActivity => ({
        account: integer(row.id),
        spent: optional(row.spent, integer) ?? 0n,
        activeKeys: small(row.active_keys),
        groups: (groups.get(integer(row.id)) ?? []).map(({ group_name }) => text(group_name)),
        lastUsedAt: optional(row.last_at, small),
        openRequests: small(row.open_requests),
      }),
    )
  }
  return {
    /** Activity within `ACTIVITY_DAYS`. Accounts that do not exist are absent. */
    async activity(accounts: readonly bigint[]): Promise<ReadonlyMap<bigint, AccountActivity>> {
      const found: AccountActivity[] = []
      for (let at = 0; at < accounts.length; at += AT_ONCE)
        found.push(...(await read(accounts.slice(at, at + AT_ONCE))))
      return new Map(found.map((each) => [each.account, each]))
    },
  }
}

/** What accounts are ordered by, and whether the highest comes first. */
export type AccountValue = Exclude<AccountOrder, 'oldest' | 'newest'>
const HIGHEST_FIRST: ReadonlySet<AccountValue> = new Set(['spent', 'last_used'])

/** Above every amount and time. */
const LAST = sql.raw('9223372036854775807')

function orderedBy(order: AccountValue, now: number): RawBuilder<unknown> {
  const last = (value: RawBuilder<unknown>) => sql`CASE WHEN deleted_at IS NULL THEN ${value} ELSE ${LAST} END`
  if (order === 'spent') return sql`coalesce(${spentSince(firstDay(now))}, 0)`
  const used = sql`coalesce(${LAST_AT}, 0)`
  return order === 'balance' ? last(sql`balance`) : order === 'unused' ? last(used) : used
}

/**
 * A page of accounts by what they have or do. Values change with each request, so no index has them: all accounts are looked at, and of
 * each a row of its newest day, or the days that count. A page goes on after what the account before it has now.
 */
export async function accountsByValue(
  { db, runner, clock }: Connection,
  order: AccountValue,
  filters: readonly Condition[],
  { after, before }: Place,
  limit: number,
): Promise<Page<bigint>> {
  const read = (query: RawBuilder<unknown>) => runner.readPage(rawStatement(db, query))
  const value = orderedBy(order, clock())
  const start = before ?? after
  const isBackwards = before !== undefined
  const descends = HIGHEST_FIRST.has(order) !== isBackwards
  const [place] = start === undefined ? [] : await read(sql`SELECT ${value} AS value FROM account WHERE id = ${start}`)
  const range =
    place === undefined
      ? sql``
      : sql`WHERE (value, id) ${sql.raw(descends ? '<' : '>')} (${integer(place.value)}, ${start})`
  const direction = sql.raw(descends ? 'DESC' : 'ASC')
  const found = await read(
    // Materialized, because each value would be computed again for the order.
    sql`WITH valued AS MATERIALIZED (SELECT account.id, CAST(${value} AS bigint) AS value FROM account ${all(filters)})
      SELECT id FROM valued ${range} ORDER BY value ${direction}, id ${direction} LIMIT ${limit + 1}`,
  )
  const ids = found.slice(0, limit).map(({ id }) => integer(id))
  const next = found.length > limit ? ids.at(-1) : undefined
  return { rows: isBackwards ? ids.reverse() : ids, next }
}
