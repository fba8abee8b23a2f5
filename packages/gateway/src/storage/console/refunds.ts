// Refunds: what operators give back of what a request cost.
import type { Nanos } from '../../money/amount.ts'

/** `reference`: a refund with the same one is not booked again. */
export type Refund = { request: bigint; account: bigint; amount: Nanos; reason: string; reference: string | undefined }

export interface Refunds {
  /** What was refunded in all, for the requests that have refunds. */
  of(requests: readonly bigint[]): Promise<Map<bigint, Nanos>>
  /**
   * A credit on the account's balance. false, and nothing is booked: all refunds of the request would exceed its cost, its cost is not final,
   * the balance would be too large, or there is a transfer with the same reference.
   */
  book(refund: Refund): Promise<boolean>
}
