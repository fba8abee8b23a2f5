// Rows as they come from either driver -> the gateway's types.
import type { RequestState } from '../../money/ledger.ts'
import type { Account, Caller, Key, UsageRow } from '../storage.ts'

export type Row = Record<string, unknown>

export const integer = (value: unknown): bigint => BigInt(value as bigint | number | string)
/** For times, flags and slots, which are far below 2^53; never for money. */
const small = (value: unknown): number => Number(value)
const flag = (value: unknown): boolean => Number(value) !== 0
const text = (value: unknown): string => value as string
const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === null || value === undefined ? undefined : read(value)

export const toAccount = (row: Row): Account => ({
  id: integer(row.id),
  email: text(row.email),
  balance: integer(row.balance),
  held: integer(row.held),
  disabled: flag(row.disabled),
  createdAt: small(row.created_at),
})

export const toKey = (row: Row): Key => ({
  id: integer(row.id),
  account: integer(row.account),
  name: text(row.name),
  group: text(row.group_name),
  revoked: flag(row.revoked),
  expiresAt: optional(row.expires_at, small),
  cap: optional(row.cap, integer),
  spent: integer(row.spent),
  held: integer(row.held),
  createdAt: small(row.created_at),
})

export const toCaller = (row: Row): Caller => ({
  key: integer(row.key),
  account: integer(row.account),
  group: text(row.group_name),
  revoked: flag(row.revoked),
  expiresAt: optional(row.expires_at, small),
  accountDisabled: flag(row.disabled),
})

export const toUsageRow = (row: Row): UsageRow => ({
  request: integer(row.id),
  key: integer(row.key),
  model: text(row.model),
  upstream: text(row.upstream),
  state: small(row.state) as RequestState,
  ending: text(row.ending),
  held: integer(row.held),
  cost: integer(row.cost),
  shortfall: integer(row.shortfall),
  receipt: text(row.receipt),
})
