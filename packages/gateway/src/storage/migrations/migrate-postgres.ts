// Creates the tables and functions in an empty database, and upgrades those of an earlier version.

import { UNFINISHED, unfinished } from '../copying/copy.ts'
import { NoDatabase } from '../storage.ts'
import {
  CREATE_VERSIONS,
  demandOwnVersion,
  type Found,
  fromBeforeRelease,
  MIGRATIONS,
  type Migration,
  missing,
  WrongSchema,
} from './migrations.ts'

type Query = (text: string, parameters: readonly unknown[]) => Promise<Record<string, unknown>[]>
type Transactions = { transaction<T>(mode: string, work: (query: Query) => Promise<T>): Promise<T> }

/** Requests queue behind a statement that waits for the lock of a table: it gives up soon, and tries again. */
const LOCK_WITHIN_MS = 500
const PAUSE_MS = 250
const MOST_TRIES = 240
const LOCK_NOT_AVAILABLE = '55P03'

/** `mayChange`: a server creates and upgrades; a command only looks. */
export async function migrate(connections: Transactions, mayChange: boolean): Promise<void> {
  for (let tries = 1; ; ) {
    try {
      if (await connections.transaction('', (query) => takeStep(query, mayChange))) return
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
 * wait, and a failure leaves nothing half done. Returns true if nothing is left.
 */
async function takeStep(query: Query, mayChange: boolean): Promise<boolean> {
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
  const [next, ...others] = missing(found?.ours ? await versionIn(query) : undefined, place, mayChange)
  if (!next) return true
  if (!found?.ours) await query(CREATE_VERSIONS, [])
  else await query(`SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`, [])
  await apply(next, query)
  return others.length === 0
}

/** All tables of this version, for a copy of data that have it. */
export async function createTables(query: Query, version: number): Promise<void> {
  await query(CREATE_VERSIONS, [])
  for (const migration of MIGRATIONS) if (migration.version <= version) await apply(migration, query)
}

/** The version of a database that is copied. */
export async function checkVersion(query: Query): Promise<number> {
  const [found] = await query(
    `SELECT current_database() AS name, to_regclass('schema_version') IS NOT NULL AS ours`,
    [],
  )
  if (!found?.ours) throw new NoDatabase('the database has no tables of Trivium')
  return demandOwnVersion(await versionIn(query), `the database ${found.name}`)
}

async function apply({ version, oldestProgram, postgres }: Migration, query: Query): Promise<void> {
  await query(postgres, [])
  await query('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES ($1, $2, $3)', [
    version,
    oldestProgram,
    Date.now(),
  ])
}

async function versionIn(query: Query): Promise<Found> {
  const [row] = await query('SELECT max(version) AS version, max(oldest_program) AS oldest FROM schema_version', [])
  return { version: Number(row?.version ?? 0), oldestProgram: Number(row?.oldest ?? 0) }
}
