import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite, SQLITE_FILE } from './sqlite.ts'
import { storageContract } from './storage.contract.ts'

storageContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-sqlite-'))
  let now = Date.now()
  const clock = () => now
  let storage = await openSqlite(folder, { clock })
  const raw = new Database(join(folder, SQLITE_FILE), { safeIntegers: true })
  return {
    storage,
    keepsOrder: true,
    raw: async (sql) => raw.query(sql).all() as Record<string, unknown>[],
    async elapse(milliseconds) {
      now += milliseconds
    },
    async reopen() {
      await storage.close()
      storage = await openSqlite(folder, { clock })
      return storage
    },
    async close() {
      raw.close()
      await storage.close()
      rmSync(folder, { recursive: true })
    },
  }
})
