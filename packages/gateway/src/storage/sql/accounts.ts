// Accounts on both engines.
import type { Compilable } from 'kysely'
import { MAX_AMOUNT, type Nanos } from '../../money/amount.ts'
import { CREDIT } from '../../money/ledger.ts'
import type { Account, AccountChanges, Holder } from '../accounts.ts'
import type { OpenedAccount } from '../people/account-imports.ts'
import { checkCap, checkCreditLine, checkLimits, checkText, normaliseEmail } from './guard.ts'
import { createKey } from './keys.ts'
import { erasureOver } from './people/erase-account.ts'
import { findHolder, setMember } from './people/members.ts'
import { type NewAccount, newAccount, newOwnedAccount, THE_ACCOUNT, THE_PERSON } from './people/new-account.ts'
import { signUps, takenAddress } from './people/registration.ts'
import { moveCredit, trialsOver } from './people/trials.ts'
import { integer, text, toAccount } from './rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  idOf,
  incrementChangeCounter,
  required,
  type Statement,
  statement,
  tokensWindow,
} from './statements.ts'
import type { Schema } from './tables.ts'

export function accountsOver(connection: Connection) {
  const { db, runner, clock } = connection
  async function read(query: Compilable): Promise<Account[]> {
    const now = clock()
    return (await runner.readLedger(statement(query))).map((row) => toAccount(row, now))
  }
  return {
    ...signUps(connection),
    ...trialsOver(connection),
    ...erasureOver(connection),
    /**
     * With a person who owns it, named by the address. undefined: a person has this address. An operator may use another spelling of a
     * taken address. `source` is the ledger account that `credit` comes from, `password` the hash of a password to sign in with.
     */
    async create(email: string, credit: Nanos, source: bigint, password?: string): Promise<Account | undefined> {
      const hash = password === undefined ? undefined : checkText('password', password)
      const now = clock()
      const rows = await runner.write(ownedAccount(db, email, { credit: checkCredit(credit), source }, now, hash))
      const created = rows?.[2]?.[0]
      return created && toAccount(created, now)
    },
    /** Without a person. */
    async createNamed(name: string, credit: Nanos, source: bigint): Promise<Account> {
      const now = clock()
      const account = { name: checkText('name', name), credit: checkCredit(credit), source }
      const [[created] = []] = (await runner.write(newAccount(db, account, now))) ?? []
      if (!created) throw new Error('the account was not created')
      return toAccount(created, now)
    },
    /** With its terms and its first key, all at once. undefined: a person has this address. */
    async open({ owner, credit, source, password, terms, key, member }: OpenedAccount): Promise<Account | undefined> {
      checkTerms(terms)
      const now = clock()
      const { creditLine } = terms
      const line = creditLine === undefined ? {} : { highest_credit_line: creditLine }
      const opening = { credit: checkCredit(credit), source, terms: { ...termColumns(terms), ...line } }
      const hash = password === undefined ? undefined : checkText('password', password)
      const named = 'name' in owner
      const created = named
        ? newAccount(db, { ...opening, name: checkText('name', owner.name) }, now)
        : ownedAccount(db, owner.email, opening, now, hash)
      const keys = key ? createKey(db, { ...key, account: idOf(THE_ACCOUNT) }, now) : []
      const members = member
        ? [
            setMember(db, { account: member.account, role: member.role, person: idOf(THE_PERSON) }, now, member),
            incrementChangeCounter(db),
          ]
        : []
      const rows = await runner.write([...created, ...keys, ...members])
      const [row] = rows?.[named ? 0 : 2] ?? []
      return row && toAccount(row, now)
    },
    async find(account: bigint): Promise<Account | undefined> {
      return (await read(db.selectFrom('account').select(ACCOUNT).where('id', '=', account)))[0]
    },
    /** Oldest first. */
    async findNamed(name: string): Promise<Account[]> {
      return await read(
        db.selectFrom('account').select(ACCOUNT).where('name', '=', checkText('name', name)).orderBy('id'),
      )
    },
    async names(accounts: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
      if (accounts.length === 0) return new Map()
      const query = db.selectFrom('account').select(['id', 'name']).where('id', 'in', accounts)
      return new Map((await runner.read(statement(query))).map(({ id, name }) => [integer(id), text(name)]))
    },
    holder: (account: bigint): Promise<Holder> => findHolder(connection, account),
    async rename(account: bigint, name: string): Promise<void> {
      const renamed = db
        .updateTable('account')
        .set({ name: checkText('name', name) })
        .where('id', '=', account)
      await runner.write([statement(renamed)])
    },
    /** All accounts, oldest first. */
    async list(): Promise<Account[]> {
      const [rows = []] = await runner.readSlowly([statement(db.selectFrom('account').select(ACCOUNT).orderBy('id'))])
      const now = clock()
      return rows.map((row) => toAccount(row, now))
    },
    /** `reason`: why, for its callers; kept until it is enabled. */
    async setDisabled(account: bigint, disabled: boolean, reason = ''): Promise<void> {
      await runner.write(setDisabled(db, account, disabled, checkText('reason', reason)))
    },
    /** Gives the account's keys a new revision: nodes must not use what they cached of them. */
    async setTerms(account: bigint, changes: AccountChanges): Promise<void> {
      checkTerms(changes)
      await runner.write(setTerms(db, account, changes, clock()))
    },
    /**
     * A negative amount is taken from what is available, credit line included; false: it exceeds that, or the largest balance, or there
     * is a credit with this reference.
     */
    async credit(account: bigint, amount: Nanos, reason: string, reference?: string): Promise<boolean> {
      if (amount === 0n || amount > MAX_AMOUNT || -amount > MAX_AMOUNT)
        throw new RangeError(`amount: ${amount} is 0 or beyond ${MAX_AMOUNT}`)
      const why = { reason: checkText('reason', reason), reference: reference && checkText('reference', reference) }
      return (await runner.write(moveCredit(db, account, amount, CREDIT, why, clock()))) !== undefined
    },
    async findCredit(reference: string): Promise<{ account: bigint; amount: Nanos; reason: string } | undefined> {
      const query = db.selectFrom('transfer').select(['debit', 'credit', 'amount', 'reason'])
      const [row] = await runner.read(statement(query.where('reference', '=', checkText('reference', reference))))
      if (!row) return undefined
      const [debit, credit, amount] = [integer(row.debit), integer(row.credit), integer(row.amount)]
      const moved = credit > 0n ? { account: credit, amount } : { account: debit, amount: -amount }
      return { ...moved, reason: text(row.reason) }
    },
  }
}

