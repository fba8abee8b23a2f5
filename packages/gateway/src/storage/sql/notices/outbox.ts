// The outbox of notices on both engines. A delivery is claimed before it is sent, and nothing that was claimed is ever sent again unless it
// is known that it did not arrive: each notice reaches its reader at most once.
import { sql } from 'kysely'
import { type NoticeDelivery, toNoticeDelivery } from '../../console/notices.ts'
import { checkText } from '../guard.ts'
import { integer, small, text } from '../rows.ts'
import { type Connection, rawStatement, required, statement } from '../statements.ts'

const LONGEST_ERROR = 300
const INTERRUPTED = 'the gateway stopped while it was being sent'

export const outboxOver = ({ db, runner }: Connection) => ({
  /**
   * Deliveries that are due, at most `perAccount` of each account, so that none delays others. What is due later than `latest` was
   * postponed before the clock was set back.
   */
  async due(now: number, latest: number, perAccount: number, limit: number): Promise<DueDelivery[]> {
    const found = sql`SELECT next.*, notice.kind, notice.facts, notice.at FROM (
        SELECT notice_delivery.*, row_number() OVER (PARTITION BY account ORDER BY due_at, id) AS place
        FROM notice_delivery WHERE state = 'waiting' AND (due_at <= ${now} OR due_at > ${latest})
      ) AS next JOIN notice ON notice.id = next.notice
      WHERE place <= ${perAccount} ORDER BY due_at, next.id LIMIT ${limit}`
    return (await runner.read(rawStatement(db, found))).map((row) => ({
      ...toNoticeDelivery(row),
      facts: text(row.facts),
      kind: text(row.kind),
      at: small(row.at),
    }))
  },
  /** Before it is sent; false if another process has done so. `until`: when it is taken for interrupted. */
  async claim({ id, tries }: Pick<NoticeDelivery, 'id' | 'tries'>, until: number): Promise<boolean> {
    const claimed = db.updateTable('notice_delivery').set({ state: 'sending', tries: tries + 1, due_at: until })
    const mine = claimed.where('id', '=', id).where('tries', '=', tries).where('state', '=', 'waiting')
    return (await runner.write([required(mine.returning('id'))])) !== undefined
  },
  /** How the try ended that was claimed, or that it cannot be sent. `at`: when; of a failed try after which there is another, when that is due. */
  async record(
    { id, tries }: Pick<NoticeDelivery, 'id' | 'tries'>,
    state: 'sent' | 'failed' | 'unknown' | 'waiting',
    at: number,
    error = '',
  ): Promise<void> {
    const set = { state, due_at: at, error: clean(error) }
    const mine = db.updateTable('notice_delivery').set(set).where('id', '=', id).where('tries', '=', tries)
    await runner.write([statement(mine.where('state', 'in', ['sending', 'waiting']))])
  },
  /** Ends what a process was sending that has stopped: it may have arrived. Resolves with their number. */
  async endInterrupted(now: number): Promise<number> {
    const over = db.updateTable('notice_delivery').set({ state: 'unknown', due_at: now, error: INTERRUPTED })
    const [rows = []] =
      (await runner.write([
        statement(over.where('state', '=', 'sending').where('due_at', '<=', now).returning('id')),
      ])) ?? []
    return rows.length
  },
  /** How many are waiting or being sent. */
  async openDeliveries(account: bigint): Promise<number> {
    const found = db
      .selectFrom('notice_delivery')
      .select((row) => row.fn.countAll().as('count'))
      .where('account', '=', account)
      .where('state', 'in', ['waiting', 'sending'])
    return small((await runner.read(statement(found)))[0]?.count)
  },
  async deliveriesOf(notices: readonly bigint[]): Promise<(NoticeDelivery & { email: string | undefined })[]> {
    if (notices.length === 0) return []
    const found = db
      .selectFrom('notice_delivery')
      .leftJoin('person', 'person.id', 'notice_delivery.person')
      .selectAll('notice_delivery')
      .select('person.email')
      .where('notice', 'in', notices)
      .orderBy('notice_delivery.id')
    return (await runner.readPage(statement(found))).map((row) => ({
      ...toNoticeDelivery(row),
      email: row.email === null ? undefined : text(row.email),
    }))
  },
  /** Removes notices from before this time, the oldest first, with their deliveries. Resolves with their number. */
  async sweep(before: number, limit: number): Promise<number> {
    const old = db.selectFrom('notice').select('id').orderBy('id').limit(limit)
    const rows = await runner.read(statement(db.selectFrom(old.select('at').as('oldest')).selectAll()))
    const ids = rows.filter(({ at }) => small(at) < before).map(({ id }) => integer(id))
    if (ids.length === 0) return 0
    await runner.write([
      statement(db.deleteFrom('notice_delivery').where('notice', 'in', ids)),
      statement(db.deleteFrom('notice').where('id', 'in', ids)),
    ])
    return ids.length
  },
})

export type DueDelivery = NoticeDelivery & { kind: string; facts: string; at: number }

/** Text that comes from outside. */
const clean = (value: string): string =>
  checkText('error', value.slice(0, LONGEST_ERROR).toWellFormed().replaceAll('\0', ''))
