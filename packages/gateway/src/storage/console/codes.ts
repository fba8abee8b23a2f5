// Redemption codes: an operator creates them, an account holder turns one into credit. The store keeps their SHA-256.
import type { Nanos } from '../../money/amount.ts'

export type NewCode = { hash: Uint8Array; amount: Nanos; expiresAt: number | undefined }

export type Redeemed = { amount: Nanos; balance: Nanos }
/** `too_much`: the balance would exceed its limit. */
export type RedeemRejection = 'unknown' | 'used' | 'expired' | 'too_much'

export interface Codes {
  create(codes: readonly NewCode[]): Promise<void>
  /** One transaction with the transfer that credits the account: a code is worth its amount exactly once. */
  redeem(account: bigint, hash: Uint8Array): Promise<Redeemed | RedeemRejection>
}
