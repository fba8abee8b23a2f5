// Configuration that is stored beside the file: entries, the revisions that changed them, and their secrets, which are sealed.

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

export type NewStoredSecret = {
  id: string
  /** The entry that it was written for, such as `upstream/main`. */
  owner: string
  sealed: Uint8Array
  fingerprint: string
  lastFour: string
}
/** `sealed` undefined: it was erased. */
export type StoredSecret = Omit<NewStoredSecret, 'sealed'> & { sealed: Uint8Array | undefined; createdAt: number }

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

export interface Configuration {
  /** The newest revision; 0: there is none. */
  revision(): Promise<number>
  /** The state of the newest revision, with all secrets that entries of any revision have. */
  read(): Promise<StoredConfiguration>
  /** Newest first. `before`, `after`: only those with a lower or a higher number, nearest to it. */
  revisions(range: { before?: number; after?: number }, limit: number): Promise<Revision[]>
  /** What each of these changed, with at most `most` changes of each. */
  summaries(revisions: readonly number[], most: number): Promise<RevisionSummary[]>
  find(revision: number): Promise<(Revision & { changes: EntryChange[] }) | undefined>
  /** For each entry that was changed after this revision: what it was then, as it was written, and what it is now. */
  changesSince(revision: number): Promise<EntryChange[]>
  /** Secrets that are not erased, after this id, in order: for the rotation of the master secret. */
  secrets(after: string, limit: number): Promise<{ id: string; sealed: Uint8Array }[]>
  /** false: it is not `before` any more. */
  resealSecret(id: string, before: Uint8Array, after: Uint8Array): Promise<boolean>
}

/** Only with an entry in the audit log, which also says whose the revision is. */
export interface ConfigurationWriter {
  /**
   * Writes the revision after `expected`, with all its changes, in one transaction; false, and nothing is written, if another one has been
   * written meanwhile. `erased`: ids of secrets that are emptied for good.
   */
  write(
    expected: number,
    changes: readonly EntryChange[],
    secrets?: readonly NewStoredSecret[],
    erased?: readonly string[],
  ): Promise<boolean>
}
