// The statements of Responses for both engines: `$1` are parameters, NOW is the store's clock in milliseconds. `continued` is the
// number of rows that continue a row; triggers of the schema keep it, the rows of `response_item`, and the expiry of media. A hidden row has
// expired.

import type { MadeWith } from '../keys.ts'
import {
  LONGEST_CHAIN,
  type NewResponse,
  type StoredLength,
  type StoredRecord,
  type StoredResponse,
  type StoredTurn,
  toRecord,
  toResponse,
  toTurn,
} from '../responses.ts'
import { LARGEST_PART, ShareExceeded } from '../shares.ts'
import type { Ask, ContentDialect } from './contents.ts'
import { checkText } from './guard.ts'
import type { Row } from './rows.ts'
import type { Room } from './shares/room.ts'

/** CROSS JOIN makes SQLite look for each row of the first table in the second: otherwise it reads all responses of the account. */
const columnsOf = (table: string, columns: readonly string[] = toResponse.columns): string =>
  columns.map((column) => `${table}.${column}`).join(', ')

/** NULL: of any key. The third and fourth parameters of all statements that it is part of. */
const OF_KEY = 'AND (CAST($3 AS bigint) IS NULL OR (response.key = $3 AND response.created_at >= $4))'
const ofKey = (made: MadeWith | undefined) => [made?.key ?? null, made?.since ?? 0]

/**
 * The lock keeps the parent until the new row is counted: a sweep either removes the parent before, and there is no row, or finds that it is
 * continued. A repeated put changes nothing, but returns the row.
 */
const put = ({ lock, list }: ContentDialect) => `
INSERT INTO response AS known (account, id, key, parent, items, media, created_at, expires_at, bytes, turn, record)
SELECT $1, $2, $10, $3, $4, $5, clock.now, clock.now + $6,
  $9 + (SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM media WHERE id IN (${list('$5')})), $7, $8
FROM (SELECT NOW AS now) AS clock
WHERE CAST($3 AS text) IS NULL OR EXISTS (SELECT 1 FROM response WHERE account = $1 AND id = $3 ${lock})
ON CONFLICT (account, id) DO UPDATE SET parent = known.parent
RETURNING bytes, (SELECT stored_size.bytes FROM stored_size WHERE stored_size.account = $1) AS stored`

const FIND = `SELECT ${toResponse.columns.join(', ')} FROM response WHERE account = $1 AND id = $2 AND expires_at > NOW`

/**
 * Nothing unless it is whole: if it is longer than LONGEST_CHAIN, its first row is not among the ancestors. Without ORDER BY, for which SQLite
 * would copy all contents.
 */
const chainOf = (columns: readonly string[], more = '', last = '') => `
WITH RECURSIVE ancestor (id, parent, depth) AS (
  SELECT id, parent, 1 FROM response WHERE account = $1 AND id = $2 AND expires_at > NOW ${last}
  UNION ALL
  SELECT response.id, response.parent, ancestor.depth + 1
  FROM ancestor CROSS JOIN response
  WHERE response.account = $1 AND response.id = ancestor.parent AND ancestor.depth < ${LONGEST_CHAIN})
SELECT ${columnsOf('response', columns)}, ${more && `${more}, `}ancestor.depth FROM ancestor CROSS JOIN response
WHERE response.account = $1 AND response.id = ancestor.id AND EXISTS (SELECT 1 FROM ancestor WHERE parent IS NULL)`

const CHAIN = chainOf(toTurn.columns)

const lengthsOf = (table: string): string =>
  ['turn', 'record'].map((part) => `length(${table}.${part}) AS ${part}_length`).join(', ')
/** length() reads no contents in either engine. */
const CHAIN_LENGTHS = chainOf(['id'], lengthsOf('response'), OF_KEY)
const LENGTH = `SELECT id, ${lengthsOf('response')} FROM response
WHERE account = $1 AND id = $2 AND expires_at > NOW ${OF_KEY}`
const RECORD = `SELECT ${toRecord.columns.join(', ')} FROM response WHERE account = $1 AND id = $2 AND expires_at > NOW`
const TURN = `SELECT ${toTurn.columns.join(', ')} FROM response WHERE account = $1 AND id = $2`
const several = ({ list }: ContentDialect) =>
  `SELECT ${toResponse.columns.join(', ')} FROM response WHERE account = $1 AND id IN (${list('$2')})`

