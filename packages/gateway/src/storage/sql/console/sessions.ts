// Sessions of the console on both engines.
import type { NewSession, Session, Sessions } from '../../console/sessions.ts'
import { checkHash, checkText } from '../guard.ts'
import { ACCOUNT_PREFIX, integer, type Row, small, text, toAccount, withPrefix } from '../rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  prefixed,
  required,
  type Statement,
  statement,
} from '../statements.ts'

/** Of one account. More than anybody has browsers; a script that signs in again and again must not fill the store. */
const MOST_SESSIONS = 50
const MINUTE_MS = 60_000

const SESSION = ['id', 'account', 'created_at', 'seen_at', 'expires_at', 'user_agent', 'address'] as const
const SESSION_PREFIX = 'session_'

export function sessionsOver({ db, runner, clock }: Connection): Sessions {
  return {
    async create(session) {
      const statements = createSession(db, check(session), clock())
      const rows = await runner.write(statements)
      const created = rows?.[statements.length - 2]?.[0]
      return created && toSession(created)
    },
    async find(hash) {
      const now = clock()
      const [row] = await runner.readLedger(find(db, checkHash(hash), now))
      return (
        row && {
          session: toSession(withPrefix(row, SESSION_PREFIX)),
          account: toAccount(withPrefix(row, ACCOUNT_PREFIX), now),
        }
      )
    },
    async touch(session, expiresAt) {
      const now = clock()
      const changes = { seen_at: minuteOf(now), expires_at: expiresAt }
      const live = db.updateTable('session').set(changes).where('id', '=', session).where('expires_at', '>', now)
      await runner.write([statement(live)])
    },
    async list(account) {
      const live = db
        .selectFrom('session')
        .select(SESSION)
        .where('account', '=', account)
        .where('expires_at', '>', clock())
      return (await runner.read(statement(live.orderBy('id', 'desc')))).map(toSession)
    },
    async end(account, session) {
      const ended = db.deleteFrom('session').where('account', '=', account).where('id', '=', session).returning('id')
      return (await runner.write([required(ended)])) !== undefined
    },
    async endAll(account, except) {
      return (await runner.write([endSessions(db, account, except)]))?.[0]?.length ?? 0
    },
    async sweep(limit) {
      const expired = db.selectFrom('session').select('id').where('expires_at', '<=', clock())
      const some = expired.orderBy('expires_at').limit(limit)
      // Checks the time again: since the first check, the session may have been extended.
      const swept = db.deleteFrom('session').where('id', 'in', some).where('expires_at', '<=', clock()).returning('id')
      return (await runner.write([statement(swept)]))?.[0]?.length ?? 0
    },
  }
}

/** All sessions of the account but `except`. */
export function endSessions(db: Database, account: bigint, except?: bigint): Statement {
  const all = db.deleteFrom('session').where('account', '=', account)
  return statement((except === undefined ? all : all.where('id', '<>', except)).returning('id'))
}

/** The first statements lock what the session depends on, so that it cannot begin while the account is disabled or its password changed. */
function createSession(db: Database, session: NewSession, now: number): Statement[] {
  const { account, password, withoutSecondFactor = false } = session
  const enabled = db
    .updateTable('account')
    .set((row) => ({ disabled: row.ref('disabled') }))
    .where('id', '=', account)
    .where('disabled', '=', 0)
  const unchanged = db
    .updateTable('credential')
    .set((row) => ({ password: row.ref('password') }))
    .where('account', '=', account)
    .where('password', '=', password ?? '')
    .$if(withoutSecondFactor, (row) => row.where('totp_secret', 'is', null))
  const insert = db.insertInto('session').values({
    account,
    hash: session.hash,
    created_at: now,
    seen_at: minuteOf(now),
    expires_at: session.expiresAt,
    user_agent: session.userAgent,
    address: session.address,
  })
  const newest = db.selectFrom('session').select('id').where('account', '=', account)
  const kept = newest.orderBy('id', 'desc').limit(MOST_SESSIONS)
  return [
    required(enabled.returning('id')),
    ...(password === undefined ? [] : [required(unchanged.returning('account'))]),
    required(insert.returning(SESSION)),
    statement(db.deleteFrom('session').where('account', '=', account).where('id', 'not in', kept)),
  ]
}

const find = (db: Database, hash: Uint8Array, now: number): Statement =>
  statement(
    db
      .selectFrom('session')
      .innerJoin('account', 'account.id', 'session.account')
      .select([...prefixed('session', SESSION_PREFIX, SESSION), ...prefixed('account', ACCOUNT_PREFIX, ACCOUNT)])
      .where('session.hash', '=', hash)
      .where('session.expires_at', '>', now)
      .where('account.disabled', '=', 0),
  )

const minuteOf = (now: number): number => now - (now % MINUTE_MS)

function check(session: NewSession): NewSession {
  checkHash(session.hash)
  checkText('userAgent', session.userAgent)
  checkText('address', session.address)
  return session
}

const toSession = (row: Row): Session => ({
  id: integer(row.id),
  account: integer(row.account),
  createdAt: small(row.created_at),
  seenAt: small(row.seen_at),
  expiresAt: small(row.expires_at),
  userAgent: text(row.user_agent),
  address: text(row.address),
})
