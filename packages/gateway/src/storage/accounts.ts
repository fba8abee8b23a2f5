// Accounts and their wallets, as operators and account holders see them.
import type { Nanos } from '../money/amount.ts'
import type { Limits, Period } from '../money/limits.ts'

export type Account = {
  id: bigint
  email: string
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
  /** The address is known to be the holder's: a link that was sent there was opened, or the operator made the account. */
  isProved: boolean
}

/** Available to new holds; negative where the credit line was lowered below what is held. */
export const availableIn = ({ balance, creditLine, held }: Pick<Account, 'balance' | 'creditLine' | 'held'>): Nanos =>
  balance + creditLine - held

/** A field that is present and undefined is removed; an absent field stays. */
export type AccountChanges = Partial<Limits & Pick<Account, 'cap' | 'capPeriod' | 'creditLine'>>

/** What decides which groups are offered to an account. */
export type Holder = Pick<Account, 'email' | 'isProved'>

/** A sign-up in the console. */
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
  /** The credit is due once the address is proved, not now; the budget is looked at then. */
  onProof: boolean
}
/** `withheld`: why there is no trial credit yet. */
export type SignedUp = { account: Account; trialCredit: Nanos; withheld: 'network' | 'budget' | 'unproved' | undefined }
/** `taken`: the address, in this or another spelling, had an account. `too_many`: sign-ups from this network today (UTC). */
export type SignUpRejection = 'taken' | 'too_many'

/** What the account holder has chosen in the console. */
export type Preferences = {
  /** A notice is shown below this balance; undefined: none. */
  lowBalance: Nanos | undefined
  /** A language tag, for emails. */
  language: string | undefined
}

export interface Accounts {
  /**
   * undefined: an account has this address. An operator may create an account for another spelling of a taken address.
   * `source` is the ledger account that `credit` comes from, `password` the hash of a password to sign in with.
   */
  create(email: string, credit: Nanos, source: bigint, password?: string): Promise<Account | undefined>
  /** Limits hold exactly, however many sign up at once. */
  signUp(signUp: SignUp): Promise<SignedUp | SignUpRejection>
  /** Why a sign-up would be rejected now: checked before any costly work for an unknown client. */
  signUpRejection(
    sought: Pick<SignUp, 'email' | 'network' | 'mostPerNetwork' | 'wideNetwork'>,
  ): Promise<SignUpRejection | undefined>
  /** Grants the trial credit that is due since the address is proved. Resolves with it; 0: none was due, or the budget is used up. */
  grantDueTrial(account: bigint, terms: Pick<SignUp, 'budget' | 'source'>): Promise<Nanos>
  /**
   * Takes back what is unspent of trial credit that came from `source`, as far as it is available; spending counts against that credit
   * first. One process of a cluster at a time.
   */
  takeBackTrials(source: bigint, reason: string): Promise<{ accounts: number; amount: Nanos }>
  find(email: string): Promise<Account | undefined>
  /** All accounts, oldest first. */
  list(): Promise<Account[]>
  setDisabled(account: bigint, disabled: boolean): Promise<void>
  /** Gives the account's keys a new revision: nodes must not use what they cached of them. */
  setTerms(account: bigint, changes: AccountChanges): Promise<void>
  /** A negative amount is taken from what is available, credit line included; false: it exceeds that, or the largest balance. */
  credit(account: bigint, amount: Nanos, reason: string): Promise<boolean>
  preferences(account: bigint): Promise<Preferences>
  /** Writes only the fields that are present. */
  setPreferences(account: bigint, changes: Partial<Preferences>): Promise<void>
}