/** Each response once, with the list of its items: the newest response may have hundreds of them. */
const newestWithItems = ({ list, listOf }: ContentDialect) => `
WITH found AS MATERIALIZED (
  SELECT wanted.value AS item, (
    SELECT response_item.response FROM response_item
    JOIN response ON response.account = response_item.account AND response.id = response_item.response
    WHERE response_item.account = $1 AND response_item.item = wanted.value AND response.expires_at > NOW ${OF_KEY}
    ORDER BY response_item.created_at DESC, response_item.response DESC LIMIT 1) AS response
  FROM (${list('$2')}) AS wanted),
newest AS MATERIALIZED (SELECT response, ${listOf('item')} AS items FROM found WHERE response IS NOT NULL GROUP BY response)`

const withItems = (dialect: ContentDialect) => `${newestWithItems(dialect)}
SELECT ${columnsOf('response', toRecord.columns)}, newest.items
FROM newest CROSS JOIN response WHERE response.account = $1 AND response.id = newest.response`

const bytesWithItems = (dialect: ContentDialect) => `${newestWithItems(dialect)}
SELECT CAST(coalesce(sum(length(response.record)), 0) AS bigint) AS bytes
FROM newest CROSS JOIN response WHERE response.account = $1 AND response.id = newest.response`

const REMOVE = 'DELETE FROM response WHERE account = $1 AND id = $2 AND continued = 0'

const HIDE = `UPDATE response SET expires_at = NOW WHERE account = $1 AND id = $2 AND expires_at > NOW ${OF_KEY} RETURNING id`

const sweep = ({ skipLocked }: ContentDialect) => `
WITH over AS MATERIALIZED (
  SELECT account, id FROM response WHERE continued = 0 AND expires_at <= NOW ORDER BY expires_at LIMIT $1 ${skipLocked})
DELETE FROM response WHERE (account, id) IN (SELECT account, id FROM over)
RETURNING id`

const FORGET_EMPTY = 'DELETE FROM stored_size WHERE bytes = 0'

/** Accounts and ids of a list as one text each, since it has one column. The accounts all have as many digits. */
const ACCOUNT_DIGITS = 19
const stored = ({ list }: ContentDialect) => `
SELECT response.id FROM (${list('$1', 'text')}) AS wanted CROSS JOIN response
WHERE response.account = CAST(substr(wanted.value, 1, ${ACCOUNT_DIGITS}) AS bigint)
  AND response.id = substr(wanted.value, ${ACCOUNT_DIGITS + 1}) AND response.expires_at > NOW`

