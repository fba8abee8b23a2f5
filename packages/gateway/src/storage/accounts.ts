// Accounts and their wallets, as operators and account holders see them.
import type { Nanos } from '../money/amount.ts'
import type { Limits, Period } from '../money/limits.ts'
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
