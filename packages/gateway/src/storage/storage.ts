// What the gateway needs from a store: the one interface, two engines behind it (sqlite.ts, postgres.ts).
import type { Nanos } from '../money/amount.ts'
import type { RequestState, Result, Verb } from '../money/ledger.ts'

export type Account = {
  id: bigint
  email: string
  balance: Nanos
  held: Nanos
  disabled: boolean
  createdAt: number
}

export type Key = {
  id: bigint
  account: bigint
  name: string
  group: string
  revoked: boolean
  expiresAt: number | undefined
  cap: Nanos | undefined
  spent: Nanos
  held: Nanos
  createdAt: number
}

/** Who a secret belongs to, as authentication needs it. */
export type Caller = {
  key: bigint
  account: bigint
  group: string
  revoked: boolean
  expiresAt: number | undefined
  accountDisabled: boolean
}

export type NewKey = {
  account: bigint
  /** SHA-256 of the secret; the secret itself never reaches a store. */
  hash: Uint8Array
  name: string
  group: string
  expiresAt: number | undefined
  cap: Nanos | undefined
}

export type UsageRow = {
  request: bigint
  key: bigint
  model: string
  upstream: string
  state: RequestState
  ending: string
  held: Nanos
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
  /** Wallets or keys whose held amount is not the sum of their open holds. */
  heldMismatches: bigint[]
  negativeAccounts: bigint[]
  /** Requests whose transfers do not add up to their cost and shortfall, or that are settled more than once. */
  requestMismatches: bigint[]
}

export interface Storage {
  /** Batched with its neighbours into one commit; resolves after that commit is durable. Rejects with StoreDown. */
  apply(verb: Verb): Promise<Result>

  findCaller(hash: Uint8Array): Promise<Caller | undefined>
  /** Grows with every change to a key or an account's state; polled to drop cached callers. */
  changeCounter(): Promise<bigint>

  /**
   * undefined: the address is taken. `source` is the ledger account that `credit` comes from, `password` the hash of a
   * password to sign in with.
   */
  createAccount(email: string, credit: Nanos, source: bigint, password?: string): Promise<Account | undefined>
  findAccount(email: string): Promise<Account | undefined>
  setAccountDisabled(account: bigint, disabled: boolean): Promise<void>
  /** A negative amount takes back, never below what is free: false then. */
  credit(account: bigint, amount: Nanos, reason: string): Promise<boolean>

  createKey(key: NewKey): Promise<Key>
  listKeys(account: bigint): Promise<Key[]>
  /** false: no such key. */
  revokeKey(key: bigint): Promise<boolean>

  /** Newest first; limit 0 = all. */
  usage(account: bigint, limit: number): Promise<UsageRow[]>
  audit(): Promise<AuditReport>

  getMeta(name: string): Promise<string | undefined>
  /** Keeps the first value ever set and returns the one in force. */
  setMetaOnce(name: string, value: string): Promise<string>

  /** Resolves when the store answers, rejects with StoreDown when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Another process owns the data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/** The store did not answer or refused the whole batch: nobody knows yet whether the verb took effect. Ask again later. */
export class StoreDown extends Error {
  override name = 'StoreDown'
}
