// Counts attempts by subject on both engines. The first attempt opens a window of time, at whose end the count is forgotten.
import { sql } from 'kysely'
import type { AttemptLimit, Attempts } from '../../people/sign-ins.ts'
import { checkText } from '../guard.ts'
import { type Connection, type Database, type Statement, statement } from '../statements.ts'

/** A client with many addresses could otherwise fill the store. Those that would be forgotten first are removed. */
export const MOST_SUBJECTS = 100_000

export const attemptsOver = ({ db, runner, clock }: Connection) => ({
  /** The attempts of subjects that have any, without counting one. */
  async attempts(subjects: readonly string[]): Promise<ReadonlyMap<string, Attempts>> {
    if (subjects.length === 0) return new Map()
    const now = clock()
    const rows = await runner.read(read(db, subjects))
    const current = rows.filter(({ expires_at }) => Number(expires_at) > now)
    return new Map(
      current.map(({ subject, attempts, expires_at }) => [
        String(subject),
        { count: Number(attempts), forgottenInMs: Number(expires_at) - now },
      ]),
    )
  },
  /** Counts one attempt for every subject. Resolves with the milliseconds to wait if any is above its limit, else undefined. */
  async countAttempt(limits: readonly AttemptLimit[]): Promise<number | undefined> {
    if (limits.length === 0) return undefined
    const now = clock()
    // Always in the same order, so that concurrent attempts cannot deadlock.
    const sorted = limits.map(check).toSorted((one, other) => (one.subject < other.subject ? -1 : 1))
    const [counted = [], known = []] =
      (await runner.write([count(db, sorted, now), read(db, subjectsOf(sorted))])) ?? []
    const rows = new Map((counted.length > 0 ? counted : known).map((row) => [String(row.subject), row]))
    const waits = sorted.flatMap(({ subject, most }) => {
      const row = rows.get(subject)
      const attempts = Number(row?.attempts) + (counted.length > 0 ? 0 : 1)
      return attempts > most ? [Math.max(1, Number(row?.expires_at) - now)] : []
    })
    return waits.length === 0 ? undefined : Math.max(...waits)
  },
  /** After a success. */
  async forgetAttempts(subjects: readonly string[]): Promise<void> {
    if (subjects.length > 0) await runner.write([statement(db.deleteFrom('attempt').where('subject', 'in', subjects))])
  },
})

/** Removes what is forgotten, and what is more than the store keeps. */
export function sweepAttempts(db: Database, now: number, limit: number, mostSubjects: number): Statement[] {
  const all = db.selectFrom('attempt').select('subject')
  const expired = all.where('expires_at', '<=', now).orderBy('expires_at').limit(limit)
  const excess = all.orderBy('expires_at', 'desc').limit(limit).offset(mostSubjects)
  const removed = db.deleteFrom('attempt').returning('subject')
  return [
    // Checks the time again: since the first check, a new window may have been opened.
    statement(removed.where('subject', 'in', expired).where('expires_at', '<=', now)),
    statement(removed.where('subject', 'in', excess)),
  ]
}

/** Returns no row and counts nothing if any subject has reached its limit: attempts that are rejected must not lock out others. */
function count(db: Database, limits: readonly AttemptLimit[], now: number): Statement {
  const rows = limits.map(({ subject, windowMs }) => sql`(CAST(${subject} AS text), CAST(${now + windowMs} AS bigint))`)
  const reached = limits.map(
    ({ subject, most }) => sql`(subject = ${subject} AND attempts >= ${most} AND expires_at > ${now})`,
  )
  const query = sql`
    INSERT INTO attempt (subject, attempts, expires_at)
    SELECT column1, 1, column2 FROM (VALUES ${sql.join(rows)}) AS wanted
    WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE ${sql.join(reached, sql` OR `)})
    ON CONFLICT (subject) DO UPDATE SET
      attempts = CASE WHEN attempt.expires_at > ${now} THEN attempt.attempts + 1 ELSE 1 END,
      expires_at = CASE WHEN attempt.expires_at > ${now} THEN attempt.expires_at ELSE excluded.expires_at END
    RETURNING subject, attempts, expires_at`
  return { ...query.compile(db), required: false }
}

const subjectsOf = (limits: readonly AttemptLimit[]): string[] => limits.map(({ subject }) => subject)

const read = (db: Database, subjects: readonly string[]): Statement =>
  statement(db.selectFrom('attempt').select(['subject', 'attempts', 'expires_at']).where('subject', 'in', subjects))

function check(limit: AttemptLimit): AttemptLimit {
  checkText('subject', limit.subject)
  for (const value of [limit.most, limit.windowMs])
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`limit of attempts: ${value}`)
  return limit
}
