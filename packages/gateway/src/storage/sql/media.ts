// The statements of Media, the same for both engines: `$1` are parameters, NOW is the store's clock in milliseconds.
// `size` is null until the content is complete.
import { type MediaRecord, toMediaRecord, UNFINISHED_MS } from '../media.ts'
import type { Ask } from './contents.ts'
import { checkText } from './guard.ts'
import type { Room } from './shares/room.ts'

const BEGIN = `
INSERT INTO media (id, account, content_type, created_at, expires_at) VALUES ($1, $2, $3, NOW, NOW + $4)`

const COLUMNS = toMediaRecord.columns.join(', ')

/** Not once it has expired: its content may be deleted by then. */
const COMPLETE = `
UPDATE media SET size = $2, expires_at = NOW + $3 WHERE id = $1 AND size IS NULL AND expires_at > NOW
RETURNING ${COLUMNS}`

const FIND = `SELECT ${COLUMNS} FROM media WHERE id = $1 AND size IS NOT NULL AND expires_at > NOW`
const EXPIRE = 'UPDATE media SET expires_at = NOW WHERE id = $1 AND expires_at > NOW'
const EXPIRED = 'SELECT id FROM media WHERE expires_at <= NOW ORDER BY expires_at LIMIT $1'
const FORGET = 'DELETE FROM media WHERE id = $1 AND expires_at <= NOW'
const EXPIRE_UNFINISHED = 'UPDATE media SET expires_at = NOW WHERE size IS NULL AND expires_at > NOW'

export function mediaOver(ask: Ask, room: Room) {
  return {
    /** Records an object whose content is about to be written. It cannot be found before `complete`. */
    async begin({ id, account, contentType }: Pick<MediaRecord, 'id' | 'account' | 'contentType'>): Promise<void> {
      await ask(BEGIN, [checkText('id', id), account, checkText('content type', contentType), UNFINISHED_MS])
    },
    /** The content is written, and kept for `keepMs` from now. undefined: it took too long, and the content must be deleted. */
    async complete(id: string, size: number, keepMs: number): Promise<MediaRecord | undefined> {
      const [row] = await ask(COMPLETE, [id, size, keepMs])
      return row && toMediaRecord(row)
    },
    /**
     * Expires the oldest objects of the owner, or of the account that has the most, as far as the new one exceeds the limits
     * (see shares.ts). Resolves with their ids: their contents are to be deleted.
     */
    makeRoom: async ({ id, account, size }: Pick<MediaRecord, 'id' | 'account' | 'size'>): Promise<readonly string[]> =>
      (await room.make(account, size, id)).removed,
    /** An object that is complete and has not expired. */
    async find(id: string): Promise<MediaRecord | undefined> {
      const [row] = await ask(FIND, [checkText('id', id)])
      return row && toMediaRecord(row)
    },
    /** The object expires now. */
    async expire(id: string): Promise<void> {
      await ask(EXPIRE, [id])
    },
    /** Objects whose contents are to be deleted, at most `limit`: expired ones, and those that were never completed. */
    async expired(limit: number): Promise<string[]> {
      return (await ask(EXPIRED, [limit])).map(({ id }) => String(id))
    },
    /** Removes the record of an expired object, after its content is deleted. */
    async forget(id: string): Promise<void> {
      await ask(FORGET, [id])
    },
    /** Expires all objects that are not complete. Only for a process that owns the store, at its start. */
    async expireUnfinished(): Promise<void> {
      await ask(EXPIRE_UNFINISHED, [])
    },
  }
}
