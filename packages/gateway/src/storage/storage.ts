// What the gateway needs from a store: the one interface, two engines behind it (sqlite.ts, postgres.ts).
import type { Nanos } from '../money/amount.ts'
import type { RequestState, Result, Verb } from '../money/ledger.ts'
import type { Limits, Period } from '../money/limits.ts'
import type { Contents } from './contents.ts'

export type Account = {
  id: bigint
  email: string
  balance: Nanos
  held: Nanos
  disabled: boolean
  limits: Limits
  /** Charged today and this month (UTC). */
  spentToday: Nanos
  spentThisMonth: Nanos
  createdAt: number
}

/** What a key may be used for, besides its group. undefined: everything, from everywhere. */
export type Restrictions = {
  models: readonly string[] | undefined
  /** Addresses and CIDR blocks that calls may come from. */
  networks: readonly string[] | undefined
}

export const NO_RESTRICTIONS: Restrictions = { models: undefined, networks: undefined }

export type Key = {
  id: bigint
  account: bigint
  name: string
  group: string
  revoked: boolean
  expiresAt: number | undefined
  cap: Nanos | undefined
  /** undefined: the cap is for all time. */
  capPeriod: Period | undefined
  limits: Limits
  restrictions: Restrictions
  spent: Nanos
  /** What counts against the cap now: in all, or in the present period. */
  spentUnderCap: Nanos
  spentToday: Nanos
  spentThisMonth: Nanos
  held: Nanos
  createdAt: number
}

/** Who a secret belongs to, as authentication needs it. */
export type Caller = {
  key: bigint
  account: bigint
  group: string
  /** Of all that is cached here; the hold is refused when it is not the present one. */
  revision: number
  revoked: boolean
  expiresAt: number | undefined
  accountDisabled: boolean
  restrictions: Restrictions
  limits: Limits
  accountLimits: Limits
}

export type NewKey = {
  account: bigint
  /** SHA-256 of the secret; the secret itself never reaches a store. */
  hash: Uint8Array
  name: string
  group: string
  expiresAt: number | undefined
  cap: Nanos | undefined
  capPeriod: Period | undefined
  limits: Limits
  restrictions: Restrictions
}

/** What of a key can be changed later. Named and undefined: taken away; not named: as it is. */
export type KeyChanges = Partial<Pick<NewKey, 'expiresAt' | 'cap' | 'capPeriod'> & Limits & Restrictions>

/** Somebody who registers without being asked to. */
export type SignUp = {
  email: string
  /** Its hash. */
  password: string | undefined
  /** Where the call came from, in one spelling. */
  network: string
  /** The larger network around it, and how many of its accounts may get trial credit in a day (UTC). */
  wideNetwork: string
  wideTrials: number
  /** Given as long as what was given today stays within `budget`. */
  trialCredit: Nanos
  budget: Nanos
}
/** `withheld`: why there is no trial credit. */
export type SignedUp = { account: Account; trialCredit: Nanos; withheld: 'network' | 'budget' | undefined }
/** `taken`: the address, in this or another spelling, has had an account. `too_many`: from this network today (UTC). */
export type SignUpRefusal = 'taken' | 'too_many'

export type UsageRow = {
  request: bigint
  key: bigint
  model: string
  upstream: string
  state: RequestState
  ending: string
  held: Nanos
  /** Milliseconds since 1970, by the store's clock. */
  heldAt: number
  tokens: number
  cost: Nanos
  shortfall: Nanos
  receipt: string
}

/** What `trivium audit` proves; every list is empty when the books are right. */
export type AuditReport = {
  ok: boolean
  accounts: number
  requests: number
  transfers: number
  openHolds: number
  /** Wallets whose balance is not the sum of their transfers. */
  balanceMismatches: bigint[]
  /** Wallets, and keys, whose held amount is not the sum of their open holds. */
  heldMismatches: bigint[]
  keyHeldMismatches: bigint[]
  /** Wallets, and keys, whose count of open requests is wrong. */
  openMismatches: bigint[]
  keyOpenMismatches: bigint[]
  /** Keys that have not spent what their requests cost. */
  keySpentMismatches: bigint[]
  negativeAccounts: bigint[]
  /** Requests whose transfers do not add up to their cost and shortfall, or that are settled more than once. */
  requestMismatches: bigint[]
}

