// Pages over all accounts, for operators.

import type { Nanos } from '../../money/amount.ts'
import type { Account } from '../accounts.ts'
import { fieldsOf, integer, maybe, small, text } from '../fields.ts'
import type { KeyFilter } from '../keys.ts'
import type { UsageRow } from '../ledger.ts'
import type { Member, MemberRole } from '../people/members.ts'
import type { GatewayRole, Person } from '../people/people.ts'
import type { AttributionFilter } from './spending.ts'

/**
 * `email`, `name`: what the address of a member, or the name of the account, begins with. `search`: a part of either, whatever its case, or
 * the id.
 */
export type AccountFilter = {
  state?: 'active' | 'disabled' | 'deleted'
  email?: string
  name?: string
  search?: string
  hasCap?: true
}
/**
 * By id, or by what they have and do: what they spent in so many days (UTC) until today, most first; their balance, lowest first; their
 * last use, newest first, or oldest first with those never used before. Deleted ones come last where the lowest comes first.
 */
export const ACCOUNT_ORDERS = ['oldest', 'newest', 'spent', 'balance', 'last_used', 'unused'] as const
export type AccountOrder = (typeof ACCOUNT_ORDERS)[number]
/** Today included. */
export const ACTIVITY_DAYS = 30
export type ListedAccount = { account: Account; members: Member[] }

/** `spent`: within `ACTIVITY_DAYS`. `activeKeys`: those that clients hold. `groups`: of these keys. */
export type AccountActivity = {
  account: bigint
  spent: Nanos
  activeKeys: number
  groups: string[]
  lastUsedAt: number | undefined
  openRequests: number
}

/**
 * `search`: a part of the name, whatever its case, or the end of the secret. `unusedSince`: only keys that were created before, and not used since. `capUsed`:
 * only keys that have spent at least so many percent of their cap.
 */
export type ListedKeyFilter = Pick<KeyFilter, 'state' | 'name'> & {
  account?: bigint
  group?: string
  lastFour?: string
  search?: string
  /** The person who made it, as a holder or an operator. */
  maker?: bigint
  makerKey?: bigint
  unusedSince?: number
  isUnused?: boolean
  hasCap?: boolean
  hasExpiry?: boolean
  capUsed?: number
}

/** `role` null: no role. `email`: what the address begins with. */
export type PersonFilter = { role?: GatewayRole | 'any' | null; email?: string; disabled?: boolean }
export type ListedPerson = {
  person: Person
  hasSecondFactor: boolean
  accounts: { account: bigint; name: string; role: MemberRole }[]
}

/** Times in milliseconds since 1970; `to` is excluded. */
export type TimeRange = { from?: number; to?: number }

/**
 * `outcome`: `running` for those that have not ended, `errors` for all that failed. `code`: of the error on the receipt. `status`: what the
 * client got.
 */
export type ListedRequestFilter = TimeRange &
  AttributionFilter & {
    account?: bigint
    key?: bigint
    model?: string
    upstream?: string
    outcome?: string
    code?: string
    status?: number
    request?: bigint
    /** What the caller and the vendor call the request. */
    clientId?: string
    upstreamId?: string
    /** Those that have ended, whose upstream cost is not known. */
    hasUnknownCost?: true
  }
/** `upstreamCost`: undefined where it is not known. */
export type ListedRequest = { account: bigint; row: UsageRow; upstreamCost: Nanos | undefined }

/** `credit`: into a wallet, `debit`: out of it, `charge`: for a request, `shortfall`: what a request cost beyond its wallet, `test`: of an upstream. */
export const TRANSFER_KINDS = ['credit', 'debit', 'charge', 'shortfall', 'test'] as const
export type TransferKind = (typeof TRANSFER_KINDS)[number]
/** `request`: the transfers of this one, oldest first. */
export type TransferFilter = TimeRange & {
  account?: bigint
  kind?: TransferKind
  reason?: string
  request?: bigint
  reference?: string
}
export const toTransfer = fieldsOf({
  id: integer,
  at: small,
  /** Wallets have positive ids, the ledger's own accounts negative ones. */
  debit: integer,
  credit: integer,
  amount: integer,
  reason: text,
  request: maybe(integer),
  reference: maybe(text),
})
export type Transfer = ReturnType<typeof toTransfer>

export type ListedAuditFilter = TimeRange & { actor?: { type: string; id: string }; action?: string; object?: string }
