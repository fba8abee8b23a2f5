// The statements of Media, the same for both engines: `$1` are parameters, NOW is the store's clock in milliseconds.
// `size` is null until the content is complete.
import { type Media, type MediaRecord, UNFINISHED_MS } from '../media.ts'
import type { Ask } from './contents.ts'
import { checkText } from './guard.ts'
import { integer, type Row } from './rows.ts'
import type { Room } from './shares/room.ts'

const BEGIN = `
INSERT INTO media (id, account, content_type, created_at, expires_at) VALUES ($1, $2, $3, NOW, NOW + $4)`

const COLUMNS = 'id, account, content_type, size, created_at, expires_at'

/** Not once it has expired: its content may be deleted by then. */
const COMPLETE = `
UPDATE media SET size = $2, expires_at = NOW + $3 WHERE id = $1 AND size IS NULL AND expires_at > NOW
RETURNING ${COLUMNS}`

const FIND = `SELECT ${COLUMNS} FROM media WHERE id = $1 AND size IS NOT NULL AND expires_at > NOW`
const EXPIRE = 'UPDATE media SET expires_at = NOW WHERE id = $1 AND expires_at > NOW'
const EXPIRED = 'SELECT id FROM media WHERE expires_at <= NOW ORDER BY expires_at LIMIT $1'
const FORGET = 'DELETE FROM media WHERE id = $1 AND expires_at <= NOW'
const EXPIRE_UNFINISHED = 'UPDATE media SET expires_at = NOW WHERE size IS NULL AND expires_at > NOW'

export function mediaOver(ask: Ask, room: Room): Media {
  return {
    async begin({ id, account, contentType }) {
      await ask(BEGIN, [checkText('id', id), account, checkText('content type', contentType), UNFINISHED_MS])
    },
    async complete(id, size, keepMs) {
      const [row] = await ask(COMPLETE, [id, size, keepMs])
      return row && toRecord(row)
    },
    makeRoom: async ({ id, account, size }) => (await room.make(account, size, id)).removed,
    async find(id) {
      const [row] = await ask(FIND, [checkText('id', id)])
      return row && toRecord(row)
    },
    async expire(id) {
      await ask(EXPIRE, [id])
    },
    async expired(limit) {
      return (await ask(EXPIRED, [limit])).map(({ id }) => String(id))
    },
    async forget(id) {
      await ask(FORGET, [id])
    },
    async expireUnfinished() {
      await ask(EXPIRE_UNFINISHED, [])
    },
  }
}

const toRecord = (row: Row): MediaRecord => ({
  id: String(row.id),
  account: integer(row.account),
  contentType: String(row.content_type),
  size: Number(row.size),
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
})
