// Stored responses: what a conversation can be continued from. Each row has only what its request added: the history is the chain
// of its parents. Contents are encrypted before they come here.
//
// A row that is hidden or has expired is removed once no other row continues it.
import type { MadeWith } from './keys.ts'

export type StoredResponse = {
  /** As clients know it. Unique within the account. */
  id: string
  account: bigint
  /** The response that this one continues. */
  parent: string | undefined
  /** Encrypted: the items that the request and the response add to the conversation. */
  turn: Uint8Array
  /** Encrypted: the response as clients query it. */
  record: Uint8Array
  /** Milliseconds since 1970, by the store's clock. */
  createdAt: number
}

export type NewResponse = Omit<StoredResponse, 'createdAt'> & {
  /** That of the request. */
  key: bigint
  keepMs: number
  /** The ids of the items of its output. */
  items: readonly string[]
  /** The ids of stored media that belong to it: they expire with the row, and not before. */
  media: readonly string[]
}

/** What a continuation needs of a response. */
export type StoredTurn = Pick<StoredResponse, 'id' | 'turn'>

/** What an item of the output is read from. */
export type StoredRecord = Pick<StoredResponse, 'id' | 'account' | 'record'>

/** How long the encrypted parts of a response are, in bytes: known without reading them. */
export type StoredLength = { id: string; turn: number; record: number }

/** A conversation of more responses cannot be continued. */
export const LONGEST_CHAIN = 10_000

/** All reject with StoreDown if the store does not answer: whether the call took effect is then unknown. */
export interface Responses {
  /**
   * Durable when this resolves. May be repeated. false: the parent does not exist any more. Throws ShareExceeded for what does not
   * fit into the share of its account.
   */
  put(response: NewResponse): Promise<boolean>
  /** undefined: there is none, it is hidden, has expired, or belongs to another account. */
  find(account: bigint, id: string): Promise<StoredResponse | undefined>
  /** The response and all that it continues, the oldest first, in one round trip. Empty as `find` is undefined, and beyond LONGEST_CHAIN. */
  chain(account: bigint, id: string): Promise<StoredTurn[]>
  /** The lengths of the same responses. `madeWith`: only if the last one was. */
  chainLengths(account: bigint, id: string, madeWith?: MadeWith): Promise<StoredLength[]>
  /** The length of the response alone. undefined as `find`, and if it was not `madeWith` this. */
  length(account: bigint, id: string, madeWith?: MadeWith): Promise<StoredLength | undefined>
  /** The response as clients query it, and nothing else. undefined as `find`. */
  record(account: bigint, id: string): Promise<StoredRecord | undefined>
  /** Responses of a chain as a whole, in any order: also hidden and expired ones, as long as others continue them. */
  several(account: bigint, ids: readonly string[]): Promise<StoredResponse[]>
  /** The turn of one of them alone. */
  turn(account: bigint, id: string): Promise<StoredTurn | undefined>
  /**
   * What was stored of the responses of the account whose output has these items; hidden and expired ones do not count. At most one for
   * each item, the newest. `madeWith`: only such responses.
   */
  withItems(account: bigint, items: readonly string[], madeWith?: MadeWith): Promise<Map<string, StoredRecord>>
  /** The bytes of all records that `withItems` would read. */
  bytesWithItems(account: bigint, items: readonly string[], madeWith?: MadeWith): Promise<number>
  /** Clients do not find it any more, at once. false: there was none, or it was not `madeWith` this. */
  hide(account: bigint, id: string, madeWith?: MadeWith): Promise<boolean>
  /** Removes at most `limit` rows that nothing continues; resolves with their number. */
  sweep(limit: number): Promise<number>
}
