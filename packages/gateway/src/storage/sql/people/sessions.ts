// Sessions of the console on both engines.

import { CREDIT } from '../../../money/ledger.ts'
import type { MemberRole } from '../../people/members.ts'
import { toPerson } from '../../people/people.ts'
import { type NewSession, type Session, type SignedIn, toSession } from '../../people/sessions.ts'
import { checkHash, checkText } from '../guard.ts'
import { ACCOUNT_PREFIX, flag, type Row, text, toAccount, withPrefix } from '../rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  idOf,
  incrementChangeCounter,
  named,
  PERSON,
  prefixed,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import { newAccount, THE_ACCOUNT } from './new-account.ts'

/** Sessions of one person. More than anybody has browsers; a script that signs in again and again must not fill the store. */
const MOST_SESSIONS = 50
const MINUTE_MS = 60_000
/** The statement that finds the account. */
const ACCOUNT_SHOWN = 'account'

const SESSION = toSession.columns
const SESSION_PREFIX = 'session_'
const PERSON_PREFIX = 'person_'

export function sessionsOver({ db, runner, clock }: Connection) {
  /** People with a role in the gateway who have no account get an empty one: a session shows an account. */
  async function withAccount(person: bigint, session: Statement[]): Promise<readonly Row[][] | undefined> {
    const [found] = await runner.read(statement(operatorWithoutAccount(db, person)))
    if (!found) return undefined
    const now = clock()
    const member = { account: idOf(THE_ACCOUNT), person, role: 'owner', created_at: now }
    const account = [
      incrementChangeCounter(db),
      required(operatorWithoutAccount(db, person)),
      ...newAccount(db, { name: text(found.email), credit: 0n, source: CREDIT }, now),
      statement(db.insertInto('member').values(member)),
    ]
    return (await runner.write([...account, ...session]))?.slice(account.length)
  }

  return {
    /**
     * Shows the oldest account of the person. Ends the person's oldest session if there are too many. undefined: the person does not exist,
     * is disabled, has another password, or no account and no role: a person with a role gets an empty account.
     */
    async create(session: NewSession): Promise<Session | undefined> {
      const statements = createSession(db, check(session), clock())
      const rows = (await runner.write(statements)) ?? (await withAccount(session.person, statements))
      const created = rows?.[statements.length - 2]?.[0]
      return created && toSession(created)
    },
    /** undefined: no such session, or it has ended or expired, or the person is disabled or no longer a member of the account. */
    async find(hash: Uint8Array): Promise<SignedIn | undefined> {
      const now = clock()
      const [row] = await runner.readLedger(find(db, checkHash(hash), now))
      return (
        row && {
          session: toSession(withPrefix(row, SESSION_PREFIX)),
          person: toPerson(withPrefix(row, PERSON_PREFIX)),
          account: toAccount(withPrefix(row, ACCOUNT_PREFIX), now),
          role: row.member_role as MemberRole,
          isByOperator: flag(row.by_operator),
        }
      )
    },
    /** Shows another account of the person. false: the person is no member of it. */
    async switchAccount(session: bigint, account: bigint): Promise<boolean> {
      const members = db.selectFrom('member').select('person').where('account', '=', account)
      const switched = db
        .updateTable('session')
        .set({ account })
        .where('id', '=', session)
        .where('person', 'in', members)
      return (await runner.write([required(switched.returning('id'))])) !== undefined
    },
    /** Records a request and extends the session. */
    async touch(session: bigint, expiresAt: number): Promise<void> {
      const now = clock()
      const changes = { seen_at: minuteOf(now), expires_at: expiresAt }
      const live = db.updateTable('session').set(changes).where('id', '=', session).where('expires_at', '>', now)
      await runner.write([statement(live)])
    },
    /** A code of the second factor was given in the session, now. */
    async prove(session: bigint): Promise<void> {
      await runner.write([statement(db.updateTable('session').set({ proved_at: clock() }).where('id', '=', session))])
    },
    /** Newest first, without those that have expired. */
    async list(person: bigint): Promise<Session[]> {
      const live = db
        .selectFrom('session')
        .select(SESSION)
        .where('person', '=', person)
        .where('expires_at', '>', clock())
      return (await runner.read(statement(live.orderBy('id', 'desc')))).map(toSession)
    },
    /** false: the person has no such session. */
    async end(person: bigint, session: bigint): Promise<boolean> {
      const ended = db.deleteFrom('session').where('person', '=', person).where('id', '=', session).returning('id')
      return (await runner.write([required(ended)])) !== undefined
    },
    /** Resolves with the number of sessions that ended. */
    async endAll(person: bigint, except?: bigint): Promise<number> {
      return (await runner.write([endSessions(db, person, except)]))?.[0]?.length ?? 0
    },
    /** Removes at most `limit` expired sessions; resolves with their number. */
    async sweep(limit: number): Promise<number> {
      const expired = db.selectFrom('session').select('id').where('expires_at', '<=', clock())
      const some = expired.orderBy('expires_at').limit(limit)
      // Checks the time again: since the first check, the session may have been extended.
      const swept = db.deleteFrom('session').where('id', 'in', some).where('expires_at', '<=', clock()).returning('id')
      return (await runner.write([statement(swept)]))?.[0]?.length ?? 0
    },
  }
}

