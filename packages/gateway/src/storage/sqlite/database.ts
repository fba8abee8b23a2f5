// Opens the ledger's database file: the settings that durability depends on, the integrity check, the schema.
import { constants, Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { migrate } from '../migrations/migrate-sqlite.ts'
import { type Upgrade, WrongSchema } from '../migrations/migrations.ts'

/** "TRIV": distinguishes our file from any other SQLite database in its place. */
export const APPLICATION_ID = 0x54524956

/** Up to this size every page is checked at start; beyond, it would delay the start and SQLite notices on reading. */
const CHECKED_IN_FULL_BYTES = 16 * 1024 * 1024

type WritingOptions = {
  busyTimeoutMs: number
  /** Creates and upgrades tables. */
  mayChange?: boolean
  onUpgrade?: (upgrade: Upgrade) => void
}

/** For the writer thread, the only one that writes. */
export function openForWriting(file: string, { busyTimeoutMs, mayChange = true, onUpgrade }: WritingOptions): Database {
  return opening(file, () => {
    const db = new Database(file, { readwrite: true, safeIntegers: true, strict: true })
    try {
      db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      checkWhole(db, file)
      // Before the settings below, which would change a file that is not ours to use.
      const upgrade = migrate(db, file, { id: APPLICATION_ID, script: 'ledger', mayChange })
      if (upgrade) onUpgrade?.(upgrade)
      db.run('PRAGMA journal_mode = WAL')
      db.run('PRAGMA synchronous = FULL')
      db.run('PRAGMA foreign_keys = ON')
      db.run('PRAGMA cache_size = -16384')
      // What a statement of many rows would have to undo is kept in memory: else each page of it is written to a file, twice.
      db.run('PRAGMA temp_store = MEMORY')
      // Four times the default: most pages of the log are later versions of pages before, and only the last is copied.
      db.run('PRAGMA wal_autocheckpoint = 4000')
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
}

export function openForReading(file: string): Database {
  return opening(file, () => {
    const db = new Database(file, { readonly: true, safeIntegers: true, strict: true })
    db.run('PRAGMA busy_timeout = 1000')
    return db
  })
}

/** Moves all of the log into the database file. Closing the last connection then removes the log. */
export function closeWritten(db: Database): void {
  db.run('PRAGMA optimize')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  // Without this macOS keeps the empty log beside the file.
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 0)
  // true: throws if a statement was left open.
  db.close(true)
}

function opening(file: string, open: () => Database): Database {
  try {
    return open()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof WrongSchema) throw error
    // Found while reading the list of tables, before any check.
    if ((error as { code?: unknown }).code === 'SQLITE_CORRUPT')
      throw new Error(`${file}: the database cannot be opened: it is damaged (${reason})`)
    throw new Error(`${file}: the database cannot be opened: ${reason}`)
  }
}

function checkWhole(db: Database, file: string): void {
  const { application_id: id } = db.query('PRAGMA application_id').get() as { application_id: bigint }
  const { tables } = db.query('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: bigint }
  if (tables > 0n && id !== BigInt(APPLICATION_ID)) throw new Error('it is not a Trivium database')
  if (statSync(file).size > CHECKED_IN_FULL_BYTES) return
  const { quick_check: verdict } = db.query('PRAGMA quick_check(1)').get() as { quick_check: string }
  if (verdict !== 'ok') throw new Error(`it is damaged (${verdict.replaceAll('\n', ' ').slice(0, 200)})`)
}
