// Configuration that is stored beside the file: entries, the revisions that changed them, and their secrets, which are sealed.
import { bytes, fieldsOf, maybe, small, text } from '../fields.ts'

export type EntryKind = 'upstream' | 'model' | 'group' | 'setting'

/** `value`: JSON, in which a secret is `{ $secret: id }`. `revision`: that of its last change. */
export type SealedEntry = { kind: EntryKind; id: string; value: unknown; revision: number }
/** How a value that is no JSON begins: its row was edited by hand, or damaged. It is the only one that cannot be used then. */
export type UnreadableValue = { $unreadable: string }

export function readEntryValue(written: string): unknown {
  try {
    return JSON.parse(written) as unknown
  } catch {
    return { $unreadable: written.slice(0, 200) } satisfies UnreadableValue
  }
}

export const isUnreadable = (value: unknown): value is UnreadableValue =>
  typeof value === 'object' && value !== null && '$unreadable' in value

/** undefined: there was no entry, or is none now. */
export type EntryChange = { kind: EntryKind; id: string; before: unknown; after: unknown }

export const toSecret = fieldsOf({
  id: text,
  /** The entry that it was written for, such as `upstream/main`. */
  owner: text,
  /** undefined: it was erased. */
  sealed: maybe(bytes),
  fingerprint: text,
  lastFour: text,
  createdAt: small,
})
export type StoredSecret = ReturnType<typeof toSecret>
export type NewStoredSecret = Omit<StoredSecret, 'sealed' | 'createdAt'> & { sealed: Uint8Array }

/** 0: nothing was ever stored. */
export type StoredConfiguration = { revision: number; entries: SealedEntry[]; secrets: StoredSecret[] }

export type Revision = {
  revision: number
  at: number
  actor: { type: string; id: string }
  requestId: bigint | undefined
  action: string
  reason: string
}

/** What became of an entry, without its values. */
export type NamedChange = { kind: EntryKind; id: string; change: 'created' | 'changed' | 'deleted' }
/** `count`: of all changes of the revision, of which `first` are the first. */
export type RevisionSummary = { revision: number; count: number; first: NamedChange[] }
