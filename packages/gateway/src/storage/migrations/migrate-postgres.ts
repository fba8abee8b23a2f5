// Creates the tables and functions in an empty database, and upgrades those of an earlier version.

import { UNFINISHED, unfinished } from '../copying/copy.ts'
import { NoDatabase } from '../storage.ts'
import {
  type Applied,
  CREATE_VERSIONS,
  demandOwnVersion,
  fromBeforeRelease,
  MIGRATIONS,
  type Migration,
  missing,
  type Upgrade,
  WrongSchema,
} from './migrations.ts'
import { type Objects, objectsFrom } from './objects.ts'
import { differencesFrom, lacksChecksums, latestOf, missingChecksums, verify } from './verify.ts'

type Query = (text: string, parameters: readonly unknown[]) => Promise<Record<string, unknown>[]>
type Transactions = { transaction<T>(mode: string, work: (query: Query) => Promise<T>): Promise<T> }

/** Requests queue behind a statement that waits for the lock of a table: it gives up soon, and tries again. */
const LOCK_WITHIN_MS = 500
const PAUSE_MS = 250
const MOST_TRIES = 240
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * `mayChange`: a server creates and upgrades; a command only looks. Returns what this process upgraded; undefined: nothing, or the
 * database was empty.
 */
export async function migrate(connections: Transactions, mayChange: boolean): Promise<Upgrade | undefined> {
  const begun = performance.now()
  let from: number | undefined
  for (let tries = 1; ; ) {
    try {
      const { before, after, isDone } = await connections.transaction('', (query) => takeStep(query, mayChange))
      from ??= before < after ? before : undefined
      if (isDone && !from) return undefined
      if (isDone && from) return { from, to: after, tookMs: Math.round(performance.now() - begun) }
      tries = 1
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || tries++ === MOST_TRIES) throw error
      await Bun.sleep(PAUSE_MS)
    }
  }
}

const codeOf = (error: unknown): unknown => {
  const { code, errno, cause } = error as { code?: unknown; errno?: unknown; cause?: unknown }
  return errno === LOCK_NOT_AVAILABLE || code === LOCK_NOT_AVAILABLE ? LOCK_NOT_AVAILABLE : cause && codeOf(cause)
}

/** At most one process changes the tables of a schema. */
export const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('trivium schema ' || current_schema(), 0))`

/**
 * One migration in one transaction, under one lock per schema: of several nodes that start at once one takes the step while the others
 * wait, and a failure leaves nothing half done. `before`, `after`: versions, 0 of an empty database.
 */
async function takeStep(query: Query, mayChange: boolean): Promise<{ before: number; after: number; isDone: boolean }> {
  // Another node may take longer than a request may wait for a lock.
  await query('SET LOCAL lock_timeout = 0', [])
  await query(LOCK, [])
  const [found] = await query(
    `SELECT current_database() AS name, to_regclass('schema_version') IS NOT NULL AS ours,
       to_regclass('meta') IS NOT NULL OR to_regclass('migration') IS NOT NULL AS old, to_regclass('${UNFINISHED}') IS NOT NULL AS begun`,
    [],
  )
  const place = `the database ${found?.name}`
  if (found?.begun) throw new WrongSchema(unfinished(place))
  if (!found?.ours && found?.old) throw fromBeforeRelease(place)
  if (!found?.ours && !mayChange) throw new NoDatabase('the database has no tables of Trivium')
  const applied = found?.ours ? await appliedTo(query) : []
  const before = latestOf(applied).version
  const [next, ...others] = missing(found?.ours ? latestOf(applied) : undefined, place, mayChange)
  verify(applied, 'postgres', place, lacksChecksums(applied) ? await objectsIn(query) : undefined)
  if (!next) return { before, after: before, isDone: true }
  if (!found?.ours) await query(CREATE_VERSIONS, [])
  else await query(`SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`, [])
  await apply(next, query)
  return { before, after: next.version, isDone: others.length === 0 }
}

/** All tables of this version, for a copy of data that have it. */
export async function createTables(query: Query, version: number): Promise<void> {
  await query(CREATE_VERSIONS, [])
  for (const migration of MIGRATIONS) if (migration.version <= version) await apply(migration, query)
}

export const tableDifferences = (connections: Transactions): Promise<string[]> =>
  connections.transaction('', async (query) =>
    differencesFrom(latestOf(await appliedTo(query)).version, 'postgres', await objectsIn(query)),
  )

/** The version of a database that is copied. */
export async function checkVersion(query: Query): Promise<number> {
  const [found] = await query(
    `SELECT current_database() AS name, to_regclass('schema_version') IS NOT NULL AS ours`,
    [],
  )
  if (!found?.ours) throw new NoDatabase('the database has no tables of Trivium')
  return demandOwnVersion(latestOf(await appliedTo(query)), `the database ${found.name}`)
}

async function apply(migration: Migration, query: Query): Promise<void> {
  const { version, oldestProgram, postgres } = migration
  await query(postgres, [])
  await query('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES ($1, $2, $3)', [
    version,
    oldestProgram,
    Date.now(),
  ])
  const [kept] = await query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = 'schema_version'::regclass AND attname = 'checksum'`,
    [],
  )
  if (!kept) return
  for (const missed of missingChecksums(await appliedTo(query), 'postgres'))
    await query('UPDATE schema_version SET checksum = $1 WHERE version = $2', [missed.checksum, missed.version])
}

/** As JSON, since the column of the checksums came later than the table. */
async function appliedTo(query: Query): Promise<Applied[]> {
  const rows = await query(
    `SELECT version, oldest_program, to_jsonb(schema_version) ->> 'checksum' AS checksum FROM schema_version`,
    [],
  )
  return rows.map(({ version, oldest_program, checksum }) => ({
    version: Number(version),
    oldestProgram: Number(oldest_program),
    checksum: typeof checksum === 'string' ? checksum : undefined,
  }))
}

const OTHERS = `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i'
  UNION SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
  UNION SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = current_schema()::regnamespace`

async function objectsIn(query: Query): Promise<Objects> {
  const columns = await query(
    `SELECT relname AS name, attname AS column FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`,
    [],
  )
  return objectsFrom(columns as { name: string; column: string }[], (await query(OTHERS, [])) as { name: string }[])
}
