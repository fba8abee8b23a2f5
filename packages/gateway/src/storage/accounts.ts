// Accounts and their wallets, as operators and account holders see them.
import type { Nanos } from '../money/amount.ts'
import type { Limits, Period } from '../money/limits.ts'
import type { AuditEntry } from './console/audit-log.ts'
import type { IdentityName } from './people/identities.ts'
import type { Person } from './people/people.ts'

export type Account = {
  id: bigint
  /** Chosen by its owners: neither unique nor proof of anything. */
  name: string
  balance: Nanos
  held: Nanos
  /** How far holds may exceed the balance; UNLIMITED_CREDIT: without limit. */
  creditLine: Nanos
  disabled: boolean
  limits: Limits
  cap: Nanos | undefined
  /** undefined: the cap covers all time. */
  capPeriod: Period | undefined
  /** What counts against the cap now: in all, or in the present period. */
  spentUnderCap: Nanos
  /** Charged today and this month (UTC). */
  spentToday: Nanos
  spentThisMonth: Nanos
  createdAt: number
  /** Since when its people, keys and contents are gone. */
  deletedAt: number | undefined
}

/** Available to new holds; negative where the credit line was lowered below what is held. */
export const availableIn = ({ balance, creditLine, held }: Pick<Account, 'balance' | 'creditLine' | 'held'>): Nanos =>
  balance + creditLine - held

/** A field that is present and undefined is removed; an absent field stays. */
export type AccountChanges = Partial<Limits & Pick<Account, 'name' | 'cap' | 'capPeriod' | 'creditLine'>>

/** What decides which groups are offered to an account. `emails`: the proved addresses of its owners. `groups`: those that providers of sign-ins gave them. */
export type Holder = { account: bigint; emails: readonly string[]; groups: readonly string[] }

/** A sign-up in the console: it makes a person, an account that is named by the address, and the person its owner. */
export type SignUp = {
  email: string
  /** The password's hash. */
  password: string | undefined
  /** The client's network, in canonical form, and how many accounts a day (UTC) may be made from it. */
  network: string
  mostPerNetwork: number
  /** The larger network around it, and how many of its accounts may get trial credit per day (UTC). */
  wideNetwork: string
  wideTrials: number
  /** Granted as long as the credit granted today stays within `budget`; undefined: however much that is. */
  trialCredit: Nanos
  budget: Nanos | undefined
  /** The ledger account that the credit comes from. */
  source: bigint
  /** The provider that the person signed in at has proved the address. */
  identity?: IdentityName
  /** The credit is due once the address is proved, not now; the budget is looked at then. */
  onProof: boolean
}
/** `withheld`: why there is no trial credit yet. */
export type SignedUp = {
  account: Account
  person: Person
  trialCredit: Nanos
  withheld: 'network' | 'budget' | 'unproved' | undefined
}
/** `taken`: the address, in this or another spelling, had an account. `too_many`: sign-ups from this network today (UTC). */
export type SignUpRejection = 'taken' | 'too_many'

export interface Accounts {
  /**
   * With a person who owns it, named by the address. undefined: a person has this address. An operator may use another spelling of a
   * taken address. `source` is the ledger account that `credit` comes from, `password` the hash of a password to sign in with.
   */
  create(email: string, credit: Nanos, source: bigint, password?: string): Promise<Account | undefined>
  /** Without a person. */
  createNamed(name: string, credit: Nanos, source: bigint): Promise<Account>
  /** Limits hold exactly, however many sign up at once. */
  signUp(signUp: SignUp): Promise<SignedUp | SignUpRejection>
  /** Why a sign-up would be rejected now: checked before any costly work for an unknown client. */
  signUpRejection(
    sought: Pick<SignUp, 'email' | 'network' | 'mostPerNetwork' | 'wideNetwork'>,
  ): Promise<SignUpRejection | undefined>
  /**
   * Grants the trial credit that is due since the person's address is proved, with `entry` in the audit log. Resolves with the credit; 0:
   * none was due, or the budget is used up.
   */
  grantDueTrial(
    person: bigint,
    terms: Pick<SignUp, 'budget' | 'source'>,
    entry: (account: bigint, credit: Nanos) => AuditEntry,
  ): Promise<Nanos>
  /**
   * Takes back what is unspent of trial credit that came from `source`, as far as it is available; spending counts against that credit
   * first. One process of a cluster at a time.
   */
  takeBackTrials(source: bigint, reason: string): Promise<{ accounts: number; amount: Nanos }>
  find(account: bigint): Promise<Account | undefined>
  /** Oldest first. */
  findNamed(name: string): Promise<Account[]>
  names(accounts: readonly bigint[]): Promise<ReadonlyMap<bigint, string>>
  holder(account: bigint): Promise<Holder>
  /** All accounts, oldest first. */
  list(): Promise<Account[]>
  rename(account: bigint, name: string): Promise<void>
  /** `reason`: why, for its callers; kept until it is enabled. */
  setDisabled(account: bigint, disabled: boolean, reason?: string): Promise<void>
  /** Gives the account's keys a new revision: nodes must not use what they cached of them. */
  setTerms(account: bigint, changes: AccountChanges): Promise<void>
  /**
   * A negative amount is taken from what is available, credit line included; false: it exceeds that, or the largest balance, or there
   * is a credit with this reference.
   */
  credit(account: bigint, amount: Nanos, reason: string, reference?: string): Promise<boolean>
  /**
   * Deletes its keys, sessions and members, and all of people who have no other account and no role; the account is named
   * `deleted account N`. Ledger and receipts stay. false: it is deleted already or, without `force`, has a balance or open holds.
   */
  erase(account: bigint, options: { force: boolean }): Promise<boolean>
  findCredit(reference: string): Promise<{ account: bigint; amount: Nanos; reason: string } | undefined>
}
