// The file of the contents: the settings that their durability rests on, and its tables.
import { Database } from 'bun:sqlite'
import { StoreTooNew } from '../migrations/index.ts'

/** "TRIC": tells our file from any other. */
const APPLICATION_ID = 0x54524943

/** Each step once, in order; `user_version` counts them. A step that has been released is never edited. */
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE idempotency (
      account INTEGER NOT NULL,
      key BLOB NOT NULL CHECK (length(key) = 32),
      fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
      request INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      claimed_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      cost INTEGER,
      headers TEXT,
      body BLOB,
      PRIMARY KEY (account, key)
    ) STRICT`,
    'CREATE INDEX idempotency_expires ON idempotency (expires_at)',
  ],
]

export function openContentsFile(file: string): Database {
  const db = new Database(file, { readwrite: true, safeIntegers: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 2000')
    const { application_id: id } = db.query('PRAGMA application_id').get() as { application_id: bigint }
    const { tables } = db.query('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: bigint }
    if (tables > 0n && id !== BigInt(APPLICATION_ID)) throw new Error('it is not a file of Trivium')
    db.run('PRAGMA journal_mode = WAL')
    // A claim that a power cut undoes would let the same request be charged a second time.
    db.run('PRAGMA synchronous = FULL')
    db.run('PRAGMA journal_size_limit = 16777216')
    migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function migrate(db: Database): void {
  const { user_version: done } = db.query('PRAGMA user_version').get() as { user_version: bigint }
  if (done > BigInt(STEPS.length))
    throw new StoreTooNew(
      `it is at version ${done}, this program knows ${STEPS.length}: start the version that wrote it`,
    )
  db.transaction(() => {
    for (const statement of STEPS.slice(Number(done)).flat()) db.run(statement)
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`)
    db.run(`PRAGMA user_version = ${STEPS.length}`)
  }).immediate()
}

/** What the rows take; pages that are free are used again. */
export function usedBytes(db: Database): number {
  const figure = (name: string) => Number(Object.values(db.query(`PRAGMA ${name}`).get() as object)[0])
  return (figure('page_count') - figure('freelist_count')) * figure('page_size')
}
