// The rows of a new account, for operators and for sign-ups: with a person who owns it, or alone.
import type { Nanos } from '../../../money/amount.ts'
import type { IdentityName } from '../../people/identities.ts'
import { ACCOUNT, type Database, idOf, named, PERSON, required, type Statement, statement } from '../statements.ts'

export type NewPerson = {
  email: string
  password: string | undefined
  isProved: boolean
}
/** `terms`: columns of its limits. */
export type NewAccount = {
  name: string
  credit: Nanos
  source: bigint
  terms?: Readonly<Record<string, bigint | number | string | null>>
}
/** `trialDue`: trial credit to be granted once the address is proved. `identity`: at the provider that proved the address. */
export type NewOwner = NewPerson & { trialDue?: Nanos; identity?: IdentityName | undefined }

/** The names of the statements that return their ids. */
export const THE_PERSON = 'person'
export const THE_ACCOUNT = 'account'

/** The first statement returns the person; no row: another person has the address. */
export const newPerson = (db: Database, person: NewPerson, now: number): Statement[] => [
  insertPerson(db, person, now),
  ...(person.password === undefined ? [] : [insertCredential(db, { password: person.password })]),
]

/** The first two statements return the person and the account. */
export function newOwnedAccount(db: Database, account: NewAccount, owner: NewOwner, now: number): Statement[] {
  const { password, trialDue = 0n, identity } = owner
  const due = { trial_due: trialDue, trial_account: trialDue === 0n ? null : idOf(THE_ACCOUNT) }
  const member = { account: idOf(THE_ACCOUNT), person: idOf(THE_PERSON), role: 'owner', created_at: now }
  return [
    insertPerson(db, owner, now),
    ...newAccount(db, account, now),
    statement(db.insertInto('member').values(member)),
    ...(password === undefined && trialDue === 0n && identity === undefined
      ? []
      : [insertCredential(db, { password: password ?? null, email_verified_at: identity ? now : null, ...due })]),
    ...(identity === undefined
      ? []
      : [statement(db.insertInto('identity').values({ ...identity, person: idOf(THE_PERSON), created_at: now }))]),
  ]
}

const NO_TERMS = { requests_per_minute: null, tokens_per_minute: null, concurrent: null }

/** The first statement returns the account. */
export function newAccount(db: Database, { name, credit, source, terms }: NewAccount, now: number): Statement[] {
  const row = { name, balance: credit, held: 0n, disabled: 0, created_at: now, ...NO_TERMS, ...terms }
  const to = idOf(THE_ACCOUNT)
  const opening = { request: null, debit: source, credit: to, amount: credit, reason: 'opening credit', at: now }
  return [
    named(THE_ACCOUNT, required(db.insertInto('account').values(row).returning(ACCOUNT))),
    ...(credit === 0n ? [] : [statement(db.insertInto('transfer').values(opening))]),
  ]
}

const insertPerson = (db: Database, { email, isProved }: NewPerson, now: number): Statement =>
  named(
    THE_PERSON,
    required(
      db
        .insertInto('person')
        .values({ email, role: null, created_at: now, proved_at: isProved ? now : null })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returning(PERSON),
    ),
  )

type Credential = {
  password: string | null
  email_verified_at?: number | null
  trial_due?: Nanos
  trial_account?: bigint | null
}

const insertCredential = (db: Database, credential: Credential): Statement =>
  statement(db.insertInto('credential').values({ person: idOf(THE_PERSON), ...credential }))
