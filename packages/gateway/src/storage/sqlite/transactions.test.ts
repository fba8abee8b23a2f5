import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hold, result, settle } from '../contract/harness.ts'
import { openForWriting } from './database.ts'
import { openTransactions } from './transactions.ts'

const NOW = 1_000_000
const node = { slot: 1, epoch: 1 }
const wallet = { account: 1n, key: 1n, email: 'a@b.c' }
let folder: string
let db: Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-transactions-'))
  const file = join(folder, 'ledger.db')
  writeFileSync(file, '')
  db = openForWriting(file, 0, NOW)
  db.run("INSERT INTO account (email, balance, created_at) VALUES ('a@b.c', 100000, 0)")
  db.run("INSERT INTO api_key (account, hash, name, group_name, created_at) VALUES (1, zeroblob(32), '', '', 0)")
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

const row = (sql: string) => db.query(sql).get() as Record<string, bigint>

test('a full disk fails the whole batch as a fault of the store, changes nothing, and is survived', () => {
  const { verbs } = openTransactions(db)
  verbs([{ verb: 'join', slot: 1, config: '' }, hold(1n, wallet, node)], NOW)
  const { page_count: pages } = row('PRAGMA page_count')
  db.run(`PRAGMA max_page_count = ${pages}`)
  const large = settle(1n, node, 60n, { receipt: 'x'.repeat(100_000) })
  const answers = verbs([large, hold(2n, wallet, node)], NOW)
  expect(answers).toMatchObject([{ failure: 'store' }, { failure: 'store' }])
  expect(row('SELECT balance, held FROM account')).toEqual({ balance: 100_000n, held: 100n })
  db.run('PRAGMA max_page_count = 100000')
  expect(verbs([large, hold(2n, wallet, node)], NOW)).toEqual([result('done', 60n), result('done', 100n)])
  expect(row('SELECT balance, held FROM account')).toEqual({ balance: 99_940n, held: 100n })
})

test('a batch writes each account and key once', () => {
  const { verbs } = openTransactions(db)
  db.run('CREATE TABLE writes (name TEXT)')
  for (const name of ['account', 'api_key'])
    db.run(`CREATE TRIGGER count_${name} AFTER UPDATE ON ${name} BEGIN INSERT INTO writes VALUES ('${name}'); END`)
  const ids = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
  verbs([{ verb: 'join', slot: 1, config: '' }, ...ids.map((id) => hold(id, wallet, node))], NOW)
  expect(row('SELECT count(*) AS writes FROM writes')).toEqual({ writes: 2n })
  expect(row('SELECT held FROM account')).toEqual({ held: 2_000n })
})

test('a list of statements is undone as a whole when a required one finds nothing', () => {
  const { write } = openTransactions(db)
  const meta = { sql: "INSERT INTO meta VALUES ('a', 'b')", parameters: [], required: false }
  const missing = { sql: 'SELECT id FROM account WHERE id = ?', parameters: [99n], required: true }
  expect(write([meta, missing])).toBeUndefined()
  expect(write([meta, { ...missing, sql: 'SELECT nonsense' }])).toMatchObject({ failure: 'verb' })
  expect(row('SELECT count(*) AS rows FROM meta')).toEqual({ rows: 0n })
  expect(write([{ ...missing, parameters: [1n] }, meta])).toEqual([[{ id: 1n }], []])
})
