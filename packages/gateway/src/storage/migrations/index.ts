// Every change of the tables, in order. A migration that has been released is never edited: add the next one.
import { ledgerPostgres } from './0001-ledger.postgres.ts'
import { ledgerSqlite } from './0001-ledger.sqlite.ts'
import { ledgerFunctionsPostgres } from './0002-ledger-functions.postgres.ts'
import { passwordsPostgres, passwordsSqlite } from './0003-passwords.ts'
import { pendingSqlite } from './0004-pending.ts'
import { limitsPostgres } from './0005-limits.postgres.ts'
import { limitsSqlite } from './0005-limits.sqlite.ts'
import { contentsPostgres } from './0006-contents.postgres.ts'
import { registrationPostgres, registrationSqlite } from './0007-registration.ts'
import { capsPostgres } from './0008-caps.postgres.ts'
import { pendingWordsSqlite } from './0009-pending-words.ts'
import { pendingPagesSqlite } from './0010-pending-pages.ts'

export type Migration = { id: number; name: string; sqlite: readonly string[]; postgres: readonly string[] }

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'ledger', sqlite: ledgerSqlite, postgres: ledgerPostgres },
  // SQLite's writer runs money/ledger.ts itself.
  { id: 2, name: 'ledger functions', sqlite: [], postgres: ledgerFunctionsPostgres },
  { id: 3, name: 'passwords', sqlite: passwordsSqlite, postgres: passwordsPostgres },
  { id: 4, name: 'pending', sqlite: pendingSqlite, postgres: [] },
  { id: 5, name: 'limits', sqlite: limitsSqlite, postgres: limitsPostgres },
  { id: 6, name: 'contents', sqlite: [], postgres: contentsPostgres },
  { id: 7, name: 'registration', sqlite: registrationSqlite, postgres: registrationPostgres },
  { id: 8, name: 'caps', sqlite: [], postgres: capsPostgres },
  { id: 9, name: 'pending words', sqlite: pendingWordsSqlite, postgres: [] },
  { id: 10, name: 'pending pages', sqlite: pendingPagesSqlite, postgres: [] },
]

/** Both engines understand this text. A row goes in together with what its migration did, in one transaction. */
export const CREATE_MIGRATION_TABLE =
  'CREATE TABLE IF NOT EXISTS migration (id integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)'

/** Written by a later version of the program, whose tables and rules this one does not know. */
export class StoreTooNew extends Error {
  override name = 'StoreTooNew'
}

/** What is left to do for a store that has had `applied` done. */
export function pendingMigrations(applied: readonly number[], all: readonly Migration[] = MIGRATIONS): Migration[] {
  const newest = Math.max(0, ...applied)
  const known = Math.max(0, ...all.map((migration) => migration.id))
  if (newest > known)
    throw new StoreTooNew(
      `the store is at version ${newest}, this program knows ${known}: start the version that wrote it, or a later one`,
    )
  const done = new Set(applied)
  return all.filter((migration) => !done.has(migration.id)).sort((a, b) => a.id - b.id)
}
