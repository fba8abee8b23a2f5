// The records of stored images and videos. Their contents lie on disk or in S3 (media/), where nothing can be listed
// reliably: every content has a record before it exists, and keeps it until it is deleted.
import { fieldsOf, integer, small, text } from './fields.ts'

export const toMediaRecord = fieldsOf({
  id: text,
  /** The account that the object belongs to. */
  account: integer,
  contentType: text,
  size: small,
  /** Milliseconds since 1970, by the store's clock. */
  createdAt: small,
  expiresAt: small,
})
export type MediaRecord = ReturnType<typeof toMediaRecord>

/** A content that is not complete after this long is deleted: no upload takes as long. */
export const UNFINISHED_MS = 2 * 3_600_000
