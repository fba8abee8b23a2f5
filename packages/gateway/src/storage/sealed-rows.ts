// What the contents have encrypted by the master secret, row by row, for its rotation.

/** `turn`, `record`: of a stored response. `answer`: to a request with an idempotency key. `reasoning`: that is kept for clients. */
export const SEALED_KINDS = ['turn', 'record', 'answer', 'reasoning'] as const
export type SealedKind = (typeof SEALED_KINDS)[number]

/** `id`: within the account. */
export type SealedPlace = { account: bigint; id: string | Uint8Array }
export type SealedRow = SealedPlace & {
  sealed: Uint8Array
  /** An answer has the fingerprint of its request. */
  fingerprint?: Uint8Array
  /** A record has the ids of images that are encrypted for the same response. */
  media?: readonly string[]
}
