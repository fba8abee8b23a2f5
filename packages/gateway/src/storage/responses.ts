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
