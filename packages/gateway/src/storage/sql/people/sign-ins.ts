// Passwords and second factors on both engines.
import type { SignIn } from '../../people/sign-ins.ts'
import { checkHash, checkText, normaliseEmail } from '../guard.ts'
import { bytes, flag, integer, optional, type Row, small, text } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import { attemptsOver, MOST_SUBJECTS, sweepAttempts } from './attempts.ts'
import { endPasswordLinks, linksOver, sweepLinks } from './links.ts'
import { endSessions } from './sessions.ts'

export function signInsOver(connection: Connection) {
  const { db, runner, clock } = connection
  async function change(person: bigint, columns: Columns, ...more: Statement[]): Promise<void> {
    const rows = await runner.write([setCredential(db, person, columns), ...more])
    if (!rows) throw unknownPerson(person)
  }
  async function findByPerson(person: bigint): Promise<SignIn | undefined> {
    const [row] = await runner.read(statement(signIns(db).where('person.id', '=', person)))
    return row && toSignIn(row)
  }
  return {
    ...attemptsOver(connection),
    ...linksOver(connection),
    async find(email: string): Promise<SignIn | undefined> {
      const [row] = await runner.read(statement(signIns(db).where('email', '=', normaliseEmail(email))))
      return row && toSignIn(row)
    },
    findByPerson,
    /** Also ends all sessions of the person but `keep`, and makes the links useless that could set another password. */
    async setPassword(person: bigint, hash: string, keep?: bigint): Promise<void> {
      const columns = { password: checkText('password', hash) }
      await change(person, columns, endSessions(db, person, keep), endPasswordLinks(db, person))
    },
    /**
     * A link proved the address. `verified`: it was sent there by email. Where this is the first proof and the browser that opened the
     * link is not signed in as the person (`isHolder`), another person may have signed up with the address: their sessions, second factor
     * and keys end. Keys that the operator made stay. Resolves with true if anything could end.
     */
    async proveAddress(
      person: bigint,
      { verified, isHolder }: { verified: boolean; isHolder: boolean },
    ): Promise<boolean> {
      const now = clock()
      const seen = verified ? [setCredential(db, person, { email_verified_at: now })] : []
      const first = await runner.write([
        prove(db, person, now),
        ...seen,
        ...(isHolder ? [] : endUnproved(db, person)),
        incrementChangeCounter(db),
      ])
      if (first) return !isHolder
      if ((await findByPerson(person)) === undefined) throw unknownPerson(person)
      // What is proved and verified already is no change.
      if (verified) await runner.write([setCredential(db, person, { email_verified_at: now }, 'email_verified_at')])
      return false
    },
    /**
     * `recoveryCodes`: SHA-256 of each. Also ends all sessions of the person but `keep`: they began without the second factor. undefined
     * removes the second factor and ends no session. false: there is one, which must be removed first.
     */
    async setSecondFactor(
      person: bigint,
      factor: { secret: Uint8Array; recoveryCodes: readonly Uint8Array[] } | undefined,
      keep?: bigint,
    ): Promise<boolean> {
      const codes = (factor?.recoveryCodes ?? []).map((hash) => ({ person, hash: checkHash(hash) }))
      const columns = { totp_secret: factor?.secret ?? null, totp_step: 0 }
      const removed = statement(db.deleteFrom('recovery_code').where('person', '=', person))
      const added = codes.length === 0 ? [] : [statement(db.insertInto('recovery_code').values(codes))]
      if (factor === undefined) {
        await change(person, columns, removed)
        return true
      }
      const present = setCredential(db, person, columns, 'totp_secret')
      const rows = await runner.write([present, removed, ...added, endSessions(db, person, keep)])
      if (!rows && (await findByPerson(person)) === undefined) throw unknownPerson(person)
      return rows !== undefined
    },
    /** The encrypted secrets of people with a higher id, in order. */
    async secondFactors(after: bigint, limit: number): Promise<{ person: bigint; secret: Uint8Array }[]> {
      const query = db.selectFrom('credential').select(['person', 'totp_secret']).where('person', '>', after)
      const page = query.where('totp_secret', 'is not', null).orderBy('person').limit(limit)
      const rows = await runner.read(statement(page))
      return rows.map((row) => ({ person: integer(row.person), secret: bytes(row.totp_secret) }))
    },
    /** The same secret, encrypted anew; nothing happens if it is not `before` any more. */
    async resealSecondFactor(person: bigint, before: Uint8Array, after: Uint8Array): Promise<void> {
      const same = db.updateTable('credential').set({ totp_secret: after }).where('person', '=', person)
      await runner.write([statement(same.where('totp_secret', '=', before))])
    },
    /** On behalf of the operator. Also ends all sessions; resolves with their number. undefined: there was no second factor. */
    async removeSecondFactor(person: bigint): Promise<number | undefined> {
      const present = db.updateTable('credential').set({ totp_secret: null, totp_step: 0 })
      const removed = present.where('person', '=', person).where('totp_secret', 'is not', null).returning('person')
      const codes = db.deleteFrom('recovery_code').where('person', '=', person)
      const rows = await runner.write([required(removed), endSessions(db, person), statement(codes)])
      return rows?.[1]?.length
    },
    /** false: this step of time, or a later one, was used before. A one-time password works once. */
    async useStep(person: bigint, step: number): Promise<boolean> {
      if (!Number.isSafeInteger(step)) throw new RangeError(`step: ${step}`)
      const later = db.updateTable('credential').set({ totp_step: step }).where('person', '=', person)
      const used = later.where('totp_secret', 'is not', null).where('totp_step', '<', step)
      return (await runner.write([required(used.returning('person'))])) !== undefined
    },
    /** false: no such code, or it was used before. */
    async useRecoveryCode(person: bigint, hash: Uint8Array): Promise<boolean> {
      const used = db.deleteFrom('recovery_code').where('person', '=', person).where('hash', '=', checkHash(hash))
      return (await runner.write([required(used.returning('person'))])) !== undefined
    },
    /** Removes links and attempts that no longer matter, and the oldest attempts of more than `mostSubjects`. */
    async sweep(limit: number, mostSubjects = MOST_SUBJECTS): Promise<number> {
      const now = clock()
      const rows = await runner.write([sweepLinks(db, now, limit), ...sweepAttempts(db, now, limit, mostSubjects)])
      return rows?.reduce((sum, removed) => sum + removed.length, 0) ?? 0
    },
  }
}

