// Large values that are stored for a while, apart from the ledger: a row of a megabyte in the ledger's writer would delay
// every commit. These are the responses to requests with an idempotency key; `sweep` removes expired rows.
import type { Nanos } from '../money/amount.ts'
import type { Owned } from '../money/ledger.ts'

/** A claim of an idempotency key for the request `id`, by its node. */
export type Claim = Owned & {
  account: bigint
  /** SHA-256 of the caller's key. */
  key: Uint8Array
  /** SHA-256 of the request: the same key with a different one is an error of the caller. */
  fingerprint: Uint8Array
}

/** `headers`: JSON, those that are specific to the response. */
export type KeptAnswer = { headers: string; body: Uint8Array }

export type Claimed =
  | { outcome: 'new' }
  | { outcome: 'mismatch'; first: bigint }
  /** As far as this store knows; whether its node is alive is known to the ledger. Age by the store's clock. */
  | { outcome: 'running'; first: Owned; ageMs: number }
  /** Without an answer: the response was a stream, too large, or lost. */
  | { outcome: 'finished'; first: bigint; cost: Nanos; answer: KeptAnswer | undefined }

/** A claim that never ended is removed after this long: no call takes as long. */
export const LONGEST_CLAIM_MS = 24 * 3_600_000

/** SHA-256 */
const HASH_BYTES = 32

/** Throws for a claim that an engine would not keep as it is. */
export function checkClaim({ key, fingerprint }: Claim): void {
  if (key.length !== HASH_BYTES) throw new TypeError('key: must be the 32 bytes of a SHA-256')
  if (fingerprint.length !== HASH_BYTES) throw new TypeError('fingerprint: must be the 32 bytes of a SHA-256')
}
