// Accounts on both engines.
import { MAX_AMOUNT } from '../../money/amount.ts'
import { CREDIT } from '../../money/ledger.ts'
import type { Limits } from '../../money/limits.ts'
import type { Accounts } from '../accounts.ts'
import { preferencesOver } from './console/preferences.ts'
import { signUps, takenAddress } from './console/registration.ts'
import { endSessions } from './console/sessions.ts'
import { moveCredit, trialsOver } from './console/trials.ts'
import { checkLimits, checkText, normaliseEmail } from './guard.ts'
import { newAccount } from './new-account.ts'
import { toAccount } from './rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  incrementChangeCounter,
  limitColumns,
  required,
  type Statement,
  statement,
  tokensWindow,
} from './statements.ts'

export function accountsOver(connection: Connection): Accounts {
  const { db, runner, clock } = connection
  return {
    ...signUps(connection),
    ...trialsOver(connection),
    ...preferencesOver(connection),
    async create(email, credit, source, password) {
      if (credit < 0n || credit > MAX_AMOUNT) throw new RangeError(`credit: ${credit} is outside 0..${MAX_AMOUNT}`)
      const hash = password === undefined ? undefined : checkText('password', password)
      const account = { email: normaliseEmail(email), credit, source, password: hash, isProved: true }
      const now = clock()
      // The address first, as in a sign-up: concurrent transactions for one address then lock rows in the same order.
      const rows = await runner.write([takenAddress(db, email, now), ...newAccount(db, account, now)])
      const created = rows?.[1]?.[0]
      return created && toAccount(created, now)
    },
    async find(email) {
      const query = db.selectFrom('account').select(ACCOUNT).where('email', '=', normaliseEmail(email))
      const [row] = await runner.readLedger(statement(query))
      return row && toAccount(row, clock())
    },
    async list() {
      const [rows = []] = await runner.readSlowly([statement(db.selectFrom('account').select(ACCOUNT).orderBy('id'))])
      const now = clock()
      return rows.map((row) => toAccount(row, now))
    },
    async setDisabled(account, disabled) {
      await runner.write(setDisabled(db, account, disabled))
    },
    async setLimits(account, limits) {
      await runner.write(setLimits(db, account, checkLimits(limits), clock()))
    },
    async credit(account, amount, reason) {
      if (amount === 0n || amount > MAX_AMOUNT || -amount > MAX_AMOUNT)
        throw new RangeError(`amount: ${amount} is 0 or beyond ${MAX_AMOUNT}`)
      const rows = await runner.write(moveCredit(db, account, amount, CREDIT, checkText('reason', reason), clock()))
      return rows !== undefined
    },
  }
}

const setDisabled = (db: Database, account: bigint, disabled: boolean): Statement[] => [
  required(
    db
      .updateTable('account')
      .set({ disabled: disabled ? 1 : 0 })
      .where('id', '=', account)
      .returning('id'),
  ),
  ...(disabled ? [endSessions(db, account)] : []),
  incrementChangeCounter(db),
]

function setLimits(db: Database, account: bigint, limits: Limits, now: number): Statement[] {
  return [
    required(
      db
        .updateTable('account')
        .set((row) => ({ disabled: row.ref('disabled') }))
        .where('id', '=', account)
        .returning('id'),
    ),
    statement(
      db
        .updateTable('account')
        .set({ ...limitColumns(limits), tokens_window: tokensWindow('account', account, now) })
        .where('id', '=', account),
    ),
    statement(
      db
        .updateTable('api_key')
        .set((row) => ({ revision: row('revision', '+', 1n) }))
        .where('account', '=', account),
    ),
    incrementChangeCounter(db),
  ]
}
