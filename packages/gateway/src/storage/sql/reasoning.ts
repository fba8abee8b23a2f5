// The statements of Reasoning for both engines: `$1` are parameters, NOW is the store's clock in milliseconds. Triggers of the schema
// keep the sizes of accounts in `reasoning_size`.
import { MOST_REASONING_BYTES, MOST_REASONING_IN_ALL, type ReasoningEntry } from '../reasoning.ts'
import type { Ask, ContentDialect } from './contents.ts'

/** How many entries one statement has: an answer rarely has more than a few. */
const PAGE = 50

const put = (entries: number): string => {
  const rows = Array.from({ length: entries }, (_, index) => {
    const [account, key, value] = [2, 3, 4].map((first) => `$${3 * index + first}`)
    return `(${account}, ${key}, NOW, NOW + $1, ${value})`
  })
  return `
INSERT INTO reasoning (account, key, stored_at, expires_at, value) VALUES ${rows.join(', ')}
ON CONFLICT (account, key) DO UPDATE
  SET stored_at = excluded.stored_at, expires_at = excluded.expires_at, value = excluded.value`
}

/** The lengths are known without reading the values. */
const find = ({ listOfBytes }: ContentDialect) => {
  const found = `FROM reasoning WHERE account = $1 AND key IN (${listOfBytes('$2')}) AND expires_at > NOW`
  return `
SELECT key, length(value) AS size, CASE WHEN (SELECT coalesce(sum(length(value)), 0) ${found}) <= $3 THEN value END AS value
${found}`
}

const sweepExpired = ({ skipLocked }: ContentDialect) => `
WITH over AS MATERIALIZED (
  SELECT account, key FROM reasoning WHERE expires_at <= NOW ORDER BY expires_at LIMIT $1 ${skipLocked})
DELETE FROM reasoning WHERE (account, key) IN (SELECT account, key FROM over)
RETURNING key`

/** Removes entries of the largest account. An entry goes if those before it are not enough, unless it has been put again meanwhile. */
const SWEEP_LARGEST = `
WITH largest AS MATERIALIZED (SELECT account, bytes FROM reasoning_size WHERE bytes > $2 ORDER BY bytes DESC LIMIT 1),
oldest AS MATERIALIZED (
  SELECT account, key, stored_at, length(value) AS size
  FROM reasoning WHERE account = (SELECT account FROM largest) ORDER BY stored_at, key LIMIT $1),
summed AS MATERIALIZED (
  SELECT account, key, stored_at, sum(size) OVER (ORDER BY stored_at, key) - size AS before FROM oldest)
DELETE FROM reasoning WHERE (account, key, stored_at) IN (
  SELECT account, key, stored_at FROM summed WHERE before < (SELECT bytes - $2 FROM largest))
RETURNING key`

const SIZES = `
SELECT CAST(coalesce(sum(bytes), 0) AS bigint) AS total, coalesce(max(bytes), 0) AS largest FROM reasoning_size`

const FORGET_EMPTY = 'DELETE FROM reasoning_size WHERE bytes = 0'

export function reasoningOver(ask: Ask, dialect: ContentDialect) {
  const [FIND, SWEEP_EXPIRED] = [find(dialect), sweepExpired(dialect)]
  async function findWithin(
    account: bigint,
    keys: readonly Uint8Array[],
    mostBytes: number,
  ): Promise<Map<string, Uint8Array> | number> {
    if (keys.length === 0) return new Map()
    const wanted = keys.map((key) => hex(checkKey(key)))
    const rows = await ask(FIND, [account, JSON.stringify(wanted), BigInt(mostBytes)], true)
    const bytes = rows.reduce((sum, { size }) => sum + Number(size), 0)
    if (bytes > mostBytes) return bytes
    return new Map(rows.map(({ key, value }) => [hex(key as Uint8Array), new Uint8Array(value as Uint8Array)]))
  }
  return {
    /** Durable when this resolves. The newest value of a key replaces earlier ones. */
    async put(entries: readonly ReasoningEntry[], keepMs: number): Promise<void> {
      const last = [...new Map(entries.map((entry) => [identity(entry), entry]))]
        // In one order, so that two processes do not wait for each other.
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, entry]) => entry)
      for (let first = 0; first < last.length; first += PAGE) {
        const page = last.slice(first, first + PAGE)
        const rows = page.flatMap(({ account, key, value }) => [account, checkKey(key), value])
        await ask(put(page.length), [BigInt(Math.ceil(keepMs)), ...rows])
      }
    },
    /** The values that there are, by the keys in hexadecimal, in one round trip. */
    async find(account: bigint, keys: readonly Uint8Array[]): Promise<Map<string, Uint8Array>> {
      const found = await findWithin(account, keys, Number.MAX_SAFE_INTEGER)
      return typeof found === 'number' ? new Map() : found
    },
    /** The same, unless they have more than `mostBytes` together: then the number of their bytes, and nothing of them is read. */
    findWithin,
    /**
     * Removes at most `limit` entries; resolves with their number. These are expired ones, the oldest of accounts with more than
     * `mostBytes` in values, and, if all accounts together have more than `mostInAll`, those of the account that has the most.
     */
    async sweep(limit: number, mostBytes = MOST_REASONING_BYTES, mostInAll = MOST_REASONING_IN_ALL): Promise<number> {
      const expired = (await ask(SWEEP_EXPIRED, [limit])).length
      if (expired >= limit) return expired
      const [sizes] = await ask(SIZES, [])
      // The account that has the most gives way, by as much as there is too much.
      const most = Math.min(
        mostBytes,
        Math.max(0, Number(sizes?.largest ?? 0) - (Number(sizes?.total ?? 0) - mostInAll)),
      )
      const excess = (await ask(SWEEP_LARGEST, [limit - expired, BigInt(most)])).length
      if (expired + excess > 0) await ask(FORGET_EMPTY, [])
      return expired + excess
    },
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
const identity = ({ account, key }: ReasoningEntry): string => `${account} ${hex(key)}`

function checkKey(key: Uint8Array): Uint8Array {
  if (key.length !== 32) throw new TypeError('key: must be 32 bytes')
  return key
}
