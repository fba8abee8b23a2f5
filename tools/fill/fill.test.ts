import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { recompute } from '../../packages/gateway/src/money/prices/receipt.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { ENGINES, newHome } from '../../test/support/gateway/home.ts'
import { fillStore } from './fill.ts'
import { fillMany } from './fill-many.ts'
import { fillVast } from './fill-vast.ts'
import { makeRequests } from './requests.ts'

const DAY_MS = 86_400_000
const MODELS = [
  { id: 'one', input: 2_000_000_000n, output: 8_000_000_000n },
  { id: 'two', input: 1_000_000_000n, output: 3_000_000_000n },
]

test.each(ENGINES)('%s: the filled store is one that the ledger could have written', async (engine) => {
  const home = await newHome(engine)
  await fillStore(home, {
    email: 'filled@example.com',
    password: 'correct horse battery',
    models: MODELS,
    requests: 400,
    days: 20,
    stepMs: 12 * 3_600_000,
    topUps: 2,
    multiplierMillionths: { cheap: 500_000n },
    keys: [{ name: 'a' }, { name: 'b', group: 'cheap' }, { name: 'c', deleted: true }],
  })
  const storage = home.databaseUrl ? await openPostgres(home.databaseUrl) : await openSqlite(home.dataDir)
  try {
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 1, requests: 402, openHolds: 2 })
    const [account] = await storage.accounts.list()
    const rows = await storage.ledger.usage(account?.id ?? 0n, 0)
    expect(new Set(rows.map(({ key }) => key)).size).toBe(3)
    for (const { cost, receipt } of rows.filter((row) => row.cost > 0n))
      expect(recompute(JSON.parse(receipt))).toBe(cost)
    // The store's clock is its own again.
    const { entries } = await storage.spending.history(account?.id ?? 0n, 100)
    expect(
      entries
        .filter(({ kind }) => kind === 'credit')
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual(['bank transfer', 'bank transfer', 'opening credit', 'redeemed code', 'redeemed code', 'redeemed code'])
    await storage.accounts.credit(account?.id ?? 0n, 1n, 'now')
    const { entries: later } = await storage.spending.history(account?.id ?? 0n, 1)
    expect(Math.abs((later[0]?.at ?? 0) - Date.now())).toBeLessThan(DAY_MS / 2)
  } finally {
    await storage.close()
    rmSync(home.dataDir, { recursive: true, force: true })
  }
})

test('a store with many accounts is one that the ledger could have written', async () => {
  const home = await newHome('sqlite')
  await fillMany(home.dataDir, { accounts: 5, keysOfEach: 2, requests: 300, days: 3, models: MODELS })
  const storage = await openSqlite(home.dataDir)
  try {
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 5, requests: 300, openHolds: 0 })
    const range = { from: 0, to: Date.now() + DAY_MS - (Date.now() % DAY_MS) }
    const { rows } = await storage.reports.usage(['account'], range, {}, 10)
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(300)
    expect((await storage.reports.usage([], range, {}, 1)).rows).toMatchObject([{ requests: 300 }])
  } finally {
    await storage.close()
    rmSync(home.dataDir, { recursive: true, force: true })
  }
})

test('a store that is filled by statements is one that the ledger could have written', async () => {
  const home = await newHome('sqlite')
  await fillVast(home.dataDir, { accounts: 5, keysOfEach: 2, requests: 3_000, days: 100 })
  const storage = await openSqlite(home.dataDir)
  try {
    const whole = { ok: true, accounts: 5, requests: 3_000, openHolds: 0 }
    expect(await storage.ledger.audit()).toMatchObject(whole)
    for await (const _ of storage.months.seal());
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ...whole, sealMismatches: [] })
    const range = { from: 0, to: Date.now() + DAY_MS - (Date.now() % DAY_MS) }
    expect((await storage.reports.usage([], range, {}, 1)).rows).toMatchObject([{ requests: 3_000 }])
  } finally {
    await storage.close()
    rmSync(home.dataDir, { recursive: true, force: true })
  }
})

test('all outcomes occur, and the same seed makes the same requests', () => {
  const keys = [{ id: 'default', multiplierMillionths: 1_000_000n }]
  const use = { from: 0, until: 30 * DAY_MS, requests: 20_000, keys, models: MODELS }
  const made = makeRequests(use)
  expect([...new Set(made.map(({ outcome }) => outcome))].sort()).toEqual([
    'cancelled',
    'client_disconnected',
    'completed',
    'content_filtered',
    'cut',
    'expired',
    'failed',
    'incomplete',
    'reaped',
    'shutdown',
    'stopped_by_balance',
    'timeout',
  ])
  expect(makeRequests({ ...use, requests: 100 })).toEqual(makeRequests({ ...use, requests: 100 }))
})
