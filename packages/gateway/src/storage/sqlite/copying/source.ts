// One state of a SQLite folder, beside the process that owns it or without one.
//
// Contents are read in one transaction. The ledger is first copied to a file, in one transaction, too: verbs that are decided but not yet in
// their rows are written there, and the source stays as it is. The contents' state is the earlier one: a task that begins in between is a
// hold without a task, which the next start voids.
import type { Database } from 'bun:sqlite'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { partOf } from '../../copying/check.ts'
import { type Part, type Query, type Source, type Table, toValue, type Value } from '../../copying/copy.ts'
import { rowsAtOnce, tablesToCopy } from '../../copying/tables.ts'
import { checkVersion } from '../../migrations/migrate-sqlite.ts'
import type { Row } from '../../sql/rows.ts'
import { NoDatabase } from '../../storage.ts'
import { CONTENTS_FILE } from '../contents/contents.ts'
import { openForReading, openForWriting } from '../database.ts'
import { SQLITE_FILE } from '../open-sqlite.ts'
import { createPrivateFile, ownFolder } from '../owner-lock.ts'
import { openTransactions } from '../transactions.ts'

/** `scratch`: where the copy of the ledger goes, and is removed. `alone`: rejects with FolderInUse while a server or command uses the folder. */
type Options = { scratch: string; alone?: boolean }

const BUSY_MS = 10_000

export async function openSqliteSource(dataDir: string, { scratch, alone = false }: Options): Promise<Source> {
  const file = join(dataDir, SQLITE_FILE)
  if (!existsSync(file)) throw new NoDatabase(`there is no database in ${dataDir}`)
  const opened: (() => void)[] = []
  const close = () => {
    for (const end of opened.splice(0).reverse()) end()
  }
  try {
    if (alone) opened.push(ownFolder(dataDir))
    const contents = openSnapshot(join(dataDir, CONTENTS_FILE))
    if (contents) opened.push(() => contents.close())
    opened.push(() => removeDatabase(scratch))
    const version = copyLedger(file, scratch)
    const ledger = openForReading(scratch)
    opened.push(() => ledger.close())
    return over({ ledger, contents }, version, close)
  } catch (error) {
    close()
    throw error
  }
}

function openSnapshot(file: string): Database | undefined {
  if (!existsSync(file)) return undefined
  const db = openForReading(file)
  db.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
  checkVersion(db, file)
  db.run('BEGIN')
  // The state is that of the first read.
  db.query('SELECT count(*) FROM sqlite_schema').get()
  return db
}

/** The version of its tables. */
function copyLedger(file: string, scratch: string): number {
  removeDatabase(scratch)
  const db = openForReading(file)
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    checkVersion(db, file)
    createPrivateFile(scratch)
    db.run('VACUUM INTO ?', [scratch])
  } finally {
    db.close()
  }
  const copy = openForWriting(scratch, { busyTimeoutMs: BUSY_MS, mayChange: false })
  try {
    openTransactions(copy)
    return checkVersion(copy, file)
  } finally {
    copy.close()
  }
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

function over(files: Record<Part, Database | undefined>, version: number, close: () => void): Source {
  const all = (part: Part, sql: string): Row[] => (files[part]?.query(sql).all() ?? []) as Row[]
  const query: Query = async (sql, part = 'ledger') => all(part, sql)

  function tablesIn(part: Part): string[] {
    return all(
      part,
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    ).map(({ name }) => String(name))
  }

  return {
    engine: 'sqlite',
    version,
    query,
    async tables() {
      const lastIds = new Map(
        all('ledger', 'SELECT name, seq FROM sqlite_sequence').map(({ name, seq }) => [name, seq]),
      )
      const names = tablesToCopy([...new Set([...tablesIn('ledger'), ...tablesIn('contents')])])
      return names.map((name): Table => {
        const columns = all(partOf(name), `PRAGMA table_info(${name})`).map((column) => String(column.name))
        return { name, columns, lastId: lastIds.get(name) as bigint | undefined }
      })
    },
    async *rows({ name, columns }) {
      const most = rowsAtOnce(name)
      let batch: Value[][] = []
      const statement = files[partOf(name)]?.query(`SELECT ${columns.join(', ')} FROM ${name}`)
      for (const row of (statement?.iterate() ?? []) as Iterable<Row>) {
        batch.push(columns.map((column) => toValue(row[column])))
        if (batch.length < most) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    async close() {
      close()
    },
  }
}
