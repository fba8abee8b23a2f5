// The rows of a new account, for operators and for sign-ups.
import type { Nanos } from '../../money/amount.ts'
import { ACCOUNT, type Database, required, type Statement, statement } from './statements.ts'

export type NewAccount = {
  email: string
  credit: Nanos
  source: bigint
  password: string | undefined
  isProved: boolean
  /** Trial credit to be granted once the address is proved. */
  trialDue?: Nanos
}

export function newAccount(db: Database, account: NewAccount, now: number): Statement[] {
  const { email, credit, source, password, isProved, trialDue = 0n } = account
  const created = required(
    db
      .insertInto('account')
      .values({ email, balance: credit, held: 0n, disabled: 0, created_at: now, proved_at: isProved ? now : null })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning(ACCOUNT),
  )
  const id = db.selectFrom('account').select('id').where('email', '=', email)
  const opening = { request: null, debit: source, credit: id, amount: credit, reason: 'opening credit', at: now }
  const credential = { account: id, password: password ?? null, trial_due: trialDue }
  return [
    created,
    ...(credit === 0n ? [] : [statement(db.insertInto('transfer').values(opening))]),
    ...(password === undefined && trialDue === 0n ? [] : [statement(db.insertInto('credential').values(credential))]),
  ]
}
