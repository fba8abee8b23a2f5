// Months are sealed under load by processes that are killed at their steps: every audit is clean, and every receipt is found.
import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { newDataFolder } from '../../test/support/data-folder.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { fillMonths, killedAfter, placeMonths } from '../support/months.ts'

const REQUESTS = 1_500
const CHILD = join(import.meta.dir, '../support/seal-and-charge.ts')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

test.each(ENGINES)('sealing under load, killed at its steps, on %s', async (engine) => {
  const folder = newDataFolder('trivium-sealing-')
  folders.push(folder)
  const receipts = await fillMonths(folder, REQUESTS)
  const where = await placeMonths(engine, folder)
  const open = () => (engine === 'sqlite' ? openSqlite(where) : openPostgres(where))
  let kills = 0
  for (let steps = 1; await killedAfter(steps, [CHILD, where], receipts); steps += 3) {
    kills += 1
    const storage = await open()
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, sealMismatches: [] })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealMismatches: [] })
    await storage.close()
  }
  expect(kills).toBeGreaterThan(3)
  const storage = await open()
  const { account } = (await storage.ledger.requestOfAny(receipts[0] ?? 0n)) ?? { account: 0n }
  const found = new Set((await storage.ledger.usage(account, 0)).map(({ request }) => request))
  expect(receipts.filter((id) => !found.has(id))).toEqual([])
  const { sealed, blocking } = await storage.months.state()
  expect({ sealed: sealed >= 2, blocking }).toEqual({ sealed: true, blocking: undefined })
  expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealedMonths: sealed })
  await storage.close()
})
