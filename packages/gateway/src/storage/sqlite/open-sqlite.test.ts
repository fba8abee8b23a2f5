import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { newDataFolder } from '../../../../../test/support/data-folder.ts'
import type { Opened } from '../contract/harness.ts'
import { storageContract } from '../storage.contract.ts'
import { CONTENTS_FILE } from './contents/contents.ts'
import { openSqlite, SQLITE_FILE } from './open-sqlite.ts'

// With 1 the rows of every batch are written later, as they are under load.
for (const deferFrom of [undefined, 1])
  storageContract(deferFrom ? 'sqlite, rows late' : 'sqlite', () => openFor(deferFrom))

async function openFor(deferFrom: number | undefined): Promise<Opened> {
  const folder = newDataFolder('trivium-sqlite-')
  let now = Date.now()
  const options = { clock: () => now, ...(deferFrom === undefined ? {} : { deferFrom }) }
  let storage = await openSqlite(folder, options)
  const raw = new Database(join(folder, SQLITE_FILE), { safeIntegers: true })
  return {
    storage,
    keepsOrder: true,
    async raw(sql) {
      // Reading an account waits for the rows of all verbs.
      await storage.accounts.find(1n)
      return raw.query(sql).all() as Record<string, unknown>[]
    },
    async rawContents(sql) {
      const contents = new Database(join(folder, CONTENTS_FILE), { readwrite: true, safeIntegers: true })
      try {
        return contents.query(sql).all() as Record<string, unknown>[]
      } finally {
        contents.close()
      }
    },
    now: () => now,
    async elapse(milliseconds) {
      now += milliseconds
    },
    async reopen() {
      await storage.close()
      storage = await openSqlite(folder, options)
      return storage
    },
    async close() {
      raw.close()
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
}
