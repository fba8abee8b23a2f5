// Creates the tables in an empty file, and upgrades those of an earlier version.
import type { Database } from 'bun:sqlite'
import { dirname } from 'node:path'
import {
  CREATE_VERSIONS,
  demandOwnVersion,
  type Found,
  fromBeforeRelease,
  type Migration,
  missing,
} from './migrations.ts'

/** `id`: marks the file as ours. `script`: which statements of a migration are for this file. `mayChange`: a command only looks. */
/** `upTo`: the last version to apply, for a copy of data that have it; absent: all. */
type Options = { id: number; script: 'ledger' | 'contents'; mayChange: boolean; upTo?: number }

export function migrate(db: Database, file: string, { id, script, mayChange, upTo }: Options): void {
  const has = (table: string) => db.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== null
  const { tables } = db.query('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: bigint }
  if (tables > 0n && !has('schema_version')) throw fromBeforeRelease(`the data folder ${dirname(file)}`)
  const found = tables > 0n ? versionIn(db) : undefined
  for (const migration of missing(found, file, mayChange)) {
    if (upTo !== undefined && migration.version > upTo) break
    db.transaction(() => {
      if (!has('schema_version')) {
        db.run(`${CREATE_VERSIONS} STRICT`.replace('bigint', 'integer'))
        db.run(`PRAGMA application_id = ${id}`)
      }
      apply(db, migration, script)
    }).immediate()
  }
}

/** The version of a database that is copied. */
export const checkVersion = (db: Database, file: string): number => demandOwnVersion(versionIn(db), file)

function apply(db: Database, migration: Migration, script: Options['script']): void {
  const { version, oldestProgram } = migration
  if (migration[script] !== '') db.run(migration[script])
  db.run('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES (?, ?, ?)', [
    version,
    oldestProgram,
    Date.now(),
  ])
}

function versionIn(db: Database): Found {
  const row = db.query('SELECT max(version) AS version, max(oldest_program) AS oldest FROM schema_version').get()
  const { version, oldest } = row as { version: bigint; oldest: bigint }
  return { version: Number(version), oldestProgram: Number(oldest) }
}
