// Trial credit after the sign-up: granted once an address is proved, and taken back where it was play money.
import { sql } from 'kysely'
import type { Nanos } from '../../../money/amount.ts'
import type { SignUp } from '../../accounts.ts'
import type { AuditEntry } from '../../console/audit-log.ts'
import { insertAuditEntry } from '../console/audit-log.ts'
import { checkText, MAX_BALANCE } from '../guard.ts'
import { integer, type Row } from '../rows.ts'
import { type Connection, changing, type Database, required, type Statement, statement } from '../statements.ts'
import { takeFromBudget } from './registration.ts'

export const trialsOver = ({ db, runner, clock }: Connection) => ({
  /**
   * Grants the trial credit that is due since the person's address is proved, with `entry` in the audit log. Resolves with the credit; 0:
   * none was due, or the budget is used up.
   */
  async grantDueTrial(
    person: bigint,
    { budget, source }: Pick<SignUp, 'budget' | 'source'>,
    entry: (account: bigint, credit: Nanos) => AuditEntry,
  ): Promise<Nanos> {
    const [row] = await runner.read(statement(dueTrial(db, person)))
    const due = row ? integer(row.trial_due) : 0n
    if (due === 0n || (budget !== undefined && due > budget)) return 0n
    const account = integer(row?.trial_account)
    const now = clock()
    const statements = grant(db, { person, account, due, source, budget, now })
    const rows = await runner.write([...statements, insertAuditEntry(db, entry(account, due), now)])
    return rows ? due : 0n
  },
  /**
   * Takes back what is unspent of trial credit that came from `source`, as far as it is available; spending counts against that credit
   * first. One process of a cluster at a time.
   */
  async takeBackTrials(source: bigint, reason: string): Promise<{ accounts: number; amount: Nanos }> {
    checkText('reason', reason)
    const [rows = []] = await runner.readSlowly([trialsFrom(db, source)])
    const taken = { accounts: 0, amount: 0n }
    for (const row of rows) {
      const amount = unspent(row)
      if (amount === 0n) continue
      const account = integer(row.account)
      if ((await runner.write(moveCredit(db, account, -amount, source, { reason }, clock()))) === undefined) continue
      taken.accounts += 1
      taken.amount += amount
    }
    return taken
  },
})

/** Only of an address that is proved. */
const dueTrial = (db: Database, person: bigint) =>
  db
    .selectFrom('credential')
    .innerJoin('person', 'person.id', 'credential.person')
    .select(['trial_due', 'trial_account'])
    .where('person.id', '=', person)
    .where('proved_at', 'is not', null)
    .where('trial_due', '>', 0n)

type Grant = { person: bigint; account: bigint; due: Nanos; source: bigint; budget: Nanos | undefined; now: number }

/** All or nothing: without room in the budget, the credit stays due. */
const grant = (db: Database, { person, account, due, source, budget, now }: Grant): Statement[] => [
  required(
    db
      .updateTable('credential')
      .set({ trial_due: 0n, trial_account: null })
      .where('person', '=', person)
      .where('trial_due', '=', due)
      .returning('person'),
  ),
  ...takeFromBudget(db, now, due, budget),
  ...moveCredit(db, account, due, source, { reason: 'trial credit' }, now),
]

/** With the sums of what each account got from `source`, has returned and has spent, and what is available. */
const trialsFrom = (db: Database, source: bigint): Statement =>
  statement(
    db
      .selectFrom('transfer')
      .innerJoin('account', 'account.id', 'transfer.credit')
      .where('debit', '=', source)
      .where('request', 'is', null)
      .groupBy(['account.id', 'account.balance', 'account.held'])
      .orderBy('account.id')
      .select((row) => [
        ...(['account.id as account', 'balance', 'held'] as const),
        row.fn.sum('amount').as('granted'),
        row
          .selectFrom('transfer as back')
          .select((back) => back.fn.sum('back.amount').as('amount'))
          .whereRef('back.debit', '=', 'account.id')
          .where('back.credit', '=', source)
          .where('back.request', 'is', null)
          .as('returned'),
        row
          .selectFrom('daily_spending')
          .select((spent) => spent.fn.sum('cost').as('cost'))
          .whereRef('daily_spending.account', '=', 'account.id')
          .as('spent'),
      ]),
  )

function unspent(row: Row): Nanos {
  const sum = (value: unknown): Nanos => (value === null || value === undefined ? 0n : BigInt(String(value)))
  const left = sum(row.granted) - sum(row.returned) - sum(row.spent)
  const available = integer(row.balance) - integer(row.held)
  const amount = left < available ? left : available
  return amount > 0n ? amount : 0n
}

/** `reference`: nothing is moved if there is a transfer with the same one. */
type CreditReason = { reason: string; reference?: string | undefined }

/** From a ledger account to an account; a negative amount back, if it is available. */
export const moveCredit = (
  db: Database,
  account: bigint,
  amount: Nanos,
  source: bigint,
  { reason, reference }: CreditReason,
  now: number,
): Statement[] => {
  const sides = amount > 0n ? { debit: source, credit: account } : { debit: account, credit: source }
  const moved = { request: null, ...sides, amount: amount > 0n ? amount : -amount, reason, at: now }
  const transfer = db.insertInto('transfer').values({ ...moved, reference: reference ?? null })
  return [
    required(
      db
        .updateTable('account')
        .set((row) => ({ balance: row('balance', '+', amount) }))
        .where('id', '=', account)
        .where('balance', '<=', MAX_BALANCE - amount)
        // `available` cannot overflow where `balance + amount` could.
        .where(sql`balance + credit_line - held`, '>=', -amount)
        .returning('id'),
    ),
    changing(
      reference === undefined
        ? statement(transfer)
        : required(transfer.onConflict((conflict) => conflict.doNothing()).returning('id')),
    ),
  ]
}
