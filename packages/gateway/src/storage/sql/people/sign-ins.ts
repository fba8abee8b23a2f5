// Passwords and second factors on both engines.
import type { SignIn, SignIns } from '../../people/sign-ins.ts'
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

export function signInsOver(connection: Connection): SignIns {
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
    async find(email) {
      const [row] = await runner.read(statement(signIns(db).where('email', '=', normaliseEmail(email))))
      return row && toSignIn(row)
    },
    findByPerson,
    async setPassword(person, hash, keep) {
      const columns = { password: checkText('password', hash) }
      await change(person, columns, endSessions(db, person, keep), endPasswordLinks(db, person))
    },
    async proveAddress(person, { verified, isHolder }) {
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
    async setSecondFactor(person, factor, keep) {
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
    async secondFactors(after, limit) {
      const query = db.selectFrom('credential').select(['person', 'totp_secret']).where('person', '>', after)
      const page = query.where('totp_secret', 'is not', null).orderBy('person').limit(limit)
      const rows = await runner.read(statement(page))
      return rows.map((row) => ({ person: integer(row.person), secret: bytes(row.totp_secret) }))
    },
    async resealSecondFactor(person, before, after) {
      const same = db.updateTable('credential').set({ totp_secret: after }).where('person', '=', person)
      await runner.write([statement(same.where('totp_secret', '=', before))])
    },
    async removeSecondFactor(person) {
      const present = db.updateTable('credential').set({ totp_secret: null, totp_step: 0 })
      const removed = present.where('person', '=', person).where('totp_secret', 'is not', null).returning('person')
      const codes = db.deleteFrom('recovery_code').where('person', '=', person)
      const rows = await runner.write([required(removed), endSessions(db, person), statement(codes)])
      return rows?.[1]?.length
    },
    async useStep(person, step) {
      if (!Number.isSafeInteger(step)) throw new RangeError(`step: ${step}`)
      const later = db.updateTable('credential').set({ totp_step: step }).where('person', '=', person)
      const used = later.where('totp_secret', 'is not', null).where('totp_step', '<', step)
      return (await runner.write([required(used.returning('person'))])) !== undefined
    },
    async useRecoveryCode(person, hash) {
      const used = db.deleteFrom('recovery_code').where('person', '=', person).where('hash', '=', checkHash(hash))
      return (await runner.write([required(used.returning('person'))])) !== undefined
    },
    async sweep(limit, mostSubjects = MOST_SUBJECTS) {
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
