// The records of stored images and videos. Their contents lie on disk or in S3 (media/), where nothing can be listed
// reliably: every content has a record before it exists, and keeps it until it is deleted.

export type MediaRecord = {
  id: string
  /** The account that the object belongs to. */
  account: bigint
  contentType: string
  size: number
  /** Milliseconds since 1970, by the store's clock. */
  createdAt: number
  expiresAt: number
}

/** All reject with StoreDown if the store does not answer: whether it took effect is then unknown. */
export interface Media {
  /** Records an object whose content is about to be written. It cannot be found before `complete`. */
  begin(object: Pick<MediaRecord, 'id' | 'account' | 'contentType'>): Promise<void>
  /** The content is written, and kept for `keepMs` from now. undefined: it took too long, and the content must be deleted. */
  complete(id: string, size: number, keepMs: number): Promise<MediaRecord | undefined>
  /**
   * Expires the oldest objects of the owner, or of the account that has the most, as far as the new one exceeds the limits
   * (see shares.ts). Resolves with their ids: their contents are to be deleted.
   */
  makeRoom(object: Pick<MediaRecord, 'id' | 'account' | 'size'>): Promise<readonly string[]>
  /** An object that is complete and has not expired. */
  find(id: string): Promise<MediaRecord | undefined>
  /** The object expires now. */
  expire(id: string): Promise<void>
  /** Objects whose contents are to be deleted, at most `limit`: expired ones, and those that were never completed. */
  expired(limit: number): Promise<string[]>
  /** Removes the record of an expired object, after its content is deleted. */
  forget(id: string): Promise<void>
  /** Expires all objects that are not complete. Only for a process that owns the store, at its start. */
  expireUnfinished(): Promise<void>
}

/** A content that is not complete after this long is deleted: no upload takes as long. */
export const UNFINISHED_MS = 2 * 3_600_000
