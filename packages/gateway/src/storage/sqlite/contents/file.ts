// The file of the contents: the settings that their durability rests on, and its tables.
import { Database } from 'bun:sqlite'
import { migrate } from '../../migrations/migrate-sqlite.ts'

/** "TRIC": distinguishes our file from any other. */
export const APPLICATION_ID = 0x54524943

/** A database of another program, or ours with a damaged header. */
export class NotOurs extends Error {
  override name = 'NotOurs'
}

export function openContentsFile(file: string): Database {
  const db = new Database(file, { readwrite: true, safeIntegers: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 2000')
    const { application_id: id } = db.query('PRAGMA application_id').get() as { application_id: bigint }
    const { tables } = db.query('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: bigint }
    if (tables > 0n && id !== BigInt(APPLICATION_ID)) throw new NotOurs('it is not a file of Trivium')
    // The ledger is opened first, and is not by a command that may not change it.
    migrate(db, file, { id: APPLICATION_ID, script: 'contents', mayChange: true })
    db.run('PRAGMA journal_mode = WAL')
    // A claim that a power cut undoes would let the same request be charged a second time.
    db.run('PRAGMA synchronous = FULL')
    db.run('PRAGMA journal_size_limit = 16777216')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
