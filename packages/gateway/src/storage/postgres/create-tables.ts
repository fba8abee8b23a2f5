// Creates the tables and functions in an empty database, and checks the version of those that are there.
import { checkSchemaVersion, SCHEMA_VERSION } from '../schema-version.ts'
import { NoDatabase } from '../storage.ts'
import type { Connections } from './connections.ts'
import LEDGER_FUNCTIONS from './ledger.sql' with { type: 'text' }
import TABLES from './schema.sql' with { type: 'text' }

/** Rows of `meta`, where the version is kept. */
const VERSION = 'schema_version'

/**
 * One transaction under one lock per schema: of several nodes that start at once on an empty database one creates the
 * tables while the others wait, and a failure leaves nothing half done.
 */
export function createTables(connections: Connections, mayCreate: boolean): Promise<void> {
  return connections.transaction('', async (query) => {
    // Another node may take longer to create the tables than a request may wait for a lock.
    await query('SET LOCAL lock_timeout = 0', [])
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('trivium schema ' || current_schema(), 0))`, [])
    // Checked first, because an operator may revoke the right to create tables after the first start.
    const [found] = await query(
      `SELECT current_database() AS name, to_regclass('meta') IS NOT NULL AS meta, to_regclass('migration') IS NOT NULL AS old`,
      [],
    )
    const place = `the database ${found?.name}`
    if (found?.old) checkSchemaVersion(0, place, place)
    if (found?.meta) {
      const [row] = await query('SELECT value FROM meta WHERE name = $1', [VERSION])
      checkSchemaVersion(Number(row?.value ?? 0), place, place)
      return
    }
    if (!mayCreate) throw new NoDatabase('the database has no tables of Trivium')
    for (const script of [TABLES, LEDGER_FUNCTIONS]) await query(script, [])
    await query('INSERT INTO meta (name, value) VALUES ($1, $2)', [VERSION, String(SCHEMA_VERSION)])
  })
}
