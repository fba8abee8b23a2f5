// For tests: one store for many tests of the contract, emptied between them.
import { Database } from 'bun:sqlite'
import { afterAll } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newDataFolder } from '../../../../test/support/data-folder.ts'
import { CONTENTS_FILE } from '../../src/storage/sqlite/contents/contents.ts'
import { openSqlite, SQLITE_FILE } from '../../src/storage/sqlite/open-sqlite.ts'
import type { Opened } from './harness.ts'
import { storageContract } from './index.ts'

type Store = Opened & { empty(): Promise<boolean>; end(): Promise<void> }

/** `deferFrom`: with 1 the rows of every batch are written later, as they are under load. */
export function sqliteContract(name: string, deferFrom?: number): void {
  /** To start its threads and to create its tables takes far longer than to empty them. */
  let store: Store | undefined
  afterAll(() => store?.end())
  storageContract(name, async () => {
    if (store && !(await store.empty())) {
      await store.end()
      store = undefined
    }
    store ??= await openStore(deferFrom)
    return store
  })
}

async function openStore(deferFrom: number | undefined): Promise<Store> {
  const folder = newDataFolder('trivium-sqlite-')
  const start = Date.now()
  let now = start
  const options = { clock: () => now, flushEveryMs: 0, ...(deferFrom === undefined ? {} : { deferFrom }) }
  let storage = await openSqlite(folder, options)
  let isReopened = false
  const raw = new Database(join(folder, SQLITE_FILE), { safeIntegers: true })
  /** Reading an account waits for the rows of all verbs. */
  const rowsWritten = () => storage.accounts.find(1n)
  const inContents = <T>(use: (contents: Database) => T): T => {
    const contents = new Database(join(folder, CONTENTS_FILE), { readwrite: true, safeIntegers: true })
    try {
      return use(contents)
    } finally {
      contents.close()
    }
  }
  return {
    storage,
    keepsOrder: true,
    async raw(sql) {
      await rowsWritten()
      return raw.query(sql).all() as Record<string, unknown>[]
    },
    rawContents: async (sql) => inContents((contents) => contents.query(sql).all() as Record<string, unknown>[]),
    now: () => now,
    async elapse(milliseconds) {
      now += milliseconds
    },
    async reopen() {
      isReopened = true
      await storage.close()
      storage = await openSqlite(folder, options)
      return storage
    },
    close: async () => {},
    /** false: it was closed by its test, which leaves statistics of the rows of that one. */
    async empty() {
      if (isReopened) return false
      now = start
      await rowsWritten()
      removeRows(raw)
      if (existsSync(join(folder, CONTENTS_FILE))) inContents(removeRows)
      return true
    },
    async end() {
      raw.close()
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Leaves a database as it is after its creation. Triggers that forbid to delete are dropped for that, and created again. */
function removeRows(db: Database): void {
  const inSchema = (what: string) => db.query(`SELECT name, sql FROM sqlite_schema WHERE ${what}`).all() as Entry[]
  const guards = inSchema("type = 'trigger' AND name LIKE '%!_no!_delete' ESCAPE '!'")
  // The writer knows the number of its round, which the first of the pending pages has, too.
  const kept = "('schema_version', 'change_counter', 'pending_page')"
  const tables = inSchema(`type = 'table' AND name NOT IN ${kept}`).map(({ name }) => name)
  // Sums that triggers keep come last.
  const sums = tables.filter((name) => name.endsWith('_size'))
  db.transaction(() => {
    for (const { name } of guards) db.run(`DROP TRIGGER ${name}`)
    for (const name of [...tables.filter((each) => !sums.includes(each)), ...sums]) db.run(`DELETE FROM ${name}`)
    for (const { sql } of guards) db.run(sql)
    if (guards.length > 0) db.run('UPDATE change_counter SET value = 0')
  })()
}

type Entry = { name: string; sql: string }
