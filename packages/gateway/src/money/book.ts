// The rows that money is kept in, and how the ledger reaches them.
import type { Nanos } from './amount.ts'
import type { Limits, Meter, Period } from './limits.ts'

/** Ledger accounts that are not wallets. Their balance is the sum of their transfers; no row is kept for them. */
export const REVENUE = -1n
export const TRIAL = -2n
export const CREDIT = -3n
export const SHORTFALL = -4n

/** A node that has not renewed for this long must not dispatch; after DEAD_AFTER its holds may be reaped. */
export const STALE_AFTER_MS = 5_000
export const DEAD_AFTER_MS = 10_000

export const HELD = 0
export const SETTLED = 1
export const VOIDED = 2
export const REAPED = 3
export type RequestState = typeof HELD | typeof SETTLED | typeof VOIDED | typeof REAPED

export type AccountRow = {
  id: bigint
  balance: Nanos
  held: Nanos
  disabled: boolean
  limits: Limits
  meter: Meter
}
export type KeyRow = {
  id: bigint
  account: bigint
  revoked: boolean
  /** Grows with every change of what a caller may have cached: group, models, addresses, limits. */
  revision: number
  /** Milliseconds since 1970, by the store's clock. */
  expiresAt: number | undefined
  cap: Nanos | undefined
  /** undefined: the cap is for all time. */
  capPeriod: Period | undefined
  spent: Nanos
  held: Nanos
  limits: Limits
  meter: Meter
}
export type RequestRow = {
  id: bigint
  account: bigint
  key: bigint
  slot: number
  epoch: number
  state: RequestState
  held: Nanos
  /** By the store's clock, in milliseconds. */
  heldAt: number
  /** Reserved while it is open, then what it used. */
  tokens: number
  /** What the output metered so far costs: what a reaper charges if the owner never comes back. */
  progress: Nanos
  cost: Nanos
  shortfall: Nanos
  model: string
  upstream: string
  ending: string
  /** JSON written by the owner at the end: units, price, timing, attempts, warnings. */
  receipt: string
}
/** `renewedAt` by the store's clock. */
export type NodeRow = { slot: number; epoch: number; renewedAt: number; config: string }

/** The rows of one transaction. Getters return live objects; `save*` marks them to be written at its end. */
export interface Book {
  readonly now: number
  account(id: bigint): AccountRow | undefined
  key(id: bigint): KeyRow | undefined
  request(id: bigint): RequestRow | undefined
  node(slot: number): NodeRow | undefined
  /** Open holds whose node is dead (`renewedAt` before `deadBefore`) or has been succeeded by a later epoch. */
  orphans(deadBefore: number, limit: number): RequestRow[]
  saveAccount(row: AccountRow): void
  saveKey(row: KeyRow): void
  insertRequest(row: RequestRow): void
  saveRequest(row: RequestRow): void
  saveNode(row: NodeRow): void
  transfer(request: bigint | undefined, debit: bigint, credit: bigint, amount: Nanos): void
}
