// Stored responses: what a conversation can be continued from. Each row has only what its request added: the history is the chain
// of its parents. Contents are encrypted before they come here.
//
// A row that is hidden or has expired is removed once no other row continues it.
import { fieldsOf, integer, maybe, small, text } from './fields.ts'

/** Not copied: it may be large. */
const contents = (value: unknown): Uint8Array => {
  const { buffer, byteOffset, length } = value as Uint8Array
  return new Uint8Array(buffer, byteOffset, length)
}

const FIELDS = {
  /** As clients know it. Unique within the account. */
  id: text,
  account: integer,
  /** The response that this one continues. */
  parent: maybe(text),
  /** Milliseconds since 1970, by the store's clock. */
  createdAt: small,
  /** Encrypted: the items that the request and the response add to the conversation. */
  turn: contents,
  /** Encrypted: the response as clients query it. */
  record: contents,
}
export const toResponse = fieldsOf(FIELDS)
export type StoredResponse = ReturnType<typeof toResponse>

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
export const toTurn = fieldsOf({ id: FIELDS.id, turn: FIELDS.turn })
export type StoredTurn = ReturnType<typeof toTurn>

/** What an item of the output is read from. */
export const toRecord = fieldsOf({ id: FIELDS.id, account: FIELDS.account, record: FIELDS.record })
export type StoredRecord = ReturnType<typeof toRecord>

/** How long the encrypted parts of a response are, in bytes: known without reading them. */
export type StoredLength = { id: string; turn: number; record: number }

/** A conversation of more responses cannot be continued. */
export const LONGEST_CHAIN = 10_000