const setDisabled = (db: Database, account: bigint, disabled: boolean, reason: string): Statement[] => [
  required(
    db
      .updateTable('account')
      .set({ disabled: disabled ? 1 : 0, disabled_reason: disabled ? reason : '' })
      .where('id', '=', account)
      .returning('id'),
  ),
  incrementChangeCounter(db),
]

/** The address first, as in a sign-up: concurrent transactions for one address then lock rows in the same order. */
function ownedAccount(db: Database, email: string, opening: Omit<NewAccount, 'name'>, now: number, password?: string) {
  const owner = { email: normaliseEmail(email), password, isProved: true }
  return [takenAddress(db, email, now), ...newOwnedAccount(db, { ...opening, name: owner.email }, owner, now)]
}

function checkCredit(credit: Nanos): Nanos {
  if (credit < 0n || credit > MAX_AMOUNT) throw new RangeError(`credit: ${credit} is outside 0..${MAX_AMOUNT}`)
  return credit
}

const COLUMN_OF = {
  name: 'name',
  creditLine: 'credit_line',
  cap: 'cap',
  capPeriod: 'cap_period',
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrent: 'concurrent',
} as const satisfies Record<keyof AccountChanges, keyof Schema['account']>

const termColumns = (changes: AccountChanges): Record<string, bigint | number | string | null> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [COLUMN_OF[name as keyof AccountChanges], value ?? null]),
  )

/** Writes only the named fields, so that concurrent changes of different fields all take effect. */
function setTerms(db: Database, account: bigint, changes: AccountChanges, now: number): Statement[] {
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
        .set({ ...termColumns(changes), tokens_window: tokensWindow('account', account, now) })
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

function checkTerms({ name, creditLine, cap, capPeriod, ...limits }: AccountChanges): void {
  if (name !== undefined) checkText('name', name)
  if (creditLine !== undefined) checkCreditLine(creditLine)
  checkCap({ cap, capPeriod })
  checkLimits(limits)
}
