// Notices to account holders on both engines: what is told, once for each crossing, to whom, and where.
import {
  type NewNotice,
  NOTICE_KINDS,
  type Notice,
  type NoticeKind,
  type NoticeMark,
  type NoticeReader,
  type NoticeWebhook,
  toNotice,
} from '../../console/notices.ts'
import { checkText } from '../guard.ts'
import { newestFirst } from '../lists/pages.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, idOf, named, required, type Statement, statement } from '../statements.ts'
import { findingsOver } from './findings.ts'
import { outboxOver } from './outbox.ts'

/** What an account was told before is removed as new ones come. */
export const MOST_NOTICES = 1_000
/** Readers of one notice. */
const MOST_READERS = 50

export const noticesOver = (connection: Connection) => {
  const { db, runner, clock } = connection
  return {
    ...findingsOver(connection),
    ...outboxOver(connection),
    /** Those that were told of, of these subjects of these accounts. */
    async marks(accounts: readonly bigint[], subjects: readonly string[]): Promise<NoticeMark[]> {
      if (accounts.length === 0 || subjects.length === 0) return []
      const found = db.selectFrom('notice_mark').selectAll().where('account', 'in', accounts)
      return (await runner.readPage(statement(found.where('subject', 'in', subjects)))).map(toMark)
    },
    /** Notes a crossing of which nobody is told. */
    async mark(mark: NoticeMark): Promise<void> {
      await runner.write([setMark(db, mark)])
    },
    /**
     * The mark, the notice and its deliveries in one transaction; undefined, and nothing is written, if that was told of before, however
     * many processes try. `readers`: who gets an email; undefined: the webhook. None: it is only listed.
     */
    async tell(
      mark: NoticeMark,
      { account, kind, person, facts, at, withheld }: NewNotice,
      readers: readonly (bigint | undefined)[],
    ): Promise<bigint | undefined> {
      const row = { account, kind, person: person ?? null, facts: checkText('facts', facts), at, withheld }
      const notice = named('notice', required(db.insertInto('notice').values(row).returning('id')))
      const deliveries = readers.slice(0, MOST_READERS).map((reader) => ({
        notice: idOf('notice'),
        account,
        person: reader ?? null,
        due_at: at,
      }))
      const steps = [setMark(db, mark), notice]
      // One by one: the id of the notice is a parameter.
      for (const delivery of deliveries) steps.push(statement(db.insertInto('notice_delivery').values(delivery)))
      const written = await runner.write([...steps, ...removeBeyond(db, account)])
      return written && integer(written[1]?.[0]?.id)
    },
    /** How many were sent since then. */
    async sentSince(account: bigint, since: number): Promise<number> {
      const found = db
        .selectFrom('notice')
        .select((row) => row.fn.countAll().as('count'))
        .where('account', '=', account)
        .where('at', '>', since)
        .where('withheld', '=', '')
      return small((await runner.read(statement(found)))[0]?.count)
    },
    /** Newest first. `person`: only those about this member. */
    async list(
      account: bigint,
      { person, ...range }: { person?: bigint; before?: bigint; after?: bigint },
      limit: number,
    ): Promise<Notice[]> {
      const all = db.selectFrom('notice').selectAll().where('account', '=', account)
      const query = person === undefined ? all : all.where('person', '=', person)
      return (await newestFirst(runner.readPage, query, range, limit)).map(toNotice)
    },
    /** People of these accounts who may be told, in the order in which they joined. `withThreshold`: only those who have chosen one. */
    async readers(accounts: readonly bigint[], { withThreshold = false } = {}): Promise<NoticeReader[]> {
      if (accounts.length === 0) return []
      const all = readersOf(db, accounts)
      const query = withThreshold ? all.where('preference.low_balance', 'is not', null) : all
      return (await runner.readPage(statement(query))).map(toReader)
    },
    /** Those of these accounts that have a webhook. */
    async withWebhook(accounts: readonly bigint[]): Promise<bigint[]> {
      if (accounts.length === 0) return []
      const found = db.selectFrom('notice_webhook').select('account').where('account', 'in', accounts)
      return (await runner.read(statement(found))).map(({ account }) => integer(account))
    },
    async webhook(account: bigint): Promise<NoticeWebhook | undefined> {
      const found = db.selectFrom('notice_webhook').select(['url', 'set_at']).where('account', '=', account)
      const [row] = await runner.read(statement(found))
      return row && { url: text(row.url), setAt: small(row.set_at) }
    },
    /** undefined: none. */
    async setWebhook(account: bigint, url: string | undefined): Promise<void> {
      if (url === undefined) {
        await runner.write([statement(db.deleteFrom('notice_webhook').where('account', '=', account))])
        return
      }
      const set = { url: checkText('url', url), set_at: clock() }
      const insert = db.insertInto('notice_webhook').values({ account, ...set })
      await runner.write([statement(insert.onConflict((conflict) => conflict.column('account').doUpdateSet(set)))])
    },
  }
}

/** No row if this crossing, or a later one, is known. */
const setMark = (db: Database, { account, subject, period, basis, level }: NoticeMark): Statement =>
  required(
    db
      .insertInto('notice_mark')
      .values({ account, subject: checkText('subject', subject), period, basis, level })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'subject'])
          .doUpdateSet({ period, basis, level })
          .where((row) =>
            row.or([
              row('notice_mark.period', '<', period),
              row.and([
                row('notice_mark.period', '=', period),
                row.or([row('notice_mark.basis', '<>', basis), row('notice_mark.level', '<', level)]),
              ]),
            ]),
          ),
      )
      .returning('account'),
  )

/** The one that is too old, if there is one: one comes, one goes. */
function removeBeyond(db: Database, account: bigint): Statement[] {
  const old = db
    .selectFrom('notice')
    .select('id')
    .where('account', '=', account)
    .orderBy('id', 'desc')
    .limit(2)
    .offset(MOST_NOTICES)
  const ids = db.selectFrom(old.as('old')).select('old.id')
  return [
    statement(db.deleteFrom('notice_delivery').where('notice', 'in', ids)),
    statement(db.deleteFrom('notice').where('id', 'in', ids)),
  ]
}

const readersOf = (db: Database, accounts: readonly bigint[]) =>
  db
    .selectFrom('member')
    .innerJoin('person', 'person.id', 'member.person')
    .leftJoin('preference', 'preference.person', 'member.person')
    .select(['member.account', 'member.person', 'person.email', 'member.role'])
    .select(['preference.language', 'preference.notices', 'preference.low_balance'])
    .where('member.account', 'in', accounts)
    .where('person.disabled', '=', 0)
    .where('person.proved_at', 'is not', null)
    .orderBy('member.account')
    .orderBy('member.created_at')
    .orderBy('member.person')

const toMark = (row: Row): NoticeMark => ({
  account: integer(row.account),
  subject: text(row.subject),
  period: small(row.period),
  basis: integer(row.basis),
  level: small(row.level),
})

const toReader = (row: Row): NoticeReader => ({
  account: integer(row.account),
  person: integer(row.person),
  email: text(row.email),
  isOwner: row.role === 'owner',
  language: optional(row.language, text),
  kinds: optional(row.notices, toKinds),
  lowBalance: optional(row.low_balance, integer),
})

/** A later version may know others. */
export const toKinds = (value: unknown): NoticeKind[] => {
  const written = JSON.parse(text(value)) as string[]
  return NOTICE_KINDS.filter((kind) => written.includes(kind))
}
