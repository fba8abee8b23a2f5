// Creates the tables in an empty file, and upgrades those of an earlier version.
import type { Database } from 'bun:sqlite'
import { dirname } from 'node:path'
import {
  type Applied,
  CREATE_VERSIONS,
  demandOwnVersion,
  fromBeforeRelease,
  type Migration,
  missing,
  type Upgrade,
} from './migrations.ts'
import { type Objects, objectsFrom } from './objects.ts'
import { differencesFrom, lacksChecksums, latestOf, missingChecksums, verify } from './verify.ts'

/** `id`: marks the file as ours. `script`: which statements of a migration are for this file. `mayChange`: a command only looks. */
/** `upTo`: the last version to apply, for a copy of data that have it; absent: all. */
type Options = { id: number; script: 'ledger' | 'contents'; mayChange: boolean; upTo?: number }

/** Returns what was upgraded; undefined: nothing, or the file was empty. */
export function migrate(db: Database, file: string, { id, script, mayChange, upTo }: Options): Upgrade | undefined {
  const has = (table: string) => db.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== null
  const { tables } = db.query('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: bigint }
  if (tables > 0n && !has('schema_version')) throw fromBeforeRelease(`the data folder ${dirname(file)}`)
  const applied = tables > 0n ? appliedTo(db) : undefined
  const later = missing(applied && latestOf(applied), file, mayChange)
  if (applied) verify(applied, script, file, lacksChecksums(applied) ? objectsIn(db) : undefined)
  const begun = performance.now()
  for (const migration of later) {
    if (upTo !== undefined && migration.version > upTo) break
    db.transaction(() => {
      if (!has('schema_version')) {
        db.run(`${CREATE_VERSIONS} STRICT`.replace('bigint', 'integer'))
        db.run(`PRAGMA application_id = ${id}`)
      }
      apply(db, migration, script)
    }).immediate()
  }
  if (later.length === 0 || !applied) return undefined
  const from = latestOf(applied).version
  return { from, to: latestOf(appliedTo(db)).version, tookMs: Math.round(performance.now() - begun) }
}

/** The version of a database that is copied. */
export const checkVersion = (db: Database, file: string): number => demandOwnVersion(latestOf(appliedTo(db)), file)

function apply(db: Database, migration: Migration, script: Options['script']): void {
  const { version, oldestProgram } = migration
  if (migration[script] !== '') db.run(migration[script])
  db.run('INSERT INTO schema_version (version, oldest_program, applied_at) VALUES (?, ?, ?)', [
    version,
    oldestProgram,
    Date.now(),
  ])
  if (!keepsChecksums(db)) return
  for (const { version, checksum } of missingChecksums(appliedTo(db), script))
    db.run('UPDATE schema_version SET checksum = ? WHERE version = ?', [checksum, version])
}

const keepsChecksums = (db: Database): boolean =>
  db.query(`SELECT 1 FROM pragma_table_info('schema_version') WHERE name = 'checksum'`).get() !== null

function appliedTo(db: Database): Applied[] {
  const rows = db.query('SELECT * FROM schema_version').all() as Record<string, unknown>[]
  return rows.map(({ version, oldest_program, checksum }) => ({
    version: Number(version),
    oldestProgram: Number(oldest_program),
    checksum: typeof checksum === 'string' ? checksum : undefined,
  }))
}

/** A file without any table is being created at this moment, by the thread that owns it: none is found. */
export function tableDifferences(db: Database, script: Options['script']): string[] {
  return db.query('SELECT 1 FROM sqlite_schema LIMIT 1').get() === null
    ? []
    : differencesFrom(latestOf(appliedTo(db)).version, script, objectsIn(db))
}

function objectsIn(db: Database): Objects {
  const columns = db
    .query(
      `SELECT tables.name AS name, columns.name AS "column" FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table'`,
    )
    .all() as { name: string; column: string }[]
  const others = db.query(`SELECT name FROM sqlite_schema WHERE type <> 'table'`).all() as { name: string }[]
  return objectsFrom(columns, others)
}