export function responsesOver(ask: Ask, dialect: ContentDialect, room: Room) {
  const STORED = stored(dialect)
  const [PUT, SWEEP, SEVERAL] = [put(dialect), sweep(dialect), several(dialect)]
  const [WITH_ITEMS, BYTES_WITH_ITEMS] = [withItems(dialect), bytesWithItems(dialect)]
  async function chainRows(sql: string, id: string, parameters: readonly unknown[]): Promise<Row[]> {
    const rows = isId(id) ? await ask(sql, parameters, sql === CHAIN) : []
    return rows.sort((one, other) => Number(other.depth) - Number(one.depth))
  }
  return {
    /**
     * Durable when this resolves. May be repeated. false: the parent does not exist any more. Throws ShareExceeded for what does not
     * fit into the share of its account.
     */
    async put(response: NewResponse): Promise<boolean> {
      const size = sizeOf(response)
      const most = Math.floor(room.limits.accountBytes * LARGEST_PART)
      if (size > most) throw new ShareExceeded(`it has ${size} bytes; a response may have ${most}`)
      const [row] = await ask(PUT, [...inserted(response), size, response.key])
      if (!row) return false
      const { account, id } = response
      const { isOver } = await room.make(account, Number(row.bytes), id, Number(row.stored ?? 0))
      if (!isOver) return true
      // Only what it continues is left.
      await ask(REMOVE, [account, id])
      throw new ShareExceeded("its conversation does not fit into the account's share of stored responses")
    },
    /** undefined: there is none, it is hidden, has expired, or belongs to another account. */
    async find(account: bigint, id: string): Promise<StoredResponse | undefined> {
      if (!isId(id)) return undefined
      const [row] = await ask(FIND, [account, id], true)
      return row && toResponse(row)
    },
    /** The response and all that it continues, the oldest first, in one round trip. Empty as `find` is undefined, and beyond LONGEST_CHAIN. */
    chain: async (account: bigint, id: string): Promise<StoredTurn[]> =>
      (await chainRows(CHAIN, id, [account, id])).map(toTurn),
    /** The lengths of the same responses. `made`: only if the last one was. */
    chainLengths: async (account: bigint, id: string, made?: MadeWith): Promise<StoredLength[]> =>
      (await chainRows(CHAIN_LENGTHS, id, [account, id, ...ofKey(made)])).map(toLength),
    /** The length of the response alone. undefined as `find`, and if it was not `made` this. */
    async length(account: bigint, id: string, made?: MadeWith): Promise<StoredLength | undefined> {
      const [row] = isId(id) ? await ask(LENGTH, [account, id, ...ofKey(made)]) : []
      return row && toLength(row)
    },
    /** The ids of those that are stored and not hidden. */
    async stored(wanted: readonly { account: bigint; id: string }[]): Promise<Set<string>> {
      const list = wanted
        .filter(({ id }) => isId(id))
        .map(({ account, id }) => String(account).padStart(ACCOUNT_DIGITS, '0') + id)
      return new Set((await ask(STORED, [JSON.stringify(list)])).map(({ id }) => String(id)))
    },
    /** The response as clients query it, and nothing else. undefined as `find`. */
    async record(account: bigint, id: string): Promise<StoredRecord | undefined> {
      const [row] = isId(id) ? await ask(RECORD, [account, id], true) : []
      return row && toRecord(row)
    },
    /** Responses of a chain as a whole, in any order: also hidden and expired ones, as long as others continue them. */
    async several(account: bigint, ids: readonly string[]): Promise<StoredResponse[]> {
      return (await ask(SEVERAL, [account, JSON.stringify(distinct(ids))], true)).map(toResponse)
    },
    /** The turn of one of them alone. */
    async turn(account: bigint, id: string): Promise<StoredTurn | undefined> {
      const [row] = isId(id) ? await ask(TURN, [account, id], true) : []
      return row && toTurn(row)
    },
    /**
     * What was stored of the responses of the account whose output has these items; hidden and expired ones do not count. At most one for
     * each item, the newest. `made`: only such responses.
     */
    async withItems(account: bigint, items: readonly string[], made?: MadeWith): Promise<Map<string, StoredRecord>> {
      const wanted = distinct(items)
      if (wanted.length === 0) return new Map()
      const rows = await ask(WITH_ITEMS, [account, JSON.stringify(wanted), ...ofKey(made)], true)
      return new Map(
        rows.flatMap((row) => {
          const response = toRecord(row)
          return (JSON.parse(String(row.items)) as string[]).map((item) => [item, response] as const)
        }),
      )
    },
    /** The bytes of all records that `withItems` would read. */
    async bytesWithItems(account: bigint, items: readonly string[], made?: MadeWith): Promise<number> {
      const wanted = distinct(items)
      if (wanted.length === 0) return 0
      const [row] = await ask(BYTES_WITH_ITEMS, [account, JSON.stringify(wanted), ...ofKey(made)])
      return Number(row?.bytes ?? 0)
    },
    /** Clients do not find it any more, at once. false: there was none, or it was not `made` this. */
    async hide(account: bigint, id: string, made?: MadeWith): Promise<boolean> {
      return isId(id) && (await ask(HIDE, [account, id, ...ofKey(made)])).length > 0
    },
    /** Removes at most `limit` rows that nothing continues; resolves with their number. */
    async sweep(limit: number): Promise<number> {
      // A removed row may have been the only one that continued its parent: that goes with the next round.
      let removed = 0
      for (let last = limit; last > 0 && removed < limit; removed += last)
        last = (await ask(SWEEP, [limit - removed])).length
      if (removed > 0) await ask(FORGET_EMPTY, [])
      return removed
    },
  }
}

/** What a row takes beside its contents. */
const ROW_BYTES = 512

const sizeOf = ({ turn, record, items, media }: NewResponse): number =>
  ROW_BYTES + turn.length + record.length + [...items, ...media].reduce((sum, id) => sum + 2 * id.length, 0)

/** An index of PostgreSQL has no room for long ones. */
const LONGEST_ID = 512

/** What no row can have is not asked for: the ids come from clients. */
const isId = (id: string): boolean => !id.includes('\0') && id.isWellFormed()
const distinct = (ids: readonly string[]): string[] => [...new Set(ids)].filter(isId)

function checkedId(field: string, id: string): string {
  if (id.length > LONGEST_ID) throw new RangeError(`${field}: must not be longer than ${LONGEST_ID} characters`)
  return checkText(field, id)
}

function inserted({ account, id, parent, items, media, keepMs, turn, record }: NewResponse): unknown[] {
  const itemIds = [...new Set(items)].map((item) => checkedId('item', item))
  return [
    account,
    checkedId('id', id),
    parent === undefined ? null : checkedId('parent', parent),
    JSON.stringify(itemIds),
    JSON.stringify(media),
    BigInt(Math.ceil(keepMs)),
    turn,
    record,
  ]
}

const toLength = (row: Row): StoredLength => ({
  id: String(row.id),
  turn: Number(row.turn_length),
  record: Number(row.record_length),
})
