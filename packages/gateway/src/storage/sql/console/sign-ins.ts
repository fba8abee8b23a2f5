// Passwords and second factors on both engines.
import type { SignIn, SignIns } from '../../console/sign-ins.ts'
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
import { attemptsOver, sweepAttempts } from './attempts.ts'
import { linksOver, sweepLinks } from './links.ts'
import { endSessions } from './sessions.ts'

export function signInsOver(connection: Connection): SignIns {
  const { db, runner, clock } = connection
  async function change(account: bigint, columns: Columns, ...more: Statement[]): Promise<void> {
    const rows = await runner.write([setCredential(db, account, columns), ...more])
    if (!rows) throw unknownAccount(account)
  }
  async function findByAccount(account: bigint): Promise<SignIn | undefined> {
    const [row] = await runner.read(statement(signIns(db).where('account.id', '=', account)))
    return row && toSignIn(row)
  }
  return {
    ...attemptsOver(connection),
    ...linksOver(connection),
    async find(email) {
      const [row] = await runner.read(statement(signIns(db).where('email', '=', normaliseEmail(email))))
      return row && toSignIn(row)
    },
    findByAccount,
    async setPassword(account, hash, keep) {
      const links = db.deleteFrom('link').where('account', '=', account).where('purpose', 'in', ['reset', 'setup'])
      const columns = { password: checkText('password', hash) }
      await change(account, columns, endSessions(db, account, keep), statement(links))
    },
    async proveAddress(account, { verified, isHolder }) {
      const now = clock()
      const seen = verified ? [setCredential(db, account, { email_verified_at: now })] : []
      const first = await runner.write([
        prove(db, account, now),
        ...seen,
        ...(isHolder ? [] : endUnproved(db, account)),
        incrementChangeCounter(db),
      ])
      if (first) return !isHolder
      if (verified) await change(account, { email_verified_at: now })
      return false
    },
    async setSecondFactor(account, factor, keep) {
      const codes = (factor?.recoveryCodes ?? []).map((hash) => ({ account, hash: checkHash(hash) }))
      const columns = { totp_secret: factor?.secret ?? null, totp_step: 0 }
      const removed = statement(db.deleteFrom('recovery_code').where('account', '=', account))
      const added = codes.length === 0 ? [] : [statement(db.insertInto('recovery_code').values(codes))]
      if (factor === undefined) {
        await change(account, columns, removed)
        return true
      }
      const present = setCredential(db, account, columns, 'totp_secret')
      const rows = await runner.write([present, removed, ...added, endSessions(db, account, keep)])
      if (!rows && (await findByAccount(account)) === undefined) throw unknownAccount(account)
      return rows !== undefined
    },
    async removeSecondFactor(account) {
      const present = db.updateTable('credential').set({ totp_secret: null, totp_step: 0 })
      const removed = present.where('account', '=', account).where('totp_secret', 'is not', null).returning('account')
      const codes = db.deleteFrom('recovery_code').where('account', '=', account)
      const rows = await runner.write([required(removed), endSessions(db, account), statement(codes)])
      return rows?.[1]?.length
    },
    async useStep(account, step) {
      if (!Number.isSafeInteger(step)) throw new RangeError(`step: ${step}`)
      const later = db.updateTable('credential').set({ totp_step: step }).where('account', '=', account)
      const used = later.where('totp_secret', 'is not', null).where('totp_step', '<', step)
      return (await runner.write([required(used.returning('account'))])) !== undefined
    },
    async useRecoveryCode(account, hash) {
      const used = db.deleteFrom('recovery_code').where('account', '=', account).where('hash', '=', checkHash(hash))
      return (await runner.write([required(used.returning('account'))])) !== undefined
    },
    async sweep(limit) {
      const now = clock()
      const rows = await runner.write([sweepLinks(db, now, limit), ...sweepAttempts(db, now, limit)])
      return rows?.reduce((sum, removed) => sum + removed.length, 0) ?? 0
    },
  }
}

/** No row: it was proved before. */
const prove = (db: Database, account: bigint, now: number): Statement =>
  required(
    db
      .updateTable('account')
      .set({ proved_at: now })
      .where('id', '=', account)
      .where('proved_at', 'is', null)
      .returning('id'),
  )

/** What sessions made before anyone had proved the address: it may have been another person's. */
const endUnproved = (db: Database, account: bigint): Statement[] => [
  endSessions(db, account),
  statement(db.updateTable('credential').set({ totp_secret: null, totp_step: 0 }).where('account', '=', account)),
  statement(db.deleteFrom('recovery_code').where('account', '=', account)),
  statement(
    db
      .updateTable('api_key')
      .set({ revoked: 1 })
      .where('account', '=', account)
      // The playground's own key never leaves the gateway.
      .where('purpose', '=', 'client')
      .where('made_by', 'in', ['sign-up', 'console']),
  ),
]

const signIns = (db: Database) =>
  db
    .selectFrom('account')
    .leftJoin('credential', 'credential.account', 'account.id')
    .select((row) => [
      ...(['id', 'email', 'disabled', 'password', 'email_verified_at', 'totp_secret'] as const),
      row
        .selectFrom('recovery_code')
        .select((code) => code.fn.countAll().as('codes'))
        .whereRef('recovery_code.account', '=', 'account.id')
        .as('codes'),
    ])

type Columns = {
  password?: string
  email_verified_at?: number
  totp_secret?: Uint8Array | null
  totp_step?: number
}

const unknownAccount = (account: bigint) => new Error(`account ${account} does not exist`)

/** No row: the account does not exist, or the column `absent` has a value. */
function setCredential(db: Database, account: bigint, columns: Columns, absent?: keyof Columns): Statement {
  const names = Object.keys(columns) as (keyof Columns)[]
  // The values come from the account, so that there are none without it. `WHERE true` separates ON CONFLICT from a join.
  const values = db
    .selectFrom('account')
    .select((row) => ['id', ...names.map((name) => row.val(columns[name] ?? null).as(name))])
    .where('id', '=', account)
  return required(
    db
      .insertInto('credential')
      .columns(['account', ...names])
      .expression(values)
      .onConflict((conflict) => {
        const update = conflict.column('account').doUpdateSet(columns)
        return absent === undefined ? update : update.where(`credential.${absent}`, 'is', null)
      })
      .returning('account'),
  )
}

const toSignIn = (row: Row): SignIn => ({
  account: integer(row.id),
  email: text(row.email),
  disabled: flag(row.disabled),
  password: optional(row.password, text),
  emailVerifiedAt: optional(row.email_verified_at, small),
  secondFactor: optional(row.totp_secret, (secret) => ({
    secret: bytes(secret),
    unusedRecoveryCodes: small(row.codes),
  })),
})
