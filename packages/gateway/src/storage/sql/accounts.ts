// Accounts on both engines.
import type { Compilable } from 'kysely'
import { MAX_AMOUNT, type Nanos } from '../../money/amount.ts'
import { CREDIT } from '../../money/ledger.ts'
import type { Account, AccountChanges, Accounts } from '../accounts.ts'
import { checkCap, checkCreditLine, checkLimits, checkText, normaliseEmail } from './guard.ts'
import { findHolder } from './people/members.ts'
import { newAccount, newOwnedAccount } from './people/new-account.ts'
import { signUps, takenAddress } from './people/registration.ts'
import { moveCredit, trialsOver } from './people/trials.ts'
import { toAccount } from './rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  incrementChangeCounter,
  required,
  type Statement,
  statement,
  tokensWindow,
} from './statements.ts'
import type { Schema } from './tables.ts'

export function accountsOver(connection: Connection): Accounts {
  const { db, runner, clock } = connection
  async function read(query: Compilable): Promise<Account[]> {
    const now = clock()
    return (await runner.readLedger(statement(query))).map((row) => toAccount(row, now))
  }
  return {
    ...signUps(connection),
    ...trialsOver(connection),
    async create(email, credit, source, password) {
      const hash = password === undefined ? undefined : checkText('password', password)
      const owner = { email: normaliseEmail(email), password: hash, isProved: true }
      const account = { name: owner.email, credit: checkCredit(credit), source }
      const now = clock()
      // The address first, as in a sign-up: concurrent transactions for one address then lock rows in the same order.
      const rows = await runner.write([takenAddress(db, email, now), ...newOwnedAccount(db, account, owner, now)])
      const created = rows?.[2]?.[0]
      return created && toAccount(created, now)
    },
    async createNamed(name, credit, source) {
      const now = clock()
      const account = { name: checkText('name', name), credit: checkCredit(credit), source }
      const [[created] = []] = (await runner.write(newAccount(db, account, now))) ?? []
      if (!created) throw new Error('the account was not created')
      return toAccount(created, now)
    },
    async find(account) {
      return (await read(db.selectFrom('account').select(ACCOUNT).where('id', '=', account)))[0]
    },
    async findNamed(name) {
      return await read(
        db.selectFrom('account').select(ACCOUNT).where('name', '=', checkText('name', name)).orderBy('id'),
      )
    },
    holder: (account) => findHolder(connection, account),
    async rename(account, name) {
      const renamed = db
        .updateTable('account')
        .set({ name: checkText('name', name) })
        .where('id', '=', account)
      await runner.write([statement(renamed)])
    },
    async list() {
      const [rows = []] = await runner.readSlowly([statement(db.selectFrom('account').select(ACCOUNT).orderBy('id'))])
      const now = clock()
      return rows.map((row) => toAccount(row, now))
    },
    async setDisabled(account, disabled) {
      await runner.write(setDisabled(db, account, disabled))
    },
    async setTerms(account, changes) {
      checkTerms(changes)
      await runner.write(setTerms(db, account, changes, clock()))
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
  incrementChangeCounter(db),
]

function checkCredit(credit: Nanos): Nanos {
  if (credit < 0n || credit > MAX_AMOUNT) throw new RangeError(`credit: ${credit} is outside 0..${MAX_AMOUNT}`)
  return credit
}

const COLUMN_OF = {
  creditLine: 'credit_line',
  cap: 'cap',
  capPeriod: 'cap_period',
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrent: 'concurrent',
} as const satisfies Record<keyof AccountChanges, keyof Schema['account']>

/** Writes only the named fields, so that concurrent changes of different fields all take effect. */
function setTerms(db: Database, account: bigint, changes: AccountChanges, now: number): Statement[] {
  const columns = Object.entries(changes).map(([name, value]) => [
    COLUMN_OF[name as keyof AccountChanges],
    value ?? null,
  ])
  const { creditLine } = changes
  return [
    required(
      db
        .updateTable('account')
        .set((row) => ({ disabled: row.ref('disabled') }))
        .where('id', '=', account)
        .returning('id'),
    ),
    ...(creditLine === undefined ? [] : [raiseHighestLine(db, account, creditLine)]),
    statement(
      db
        .updateTable('account')
        .set({ ...Object.fromEntries(columns), tokens_window: tokensWindow('account', account, now) })
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

const raiseHighestLine = (db: Database, account: bigint, creditLine: Nanos): Statement =>
  statement(
    db
      .updateTable('account')
      .set({ highest_credit_line: creditLine })
      .where('id', '=', account)
      .where('highest_credit_line', '<', creditLine),
  )

function checkTerms({ creditLine, cap, capPeriod, ...limits }: AccountChanges): void {
  if (creditLine !== undefined) checkCreditLine(creditLine)
  checkCap({ cap, capPeriod })
  checkLimits(limits)
}
