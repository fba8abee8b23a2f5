// Moves from SQLite to PostgreSQL.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freshSchema } from '../../../../test/support/postgres/schemas.ts'
import { hold, newNode, newWallet, settle, thrownBy } from '../../contract/storage/harness.ts'
import { contentsOf, filledFolder, newFolder } from '../../test-support/backup-store.ts'
import { firstIdAt } from '../request/ids.ts'
import type { Source } from '../storage/copying/copy.ts'
import { openPostgresSource } from '../storage/postgres/copying/source.ts'
import { openPostgresTarget } from '../storage/postgres/copying/target.ts'
import { openPostgres } from '../storage/postgres/open-postgres.ts'
import { openSqliteSource } from '../storage/sqlite/copying/source.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { moveData } from './move-data.ts'

const progress = () => {}
let folder: string
let work: string
let files = 0
beforeAll(async () => {
  folder = await filledFolder()
  work = newFolder()
})
afterAll(() => {
  for (const each of [work, folder]) rmSync(each, { recursive: true })
})
const scratch = () => join(work, `scratch-${++files}.db`)

async function move(from: string, url: string) {
  const source = await openSqliteSource(from, { scratch: scratch(), alone: true })
  try {
    return await moveData({
      source,
      openTarget: () => openPostgresTarget(url),
      openMoved: () => openPostgresSource(url),
      progress,
    })
  } finally {
    await source.close()
  }
}
/** What a move must leave as it is. */
const hashes = (dataDir: string) =>
  ['ledger.db', 'contents.db', 'secret'].map((name) => Bun.hash(readFileSync(join(dataDir, name))))

test('a move copies everything, says so the second time, and leaves the folder as it is', async () => {
  const url = await freshSchema()
  const before = hashes(folder)
  const moved = await move(folder, url)
  const { meta: [...meta] = [], ...others } = await contentsOf(await openPostgresSource(url))
  const { meta: known = [], ...expected } = await contentsOf(await openSqliteSource(folder, { scratch: scratch() }))
  expect(others).toEqual(expected)
  expect(meta.filter((row) => !row.includes('name=moved'))).toEqual(known)
  expect(moved.audits.source).toEqual(moved.audits.target)
  expect(await move(folder, url)).toMatchObject({ again: true, at: moved.at, rows: 0 })
  expect(hashes(folder)).toEqual(before)
})

test('a move is not repeated after the source has changed, nor into a database of others, nor beside a server', async () => {
  const url = await freshSchema()
  const changed = newFolder()
  for (const name of ['ledger.db', 'contents.db']) copyFileSync(join(folder, name), join(changed, name))
  await move(changed, url)
  const storage = await openSqlite(changed)
  expect(String(await thrownBy(move(changed, url)))).toContain('is in use by process')
  await storage.close()
  const db = new Database(join(changed, 'ledger.db'))
  db.run('UPDATE account SET balance = balance + 1')
  db.close()
  expect(String(await thrownBy(move(changed, url)))).toContain('the source has changed since')
  const other = await freshSchema()
  await (await openPostgres(other)).close()
  expect(String(await thrownBy(move(changed, other)))).toContain('has tables already')
  rmSync(changed, { recursive: true })
})

test('sealed months are moved with their seals, and the audit of the copy goes on from them', async () => {
  const [url, sealed] = [await freshSchema(), newFolder()]
  let now = Date.UTC(2026, 0, 31)
  const storage = await openSqlite(sealed, { clock: () => now })
  const wallet = await newWallet(storage, 1_000n)
  for (const day of [0, 10, 40]) {
    now += day * 86_400_000
    const [id, node] = [firstIdAt(now), await newNode(storage)]
    await storage.ledger.apply(hold(id, wallet, node))
    await storage.ledger.apply(settle(id, node, 7n))
  }
  for await (const _ of storage.months.seal());
  const { lastSeal, ...before } = await storage.ledger.audit()
  expect(before).toMatchObject({ ok: true, sealedMonths: 2, requests: 3 })
  await storage.close()
  await move(sealed, url)
  const moved = await openPostgres(url)
  expect(await moved.ledger.audit()).toEqual({ lastSeal, ...before })
  expect(await moved.ledger.audit({ deep: true })).toMatchObject({ ok: true, lastSeal })
  await moved.close()
  rmSync(sealed, { recursive: true })
})

test('a move that fails can be repeated', async () => {
  const url = await freshSchema()
  const source = await openSqliteSource(folder, { scratch: scratch(), alone: true })
  const broken: Source = {
    ...source,
    async *rows(table) {
      if (table.name === 'transfer') throw new Error('the disk is gone')
      yield* source.rows(table)
    },
  }
  const failing = moveData({
    source: broken,
    openTarget: () => openPostgresTarget(url),
    openMoved: () => openPostgresSource(url),
    progress,
  })
  expect(String(await thrownBy(failing))).toContain('the disk is gone')
  await source.close()
  expect(String(await thrownBy(openPostgres(url)))).toContain('is incomplete')
  expect(await move(folder, url)).toMatchObject({ again: false })
})
