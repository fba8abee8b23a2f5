// Redemption codes: an operator creates them, an account holder turns one into credit. The store keeps their SHA-256.
import type { Nanos } from '../../money/amount.ts'
import { fieldsOf, integer, maybe, small, text } from '../fields.ts'

/** `label`: the batch that it is part of; `lastFour`: the end of the code. */
export type NewCode = {
  hash: Uint8Array
  amount: Nanos
  expiresAt: number | undefined
  label?: string
  lastFour?: string
}

export type Code = Required<NewCode> & {
  createdAt: number
  redeemed: { by: bigint; at: number } | undefined
  revokedAt: number | undefined
}

/** `before`: only codes that were created before this one; `after`: after it, of which those nearest to it are read. */
export type CodeFilter = {
  label?: string
  before?: Pick<Code, 'createdAt' | 'hash'>
  after?: Pick<Code, 'createdAt' | 'hash'>
}

/** All codes with one label; those without one are a batch, too. `createdAt`: of the newest. `expiresAt`: when the last one expires; undefined: some never do. */
export const toBatch = fieldsOf({
  label: text,
  createdAt: small,
  expiresAt: maybe(small),
  codes: small,
  amount: integer,
  redeemed: small,
  redeemedAmount: integer,
  revoked: small,
  /** Neither redeemed nor revoked in time. */
  expired: small,
  /** What can still be redeemed. */
  open: small,
  openAmount: integer,
})
export type CodeBatch = ReturnType<typeof toBatch>
export type BatchPlace = Pick<CodeBatch, 'createdAt' | 'label'>

export type Redeemed = { amount: Nanos; balance: Nanos }
/** `too_much`: the balance would exceed its limit. */
export type RedeemRejection = 'unknown' | 'used' | 'revoked' | 'expired' | 'too_much'
