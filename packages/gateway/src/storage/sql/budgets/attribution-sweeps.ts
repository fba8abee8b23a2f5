// What ends of the attribution of requests, on both engines, page by page: old sums, and all that deleted accounts have.
import { sql } from 'kysely'
import { HELD } from '../../../money/book.ts'
import { FURTHER_VALUES, MOST_VALUES } from '../../../money/budgets/attribution.ts'
import { integer, type Row, small, text } from '../rows.ts'
import { type Connection, putMeta, rawStatement, required, type Statement, statement } from '../statements.ts'

const DAY_MS = 86_400_000
/** The end of the last day of which sums were removed because they were old, in `meta`: the audit does not look for them. */
export const SWEPT_UNTIL = 'attribution_swept_until'
const ROWS_AT_ONCE = 2_000
const REQUESTS_AT_ONCE = 500

type OfDay = { account: bigint; dimension: string; day: number }
/** An account that had more distinct values on a day than are told apart. */
export type ManyValues = OfDay

export const attributionSweepsOver = ({ db, runner }: Connection) => {
  const read = (query: ReturnType<typeof sql>) => runner.readPage(rawStatement(db, query))

  /** Some of the sums of a day, or the last of them with their count. */
  async function removeDay({ account, dimension, day }: OfDay, more: readonly Statement[] = []): Promise<void> {
    const ofDay = sql`account = ${account} AND dimension = ${dimension} AND day = ${day}`
    const [last] = await read(
      sql`SELECT value FROM daily_attribution_spending WHERE ${ofDay} ORDER BY value LIMIT 1 OFFSET ${sql.lit(ROWS_AT_ONCE)}`,
    )
    const removed = last
      ? [sql`DELETE FROM daily_attribution_spending WHERE ${ofDay} AND value <= ${text(last.value)}`]
      : [
          sql`DELETE FROM daily_attribution_spending WHERE ${ofDay}`,
          sql`DELETE FROM daily_attribution_values WHERE ${ofDay}`,
        ]
    await runner.write([...more, ...removed.map((each) => rawStatement(db, each))])
  }

  return {
    /** Removes some of the sums of days that began before `until`, the oldest first. false: there are none. */
    async sweep(until: number): Promise<boolean> {
      const [old] = await read(sql`SELECT account, dimension, day FROM daily_attribution_values WHERE day < ${until}
        ORDER BY day LIMIT 1`)
      if (!old) return false
      const day = toDay(old)
      await removeDay(day, [putMeta(db, SWEPT_UNTIL, String(day.day + DAY_MS))])
      return true
    },
    /** Removes some of the sums of a deleted account. false: there are none. */
    async sweepDeleted(): Promise<boolean> {
      const [found] = await read(sql`SELECT account, dimension, day FROM daily_attribution_values
        WHERE account = (SELECT id FROM account WHERE deleted_at IS NOT NULL AND EXISTS (
          SELECT 1 FROM daily_attribution_values AS own WHERE own.account = account.id) LIMIT 1) LIMIT 1`)
      if (!found) return false
      await removeDay(toDay(found))
      return true
    },
    /** The next requests of a deleted account no longer say what they were for. false: there are none, or they have not ended. */
    async forgetDeleted(): Promise<boolean> {
      const [next] = await read(sql`SELECT account, done_to FROM attribution_removal ORDER BY done_to, account LIMIT 1`)
      if (!next) return false
      const [account, after] = [integer(next.account), integer(next.done_to)]
      const rows = await runner.readLedger(
        rawStatement(
          db,
          sql`SELECT id, state FROM request WHERE account = ${account} AND id > ${after} ORDER BY id LIMIT ${sql.lit(REQUESTS_AT_ONCE)}`,
        ),
      )
      const open = rows.findIndex(({ state }) => small(state) === HELD)
      const ended = open < 0 ? rows : rows.slice(0, open)
      const last = ended.length === 0 ? after : integer(ended.at(-1)?.id)
      const isDone = open < 0 && rows.length < REQUESTS_AT_ONCE
      const forgotten = db
        .updateTable('request')
        .set({ tags: '', end_user: '', session: '' })
        .where('account', '=', account)
        .where('id', '>', after)
        .where('id', '<=', last)
        .where(sql<boolean>`(tags <> '' OR end_user <> '' OR session <> '')`)
      const ofAccount = isDone
        ? db.deleteFrom('attribution_removal').where('account', '=', account)
        : db.updateTable('attribution_removal').set({ done_to: last }).where('account', '=', account)
      await runner.write([statement(forgotten), statement(ofAccount)])
      return open < 0
    },
    /** Those since the day of `since` that were not reported yet; each is reported once by all processes together, at most `limit` at a time. */
    async reportManyValues(since: number, limit: number): Promise<ManyValues[]> {
      const rows = await read(sql`SELECT account, dimension, day FROM daily_attribution_values
        WHERE known >= ${sql.lit(MOST_VALUES)} AND reported = 0 AND day >= ${since - (since % DAY_MS)} AND EXISTS (
          SELECT 1 FROM daily_attribution_spending AS sums WHERE sums.account = daily_attribution_values.account
            AND sums.dimension = daily_attribution_values.dimension AND sums.day = daily_attribution_values.day
            AND sums.value = ${FURTHER_VALUES}) LIMIT ${limit}`)
      const reported: ManyValues[] = []
      // One by one: several rows at once could wait for the ledger in another order than its batches.
      for (const day of rows.map(toDay)) {
        const mark = db
          .updateTable('daily_attribution_values')
          .set({ reported: 1 })
          .where('account', '=', day.account)
          .where('dimension', '=', day.dimension)
          .where('day', '=', day.day)
          .where('reported', '=', 0)
        if (await runner.write([required(mark.returning('account'))])) reported.push(day)
      }
      return reported
    },
  }
}

const toDay = (row: Row): OfDay => ({
  account: integer(row.account),
  dimension: text(row.dimension),
  day: small(row.day),
})
