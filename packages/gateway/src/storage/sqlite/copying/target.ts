// An empty data folder that is filled with a copy. A file marks it until all of it is there.
import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { partOf } from '../../copying/check.ts'
import type { Part, Target } from '../../copying/copy.ts'
import { migrate } from '../../migrations/migrate-sqlite.ts'
import type { Row } from '../../sql/rows.ts'
import { CONTENTS_FILE } from '../contents/contents.ts'
import { APPLICATION_ID as CONTENTS_ID } from '../contents/file.ts'
import { APPLICATION_ID as LEDGER_ID } from '../database.ts'
import { SQLITE_FILE } from '../open-sqlite.ts'
import { createPrivateFile, ownFolder } from '../owner-lock.ts'

type Loading = { db: Database; triggers: string[] }

/** The caller has marked the folder, and removed what a former attempt left. */
export async function openSqliteTarget(dataDir: string): Promise<Target> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const disown = ownFolder(dataDir)
  const parts = new Map<Part, Loading>()
  const partNamed = (part: Part): Database => {
    const found = parts.get(part)
    if (!found) throw new Error('the tables are not created')
    return found.db
  }

  return {
    engine: 'sqlite',
    async create(version) {
      parts.set('ledger', begin(join(dataDir, SQLITE_FILE), LEDGER_ID, 'ledger', version))
      parts.set('contents', begin(join(dataDir, CONTENTS_FILE), CONTENTS_ID, 'contents', version))
    },
    async insert({ name, columns }, rows) {
      const marks = columns.map(() => '?').join(', ')
      const statement = partNamed(partOf(name)).query(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${marks})`)
      for (const row of rows) statement.run(...row)
    },
    async continueIds(table, lastId) {
      const db = partNamed(partOf(table))
      if (lastId === undefined || !assignsIds(db, table)) return
      const changed = db.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', [lastId, table])
      if (changed.changes === 0) db.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, lastId])
    },
    query: async (sql, part = 'ledger') => partNamed(part).query(sql).all() as Row[],
    async finish() {
      for (const { db, triggers } of parts.values()) {
        for (const sql of triggers) db.run(sql)
        db.run('COMMIT')
        db.close(true)
      }
      disown()
    },
    async abort() {
      for (const { db } of parts.values()) db.close()
      disown()
    },
  }
}

/** In one transaction, without triggers: what they would add is in the copy. */
function begin(file: string, id: number, script: Part, version: number): Loading {
  createPrivateFile(file)
  const db = new Database(file, { readwrite: true, safeIntegers: true, strict: true })
  migrate(db, file, { id, script, mayChange: true, upTo: version })
  const triggers = db.query(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all() as Row[]
  db.run('BEGIN IMMEDIATE')
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`)
  const tables = db
    .query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_version'`)
    .all() as Row[]
  // Rows that the script itself inserts.
  for (const { name } of tables) if (!String(name).startsWith('sqlite_')) db.run(`DELETE FROM ${name}`)
  return { db, triggers: triggers.map(({ sql }) => String(sql)) }
}

const assignsIds = (db: Database, table: string): boolean =>
  db.query(`SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'`).get(table) !== null
