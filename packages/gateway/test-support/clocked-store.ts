// For tests: a store of either engine, with a clock that the test moves.
import { rmSync } from 'node:fs'
import { newDataFolder } from '../../../test/support/data-folder.ts'
import { freshSchema, ownClock } from '../../../test/support/postgres/schemas.ts'
import type { Opened } from '../contract/storage/harness.ts'
import { openPostgres } from '../src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../src/storage/storage.ts'

export const STORE_ENGINES = ['sqlite', 'postgres'] as const
export type StoreEngine = (typeof STORE_ENGINES)[number]

/** `place`: the folder or the address, for another process. */
export type ClockedStore = Pick<Opened, 'now' | 'elapse' | 'reopen' | 'close'> & { storage: Storage; place: string }

export const openStore = (engine: StoreEngine, place: string, clock: () => number): Promise<Storage> =>
  engine === 'sqlite'
    ? openSqlite(place, { clock, flushEveryMs: 0 })
    : openPostgres(place, { clock, clockEveryMs: 3_600_000 })

export async function openClocked(engine: StoreEngine, start: number): Promise<ClockedStore> {
  let now = start
  const database = engine === 'postgres' ? await ownClock(await freshSchema(), start) : undefined
  const place = database?.url ?? newDataFolder('trivium-clocked-')
  const open = () => openStore(engine, place, () => now)
  const opened: ClockedStore = {
    storage: await open(),
    place,
    now: () => now,
    async elapse(milliseconds) {
      now += milliseconds
      await database?.set(now)
    },
    async reopen() {
      await opened.storage.close()
      opened.storage = await open()
      return opened.storage
    },
    async close() {
      await opened.storage.close()
      await database?.close()
      if (!database) rmSync(place, { recursive: true })
    },
  }
  return opened
}
