// The statements behind the shares of accounts, for both engines: `$1` are parameters, NOW is the store's clock in milliseconds.
// Triggers of the schema keep the sizes of accounts in `stored_size` and `media_size`.
import type { Ask, ContentDialect } from '../contents.ts'
import { integer, type Row } from '../rows.ts'
import type { Pool, Removable } from './room.ts'

const sizes = (table: string) => ({
  BYTES: `SELECT bytes FROM ${table} WHERE account = $1`,
  TOTAL: `SELECT CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes FROM ${table}`,
  LARGEST: `SELECT account, bytes FROM ${table} WHERE bytes > 0 ORDER BY bytes DESC LIMIT 1`,
})

/** What nothing continues: the others are needed by what does. */
const OLDEST_RESPONSES = `
SELECT id, bytes, created_at AS at FROM response WHERE account = $1 AND continued = 0 AND id <> $3
ORDER BY created_at, id LIMIT $2`
const OLDEST_ANSWERS = `
SELECT key AS id, bytes, claimed_at AS at FROM idempotency WHERE account = $1 AND bytes > 0
ORDER BY claimed_at LIMIT $2`

const removeResponses = ({ list }: ContentDialect) => `
DELETE FROM response WHERE account = $1 AND continued = 0 AND id IN (${list('$2')}) RETURNING id`
/** The key stays: the request must not run, and be charged, again. */
const removeAnswers = ({ listOfBytes }: ContentDialect) => `
UPDATE idempotency SET headers = NULL, body = NULL, bytes = 0
WHERE account = $1 AND bytes > 0 AND key IN (${listOfBytes('$2')}) RETURNING key AS id`

export function storedPool(ask: Ask, dialect: ContentDialect): Pool {
  const { BYTES, TOTAL, LARGEST } = sizes('stored_size')
  const [REMOVE_RESPONSES, REMOVE_ANSWERS] = [removeResponses(dialect), removeAnswers(dialect)]
  const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => idOf(id))
  return {
    kind: 'stored',
    bytesOf: async (account) => bytesIn(await ask(BYTES, [account])),
    total: async () => bytesIn(await ask(TOTAL, [])),
    largest: async () => toAccount(await ask(LARGEST, [])),
    async oldest(account, limit, kept) {
      const [responses, answers] = await Promise.all([
        ask(OLDEST_RESPONSES, [account, limit, kept]),
        ask(OLDEST_ANSWERS, [account, limit]),
      ])
      const all = [...responses.map(toRemovable('response')), ...answers.map(toRemovable('idempotency'))]
      return all
        .filter(({ id }) => id !== kept)
        .sort((one, other) => one.at - other.at)
        .slice(0, limit)
    },
    async remove(account, removables) {
      const removed: string[] = []
      for (const [table, sql] of [
        ['response', REMOVE_RESPONSES],
        ['idempotency', REMOVE_ANSWERS],
      ] as const) {
        const ids = removables.filter((removable) => removable.table === table).map(({ id }) => id)
        if (ids.length > 0) removed.push(...idsOf(await ask(sql, [account, JSON.stringify(ids)])))
      }
      return removed
    },
  }
}

/** Images of a stored response expire with it and count with it. */
const BOUND = '9007199254740991'
const OLDEST_MEDIA = `
SELECT id, size AS bytes, created_at AS at FROM media
WHERE account = $1 AND size IS NOT NULL AND expires_at > NOW AND expires_at < ${BOUND} AND id <> $3
ORDER BY created_at, id LIMIT $2`
const removeMedia = ({ list }: ContentDialect) => `
UPDATE media SET expires_at = NOW
WHERE id IN (${list('$2')}) AND account = $1 AND expires_at > NOW AND expires_at < ${BOUND} RETURNING id`
/** Expired objects are counted until their contents are deleted, which is under way. */
const EXPIRED_OF =
  'SELECT CAST(coalesce(sum(size), 0) AS bigint) AS bytes FROM media WHERE account = $1 AND expires_at <= NOW'
const EXPIRED = 'SELECT CAST(coalesce(sum(size), 0) AS bigint) AS bytes FROM media WHERE expires_at <= NOW'

export function mediaPool(ask: Ask, dialect: ContentDialect): Pool {
  const { BYTES, TOTAL, LARGEST } = sizes('media_size')
  const REMOVE = removeMedia(dialect)
  const less = async (sql: string, expired: string, parameters: readonly unknown[]) => {
    const [all, over] = await Promise.all([ask(sql, parameters), ask(expired, parameters)])
    return bytesIn(all) - bytesIn(over)
  }
  return {
    kind: 'media',
    bytesOf: (account) => less(BYTES, EXPIRED_OF, [account]),
    total: () => less(TOTAL, EXPIRED, []),
    async largest() {
      const found = toAccount(await ask(LARGEST, []))
      return found && { ...found, bytes: await less(BYTES, EXPIRED_OF, [found.account]) }
    },
    oldest: async (account, limit, kept) => (await ask(OLDEST_MEDIA, [account, limit, kept])).map(toRemovable('media')),
    remove: async (account, removables) =>
      (await ask(REMOVE, [account, JSON.stringify(removables.map(({ id }) => id))])).map(({ id }) => String(id)),
  }
}

const bytesIn = ([row]: readonly Row[]): number => Number(row?.bytes ?? 0)
const toAccount = ([row]: readonly Row[]) => row && { account: integer(row.account), bytes: Number(row.bytes) }
/** Keys are bytes. */
const idOf = (id: unknown): string => (typeof id === 'string' ? id : Buffer.from(id as Uint8Array).toString('hex'))
const toRemovable =
  (table: string) =>
  ({ id, bytes, at }: Row): Removable => ({ id: idOf(id), table, bytes: Number(bytes), at: Number(at) })
