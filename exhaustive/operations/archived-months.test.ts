// Months are sealed and archived under load by processes that are killed at their steps: every audit is clean, and every receipt is found once.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createDiskBlobs } from '../../packages/gateway/src/media/disk.ts'
import { firstIdAt } from '../../packages/gateway/src/request/ids.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { fillMonths, killedAfter, placeMonths } from '../support/months.ts'

const REQUESTS = 1_200
const CHILD = join(import.meta.dir, '../support/archive-and-charge.ts')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

test.each(ENGINES)('archiving under load, killed at its steps, on %s', async (engine) => {
  const folder = newDataFolder('trivium-archiving-')
  folders.push(folder)
  const receipts = await fillMonths(folder, REQUESTS)
  const where = await placeMonths(engine, folder)
  const media = join(folder, 'archived')
  mkdirSync(media)
  const open = async () => {
    const storage = await (engine === 'sqlite' ? openSqlite(where) : openPostgres(where))
    storage.archive.attach(async () => createDiskBlobs(media))
    return storage
  }
  const first = await open()
  for (let after = 0n, isMore = true; isMore; )
    ({ last: after, isMore } = await first.ledger.clearReceipts(firstIdAt(Date.now()), after, 1_000))
  const { account = 0n } = (await first.ledger.requestOfAny(receipts[0] ?? 0n)) ?? {}
  await first.close()
  let kills = 0
  let archived = 0
  for (let steps = 1; await killedAfter(steps, [CHILD, where, media], receipts); steps += 4) {
    kills += 1
    const storage = await open()
    const { rows } = await storage.archive.state()
    expect(rows).toBeGreaterThanOrEqual(archived)
    archived = rows
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, archiveMismatches: [] })
    const found = (await storage.ledger.usage(account, 0)).map(({ request }) => request)
    expect(new Set(found).size).toBe(found.length)
    const known = new Set(found)
    expect(receipts.filter((id) => !known.has(id))).toEqual([])
    await storage.close()
  }
  expect(kills).toBeGreaterThan(6)
  const storage = await open()
  const { files, rows } = await storage.archive.state()
  expect(rows).toBeGreaterThan(REQUESTS)
  // No file of an attempt that was killed is left.
  const stored = readdirSync(media).flatMap((name) => readdirSync(join(media, name)))
  expect(stored.length).toBe(files)
  expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
  await storage.close()
})