/** No row: it was proved before. */
const prove = (db: Database, person: bigint, now: number): Statement =>
  required(
    db
      .updateTable('person')
      .set({ proved_at: now })
      .where('id', '=', person)
      .where('proved_at', 'is', null)
      .returning('id'),
  )

/** What sessions made before anyone had proved the address: it may have been another person's. */
const endUnproved = (db: Database, person: bigint): Statement[] => [
  endSessions(db, person),
  statement(db.updateTable('credential').set({ totp_secret: null, totp_step: 0 }).where('person', '=', person)),
  statement(db.deleteFrom('recovery_code').where('person', '=', person)),
  statement(
    db
      .updateTable('api_key')
      .set({ deleted: 1 })
      .where('person', '=', person)
      // The playground's own key never leaves the gateway.
      .where('purpose', '=', 'client')
      .where('made_by', 'in', ['sign-up', 'console']),
  ),
]

const signIns = (db: Database) =>
  db
    .selectFrom('person')
    .leftJoin('credential', 'credential.person', 'person.id')
    .select((row) => [
      ...(['id', 'email', 'disabled', 'password', 'email_verified_at', 'totp_secret'] as const),
      row
        .selectFrom('recovery_code')
        .select((code) => code.fn.countAll().as('codes'))
        .whereRef('recovery_code.person', '=', 'person.id')
        .as('codes'),
    ])

type Columns = {
  password?: string
  email_verified_at?: number
  totp_secret?: Uint8Array | null
  totp_step?: number
}

const unknownPerson = (person: bigint) => new Error(`person ${person} does not exist`)

/** No row: the person does not exist, or the column `absent` has a value. */
function setCredential(db: Database, person: bigint, columns: Columns, absent?: keyof Columns): Statement {
  const names = Object.keys(columns) as (keyof Columns)[]
  // The values come from the person, so that there are none without it. `WHERE true` separates ON CONFLICT from a join.
  const values = db
    .selectFrom('person')
    .select((row) => ['id', ...names.map((name) => row.val(columns[name] ?? null).as(name))])
    .where('id', '=', person)
  return required(
    db
      .insertInto('credential')
      .columns(['person', ...names])
      .expression(values)
      .onConflict((conflict) => {
        const update = conflict.column('person').doUpdateSet(columns)
        return absent === undefined ? update : update.where(`credential.${absent}`, 'is', null)
      })
      .returning('person'),
  )
}

const toSignIn = (row: Row): SignIn => ({
  person: integer(row.id),
  email: text(row.email),
  disabled: flag(row.disabled),
  password: optional(row.password, text),
  emailVerifiedAt: optional(row.email_verified_at, small),
  secondFactor: optional(row.totp_secret, (secret) => ({
    secret: bytes(secret),
    unusedRecoveryCodes: small(row.codes),
  })),
})