export type LiveNode = { slot: number; config: string }

/** Who waits for an answer: one of the two is called once, and must not throw. */
export type Waiter<T> = { resolve(value: T): void; reject(error: unknown): void }

export interface Storage {
  /** Batched with its neighbours into one commit; resolves after that commit is durable. Rejects with StoreDown. */
  apply(verb: Verb): Promise<Result>
  /** The same without a promise, where the store can do without: one less for each of the many that are asked. */
  ask?(verb: Verb, waiter: Waiter<Result>): void

  findCaller(hash: Uint8Array): Promise<Caller | undefined>
  /** Grows with every change to a key or an account's state; polled to drop cached callers. */
  changeCounter(): Promise<bigint>

  /**
   * undefined: an account has this address. Other spellings of it are the operator's to allow, and count as taken for
   * whoever signs up. `source` is the ledger account that `credit` comes from, `password` the hash of a
   * password to sign in with.
   */
  createAccount(email: string, credit: Nanos, source: bigint, password?: string): Promise<Account | undefined>
  /** Exact under races: of what is limited, nobody gets more. `trialCredit` is what was given. */
  signUp(person: SignUp): Promise<SignedUp | SignUpRefusal>
  /** Why a sign-up would be refused now: to be asked before anything costly is done for a stranger. */
  signUpRefusal(email: string, network: string, wideNetwork: string): Promise<SignUpRefusal | undefined>
  findAccount(email: string): Promise<Account | undefined>
  /** All of them, in the order in which they were created. */
  listAccounts(): Promise<Account[]>
  setAccountDisabled(account: bigint, disabled: boolean): Promise<void>
  /** A negative amount takes back, never below what is free: false then. */
  credit(account: bigint, amount: Nanos, reason: string): Promise<boolean>

  createKey(key: NewKey): Promise<Key>
  listKeys(account: bigint): Promise<Key[]>
  /** How many keys that are neither revoked nor expired each group has. */
  keyGroups(): Promise<ReadonlyMap<string, number>>
  /** false: no such key. */
  revokeKey(key: bigint): Promise<boolean>

  /** false: no such key. It gets a new revision: what is cached of it is no longer true. */
  setKeyTerms(key: bigint, changes: KeyChanges): Promise<boolean>
  /** The keys of the account get a new revision: what is cached of them is no longer true. */
  setAccountLimits(account: bigint, limits: Limits): Promise<void>
  /** The owner of a key and the key itself, as the books have them now. */
  standing(key: bigint): Promise<{ account: Account; key: Key } | undefined>

  /** Newest first; limit 0 = all. `before`: only requests with a lower id. */
  usage(account: bigint, limit: number, before?: bigint): Promise<UsageRow[]>
  /** undefined also for a request of another account. */
  findRequest(account: bigint, request: bigint): Promise<UsageRow | undefined>
  /**
   * Clears the text of receipts, and nothing else, among the next `limit` requests with ids between `after` and `below`. Stops
   * at a request that is still open. `last`: where to go on from.
   */
  clearReceipts(below: bigint, after: bigint, limit: number): Promise<{ last: bigint; isMore: boolean }>
  audit(): Promise<AuditReport>
  /** Those whose lease has not run out, with the fingerprint of the configuration that each has in force. */
  nodes(): Promise<LiveNode[]>

  getMeta(name: string): Promise<string | undefined>
  /** Keeps the first value ever set and returns the one in force. */
  setMetaOnce(name: string, value: string): Promise<string>

  /** Beside the books, with a writer of its own. */
  readonly contents: Contents

  /** Resolves when the store answers, rejects with StoreDown when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Another process owns the data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/** There is no database where one was to be opened, and the caller may not create one. */
export class NoDatabase extends Error {
  override name = 'NoDatabase'
}

/** The store did not answer or refused the whole batch: nobody knows yet whether the verb took effect. Ask again later. */
export class StoreDown extends Error {
  override name = 'StoreDown'
}
