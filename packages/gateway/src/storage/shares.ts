// The shares of accounts in what is stored for a while. Beyond its share an account's oldest contents go; when all is full, those of
// the account that has the most. So an account never keeps another one from storing.

/** `accountBytes`: of one account. `allBytes`: of all accounts together. */
export type ShareLimits = { accountBytes: number; allBytes: number }

export type ShareKind = 'stored' | 'media'

/** What was removed, and because of which limit. */
export type Removal = { kind: ShareKind; account: bigint; count: number; bytes: number; limit: 'account' | 'all' }

/** What `forget` removed. */
export type Forgotten = { responses: number; idempotentResponses: number; reasoning: number }

export const DEFAULT_SHARE_LIMITS: Readonly<Record<ShareKind, ShareLimits>> = {
  stored: { accountBytes: 256 * 1024 ** 2, allBytes: 4 * 1024 ** 3 },
  media: { accountBytes: 8 * 1024 ** 3, allBytes: 32 * 1024 ** 3 },
}

/** One response may take this part of its account's share. */
export const LARGEST_PART = 1 / 4

/** A response, or the conversation that it belongs to, does not fit into the share of its account. */
export class ShareExceeded extends Error {
  override name = 'ShareExceeded'
}
