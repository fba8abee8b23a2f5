// Brings a database up to the tables and functions that this program knows.
import { CREATE_MIGRATION_TABLE, pendingMigrations } from '../migrations/index.ts'
import { NoDatabase } from '../storage.ts'
import type { Connections } from './connections.ts'

/**
 * All in one transaction under one lock per schema: of several nodes that start at once on an empty database one
 * migrates while the others wait, and a failure leaves nothing half done.
 */
export function migrate(connections: Connections, mayCreate: boolean): Promise<void> {
  return connections.transaction('', async (query) => {
    // Another node's migration may take longer than a request may wait for a lock.
    await query('SET LOCAL lock_timeout = 0', [])
    await query(`SELECT pg_advisory_xact_lock(hashtextextended('trivium migrations ' || current_schema(), 0))`, [])
    // Asked first, because creating needs a permission that an operator may have taken back after the first start.
    const [table] = await query(`SELECT to_regclass('migration') IS NOT NULL AS found`, [])
    if (!table?.found && !mayCreate) throw new NoDatabase('the database has no tables of Trivium')
    if (!table?.found) await query(CREATE_MIGRATION_TABLE, [])
    const applied = await query('SELECT id FROM migration', [])
    for (const migration of pendingMigrations(applied.map((row) => Number(row.id)))) {
      for (const statement of migration.postgres) await query(statement, [])
      const now = 'floor(extract(epoch FROM clock_timestamp()) * 1000)'
      await query(`INSERT INTO migration (id, name, applied_at) VALUES ($1, $2, ${now})`, [
        migration.id,
        migration.name,
      ])
    }
  })
}
