// A store that the version before limits has written: open holds, batches that are not in their rows yet, and a node of
// that version that still runs while others are replaced.
import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_LIMITS } from '../money/limits.ts'
import { extend, hold, newNode, result, settle, voided } from './contract/harness.ts'
import { CREATE_MIGRATION_TABLE, MIGRATIONS } from './migrations/index.ts'
import { ask, freshSchema } from './postgres/test-database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite, SQLITE_FILE } from './sqlite.ts'
import type { Storage } from './storage.ts'

setDefaultTimeout(60_000)

const BEFORE = MIGRATIONS.filter(({ id }) => id <= 4)
const NOW = Date.now()
const wallet = { account: 1n, key: 1n, email: 'a@b.c' }
const node = { slot: 1, epoch: 1 }

/** Of 10,000: 100 open as request 1, 200 as request 2; 50 spent by request 3. Nobody lives in slot 1 but epoch 1. */
const rows = (zeros: string) => [
  "INSERT INTO account (email, balance, held, created_at) VALUES ('a@b.c', 9950, 300, 0)",
  `INSERT INTO api_key (account, hash, name, group_name, spent, held, created_at)
    VALUES (1, ${zeros}, 'old', 'default', 50, 300, 0)`,
  `INSERT INTO request (id, account, key, slot, epoch, state, held, cost, model, upstream) VALUES
    (1, 1, 1, 1, 1, 0, 100, 0, 'm', 'u'), (2, 1, 1, 1, 1, 0, 200, 0, 'm', 'u'), (3, 1, 1, 1, 1, 1, 100, 50, 'm', 'u')`,
  `INSERT INTO transfer (request, debit, credit, amount, at) VALUES (NULL, -3, 1, 10000, 0), (3, 1, -1, 50, 0)`,
  `INSERT INTO node (slot, epoch, renewed_at, config) VALUES (1, 1, ${NOW + 3_600_000}, '')`,
]

test('sqlite: open holds are counted, and what is pending is decided as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-upgrade-'))
  const db = new Database(join(folder, SQLITE_FILE), { create: true })
  db.run(CREATE_MIGRATION_TABLE)
  db.run(`PRAGMA application_id = ${0x54524956}`)
  for (const { id, name, sqlite } of BEFORE) {
    for (const statement of sqlite) db.run(statement)
    db.run('INSERT INTO migration (id, name, applied_at) VALUES (?, ?, 0)', [id, name])
  }
  for (const statement of rows('zeroblob(32)')) db.run(statement)
  // All that is available to a hold, then to an extension after a settlement has made room: neither took a share only.
  const batch = [
    ['hold', 4, 1, 1, 1, 1, 20_000, 1, 'm', 'u'],
    ['settle', 1, 1, 1, 60, 'done', '{"old":1}'],
    ['extend', 4, 1, 1, 9_650, 500, 1, 7],
    ['void', 2, 1, 1, 'failed', '{}'],
  ]
  const text = batch.map((fields) => fields.map((field) => `${field}\0`).join('')).join('')
  db.run('INSERT INTO pending (at, verbs) VALUES (?, ?)', [NOW, text])
  db.close(true)

  const storage = await openSqlite(folder, { clock: () => NOW })
  const held = 9_650n + 40n
  expect(await storage.standing(1n)).toMatchObject({
    account: { balance: 9_890n, held, limits: NO_LIMITS, spentToday: 60n },
    key: { spent: 110n, held, capPeriod: undefined, limits: NO_LIMITS, spentToday: 60n },
  })
  expect(await storage.audit()).toMatchObject({ ok: true, openHolds: 1, requests: 4 })
  expect(await storage.findRequest(1n, 1n)).toMatchObject({ state: 1, cost: 60n, tokens: 0, receipt: '{"old":1}' })
  expect(await storage.apply(settle(4n, node, 90n, { tokens: 5 }))).toEqual(result('done', 90n))
  await continues(storage)
  await storage.close()
  rmSync(folder, { recursive: true })
})

test('PostgreSQL: open holds are counted, and a node of the version before goes on', async () => {
  const address = await freshSchema()
  await ask(address, CREATE_MIGRATION_TABLE)
  for (const { id, name, postgres } of BEFORE) {
    for (const statement of postgres) await ask(address, statement)
    await ask(address, `INSERT INTO migration (id, name, applied_at) VALUES (${id}, '${name}', 0)`)
  }
  for (const statement of rows(`decode(repeat('00', 32), 'hex')`)) await ask(address, statement)
  const storage = await openPostgres(address)
  expect(await storage.audit()).toMatchObject({ ok: true, openHolds: 2 })
  expect(await storage.apply(settle(1n, node, 60n, { tokens: 5 }))).toEqual(result('done', 60n))

  const asBefore = async (verb: object) => {
    const text = JSON.stringify([{ place: 0, slot: 1, epoch: 1, ...verb }])
    const [answer] = await ask(address, `SELECT outcome, amount FROM ledger_apply('${text}'::text::json, true)`)
    return [answer?.outcome, Number(answer?.amount)]
  }
  const old = { verb: 'hold', id: 4, account: 1, key: 1, amount: 9_000, minimum: 1, model: 'm', upstream: 'u' }
  expect(await asBefore(old)).toEqual(['done', 9_000])
  const more = { verb: 'extend', id: 4, known: 9_000, amount: 5_000, minimum: 1, progress: 3 }
  expect(await asBefore(more)).toEqual(['done', 690])
  expect(await asBefore({ verb: 'settle', id: 4, cost: 90, ending: 'done', receipt: '{}' })).toEqual(['done', 90])
  expect(await asBefore({ verb: 'void', id: 2, ending: 'failed', receipt: '{}' })).toEqual(['done', 0])
  expect(await storage.audit()).toMatchObject({ ok: true, openHolds: 0 })
  await continues(storage)
  await storage.close()
})

/** With new limits on the old account. */
async function continues(storage: Storage): Promise<void> {
  const living = await newNode(storage, 2)
  await storage.setAccountLimits(1n, { ...NO_LIMITS, concurrent: 1 })
  expect(await storage.apply(hold(10n, wallet, living))).toEqual(result('key_changed'))
  expect(await storage.apply(hold(10n, wallet, living, { revision: 1 }))).toEqual(result('done', 100n))
  expect(await storage.apply(hold(11n, wallet, living, { revision: 1 }))).toEqual(result('account_concurrent'))
  expect(await storage.apply(extend(10n, living, { known: 100n }))).toEqual(result('done', 50n))
  expect(await storage.apply(voided(10n, living))).toEqual(result('done', 0n))
  expect((await storage.audit()).ok).toBe(true)
}
