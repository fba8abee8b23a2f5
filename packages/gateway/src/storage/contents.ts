// What is large and kept for a while, apart from the books: a row of a megabyte in the ledger's writer would delay every
// commit of it. Today these are the answers to requests with an idempotency key; whatever else callers may ask for again
// gets verbs of its own here, and rows that `sweep` removes like these.
import type { Nanos } from '../money/amount.ts'
import type { Owned } from '../money/ledger.ts'

/** One try at a request with an idempotency key, by the node that makes it. `id` is the request's. */
export type Claim = Owned & {
  account: bigint
  /** SHA-256 of the caller's key. */
  key: Uint8Array
  /** SHA-256 of what is asked: the same key with another one is a mistake of the caller's. */
  fingerprint: Uint8Array
}

/** `headers`: JSON, those of the answer that are its own. */
export type KeptAnswer = { headers: string; body: Uint8Array }

export type Claimed =
  | { outcome: 'new' }
  | { outcome: 'mismatch'; first: bigint }
  /** As far as this store knows; whether its node still lives, the ledger knows. Age by the store's clock. */
  | { outcome: 'running'; first: Owned; ageMs: number }
  /** Without an answer: it was a stream, too large, or it was lost. */
  | { outcome: 'finished'; first: bigint; cost: Nanos; answer: KeptAnswer | undefined }

/** All reject with StoreDown when the store does not answer: whether it took effect is then unknown. */
export interface Contents {
  /**
   * Of all that claim the same key of an account one is `new`, and durable when this resolves. `instead`: takes the place
   * of this request, if it is still the one that runs. A claim may be repeated.
   */
  claim(claim: Claim, instead?: bigint): Promise<Claimed>
  /** What a claim would be answered, without making it. */
  find(claim: Claim): Promise<Claimed>
  /** The request is over and was charged `cost`; kept for `keepMs` from now. false: the claim is another's by now. */
  keep(claim: Claim, end: { cost: Nanos; keepMs: number; answer: KeptAnswer | undefined }): Promise<boolean>
  /** As if it had never been claimed; a claim that has ended, or is another's, stays. */
  forget(claim: Claim): Promise<void>
  /** Removes at most `limit` rows whose time is over; resolves with how many. */
  sweep(limit: number): Promise<number>
}

/** A claim that never ended is removed after this long: no call takes as long. */
export const LONGEST_CLAIM_MS = 24 * 3_600_000

/** SHA-256 */
const HASH_BYTES = 32

/** Throws for a claim that an engine would not keep as it is. */
export function checkClaim({ key, fingerprint }: Claim): void {
  if (key.length !== HASH_BYTES) throw new TypeError('key: must be the 32 bytes of a SHA-256')
  if (fingerprint.length !== HASH_BYTES) throw new TypeError('fingerprint: must be the 32 bytes of a SHA-256')
}