/** All sessions of the person but `except`. */
export function endSessions(db: Database, person: bigint, except?: bigint): Statement {
  const all = db.deleteFrom('session').where('person', '=', person)
  return statement((except === undefined ? all : all.where('id', '<>', except)).returning('id'))
}

const operatorWithoutAccount = (db: Database, person: bigint) =>
  db
    .selectFrom('person')
    .select('email')
    .where('id', '=', person)
    .where('role', 'is not', null)
    .where((row) => row.not(row.exists(row.selectFrom('member').select('account').where('person', '=', person))))

/** The first statements lock what the session depends on, so that it cannot begin while the person is disabled or the password changed. */
function createSession(db: Database, session: NewSession, now: number): Statement[] {
  const { person, password, withoutSecondFactor = false } = session
  const enabled = db.updateTable('person').set({ signed_in_at: now }).where('id', '=', person).where('disabled', '=', 0)
  const unchanged = db
    .updateTable('credential')
    .set((row) => ({ password: row.ref('password') }))
    .where('person', '=', person)
    .where('password', '=', password ?? '')
    .$if(withoutSecondFactor, (row) => row.where('totp_secret', 'is', null))
  const oldest = db.selectFrom('member').where('person', '=', person).orderBy('account').limit(1)
  const insert = db.insertInto('session').values({
    person,
    account: idOf(ACCOUNT_SHOWN),
    hash: session.hash,
    created_at: now,
    seen_at: minuteOf(now),
    expires_at: session.expiresAt,
    ends_at: session.endsAt ?? null,
    user_agent: session.userAgent,
    address: session.address,
    proved_at: session.withCode ? now : null,
  })
  const newest = db.selectFrom('session').select('id').where('person', '=', person)
  const kept = newest.orderBy('id', 'desc').limit(MOST_SESSIONS)
  return [
    required(enabled.returning('id')),
    ...(password === undefined ? [] : [required(unchanged.returning('person'))]),
    named(ACCOUNT_SHOWN, required(oldest.select('account as id'))),
    required(insert.returning(SESSION)),
    statement(db.deleteFrom('session').where('person', '=', person).where('id', 'not in', kept)),
  ]
}

const find = (db: Database, hash: Uint8Array, now: number): Statement =>
  statement(
    db
      .selectFrom('session')
      .innerJoin('person', 'person.id', 'session.person')
      .innerJoin('account', 'account.id', 'session.account')
      .innerJoin('member', (join) =>
        join.onRef('member.account', '=', 'session.account').onRef('member.person', '=', 'session.person'),
      )
      .select([
        ...prefixed('session', SESSION_PREFIX, SESSION),
        ...prefixed('person', PERSON_PREFIX, PERSON),
        ...prefixed('account', ACCOUNT_PREFIX, ACCOUNT),
        'member.role as member_role',
        'member.by_operator as by_operator',
      ])
      .where('session.hash', '=', hash)
      .where('session.expires_at', '>', now)
      .where('person.disabled', '=', 0),
  )

const minuteOf = (now: number): number => now - (now % MINUTE_MS)

function check(session: NewSession): NewSession {
  checkHash(session.hash)
  checkText('userAgent', session.userAgent)
  checkText('address', session.address)
  return session
}
