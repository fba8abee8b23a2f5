import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { charged, extend, hold, result, settle } from '../../../contract/storage/harness.ts'
import type { Verb } from '../../money/ledger.ts'
import { encodeBatch, roomFor } from './batch.ts'
import { openForWriting } from './database.ts'
import { openTransactions, type VerbResult } from './transactions.ts'

const NOW = 1_000_000
const node = { nodeId: 1, epoch: 1 }
const wallet = { account: 1n, key: 1n, email: 'a@b.c' }
let folder: string
let file: string
let db: Database

function openDatabase(): void {
  folder = mkdtempSync(path.join(tmpdir(), 'trivium-transactions-'))
  file = path.join(folder, 'ledger.db')
  writeFileSync(file, '')
  db = openForWriting(file, { busyTimeoutMs: 0 })
  db.run("INSERT INTO account (name, balance, created_at) VALUES ('a@b.c', 100000, 0)")
  db.run("INSERT INTO api_key (account, hash, name, group_name, created_at) VALUES (1, zeroblob(32), '', '', 0)")
}
function closeDatabase(): void {
  db.close()
  rmSync(folder, { recursive: true })
}
beforeEach(openDatabase)
afterEach(closeDatabase)

const join: Verb = { verb: 'join', nodeId: 1, config: '' }
const NEVER = Number.POSITIVE_INFINITY

function openVerbs(deferFrom: number) {
  const transactions = openTransactions(db, deferFrom)
  const verbs = (list: readonly Verb[], now = NOW): VerbResult[] => transactions.verbs(encoded(list), now)
  return { ...transactions, verbs }
}
const encoded = (list: readonly Verb[]) => encodeBatch(list, new DataView(new ArrayBuffer(roomFor(list.length))))
const row = (sql: string) => db.query(sql).get() as Record<string, bigint>

test.each([
  NEVER,
  1,
])('a full disk fails the whole batch, changes nothing, and is survived (rows late from %d)', (late) => {
  const { verbs, write } = openVerbs(late)
  verbs([join, hold(1n, wallet, node)])
  const { page_count: pages } = row('PRAGMA page_count')
  db.run(`PRAGMA max_page_count = ${pages}`)
  const large = settle(1n, node, 60n, { receipt: 'x'.repeat(100_000) })
  expect(verbs([large, hold(2n, wallet, node)])).toMatchObject([{ failure: 'store' }, { failure: 'store' }])
  db.run('PRAGMA max_page_count = 100000')
  expect(write([])).toEqual([])
  expect(row('SELECT balance, held FROM account')).toEqual({ balance: 100_000n, held: 100n })
  expect(verbs([large, hold(2n, wallet, node)])).toEqual([charged(60n), result('done', 100n)])
  expect(write([])).toEqual([])
  expect(row('SELECT balance, held FROM account')).toEqual({ balance: 99_940n, held: 100n })
})

test('a batch writes each account and key once', () => {
  const { verbs } = openVerbs(NEVER)
  countWrites()
  const ids = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
  verbs([join, ...ids.map((id) => hold(id, wallet, node))])
  expect(row('SELECT count(*) AS writes FROM writes')).toEqual({ writes: 2n })
  expect(row('SELECT held FROM account')).toEqual({ held: 2_000n })
})

function countWrites(): void {
  db.run('CREATE TABLE writes (name TEXT)')
  for (const name of ['account', 'api_key'])
    db.run(`CREATE TRIGGER count_${name} AFTER UPDATE ON ${name} BEGIN INSERT INTO writes VALUES ('${name}'); END`)
}

test('many batches write each account and key once, when a small one comes or there are enough', () => {
  const { verbs, hasPending } = openVerbs(8)
  verbs([join])
  countWrites()
  const batch = (first: number, size: number) =>
    verbs(Array.from({ length: size }, (_, index) => hold(BigInt(first + index), wallet, node, ONE)))
  batch(1, 8)
  batch(9, 8)
  expect(hasPending()).toBe(true)
  expect(row('SELECT count(*) AS requests FROM request')).toEqual({ requests: 0n })
  batch(17, 1)
  expect(hasPending()).toBe(false)
  expect(row('SELECT count(*) AS writes FROM writes')).toEqual({ writes: 2n })
  expect(row('SELECT held, (SELECT count(*) FROM request) AS requests FROM account')).toEqual({
    held: 17n,
    requests: 17n,
  })
  const wasPending = Array.from({ length: 30 }, (_, index) => {
    batch(100 * (index + 1), 100)
    return hasPending()
  })
  expect(wasPending.slice(0, 5)).not.toContain(false)
  expect(wasPending).toContain(false)
})
const ONE = { amount: 1n, minimum: 1n }

test('rows that another connection has written meanwhile count, and so do pending verbs', () => {
  const { verbs, write } = openVerbs(1)
  verbs([join])
  verbs([hold(1n, wallet, node)])
  const shell = new Database(file)
  shell.run('UPDATE account SET balance = balance - 99950')
  shell.run('UPDATE api_key SET deleted = 1')
  shell.close(true)
  expect(verbs([settle(1n, node, 40n)])).toEqual([charged(40n)])
  expect(write([])).toEqual([])
  expect(row('SELECT balance, held FROM account')).toEqual({ balance: 10n, held: 0n })
})

test('a verb that throws fails alone and leaves what was pending', () => {
  const { verbs, write } = openVerbs(1)
  verbs([join, hold(1n, wallet, node), hold(2n, wallet, node)])
  write([{ sql: 'UPDATE request SET account = 99 WHERE id = 1', parameters: [], required: false }])
  verbs([hold(3n, wallet, node)])
  const answers = verbs([settle(1n, node, 5n), settle(2n, node, 5n), settle(3n, node, 6n)])
  expect(answers).toMatchObject([{ failure: 'verb' }, charged(5n), charged(6n)])
  write([])
  expect(row('SELECT balance FROM account')).toEqual({ balance: 99_989n })
})

test('crashes and failures with rows written late leave the same books as rows written at once', () => {
  for (let seed = 1; seed <= 10; seed++)
    expect([seed, ...play(seed, 1 + (seed % 4), true)]).toEqual([seed, ...play(seed, NEVER, false)])
})

/** The results of random verbs, and the ledger afterwards. A mishap changes neither. */
function play(seed: number, deferFrom: number, mishaps: boolean): unknown[] {
  closeDatabase()
  openDatabase()
  db.run('PRAGMA synchronous = OFF')
  // Settling this request fails: its account does not exist.
  db.run(
    "INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, model, upstream) VALUES (1, 99, 1, 1, 1, 0, 0, 0, 'm', 'u')",
  )
  const budget = 'INSERT INTO budget (account, kind, amount, highest_amount, period, hard, set_by, created_at) VALUES'
  db.run(`${budget} (1, 'account', 9000, 9000, NULL, 1, 'operator', 0), (1, 'tag', 5000, 5000, 'day', 1, 'operator', 0),
    (NULL, 'all', 9000, 9000, 'month', 1, 'operator', 0)`)
  const [chance, luck] = [seeded(seed), seeded(seed + 1000)]
  let store = openVerbs(deferFrom)
  store.verbs([join])
  const answers: VerbResult[][] = []
  let last = 1
  const randomVerb = (): Verb => {
    const id = BigInt(2 + chance(last))
    const kind = chance(11)
    if (kind < 5) {
      const of = last % 2 === 0 ? { budgets: [1n, 2n, 3n].slice(chance(3)), attribution: OF_ADA } : {}
      return hold(BigInt(++last), wallet, node, { amount: BigInt(chance(4_000)), minimum: 0n, ...of })
    }
    if (kind < 8) return settle(id, node, BigInt(chance(6_000)), { receipt: `{"é":${id}}` })
    if (kind < 9) return { verb: 'void', id, ...node, outcome: 'failed', receipt: '' }
    if (kind < 10) return { verb: 'reap', limit: 1 }
    return extend(id, node, { known: 10_000n, minimum: 0n, progress: BigInt(chance(99)) })
  }
  for (let batch = 0; batch < 30; batch++) {
    const list = Array.from({ length: 1 + chance(6) }, randomVerb)
    const mishap = mishaps ? MISHAPS[luck(MISHAPS.length)] : undefined
    if (mishap === 'new start') {
      store = openVerbs(deferFrom)
      // A new start takes the last one's node for dead; here it goes on, so that both plays answer alike.
      store.write([{ sql: 'UPDATE node SET renewed_at = ?', parameters: [BigInt(NOW)], required: false }])
    }
    if (mishap === 'locked') {
      const shell = new Database(file)
      shell.run('BEGIN IMMEDIATE')
      for (const answer of store.verbs(list)) expect(answer).toMatchObject({ failure: 'store' })
      shell.close(true)
    }
    const poisoned = store.verbs(mishap === 'poison' ? [settle(1n, node, 1n), ...list] : list)
    answers.push(mishap === 'poison' ? poisoned.slice(1) : poisoned)
  }
  store.write([])
  const transfers = 'SELECT request, debit, credit, amount, at FROM transfer ORDER BY id'
  const counted = ['budget', 'budget_sum', 'daily_attribution_spending', 'daily_attribution_values']
  const tables = ['account', 'api_key', 'request', ...counted].map((table) => `SELECT * FROM ${table}`)
  const books = [...tables, transfers]
  return [answers, ...books.map((sql) => db.query(sql).all())]
}
const OF_ADA = { tags: ['team=search'], endUser: 'u_1', session: 's' }
const MISHAPS = ['new start', 'locked', 'poison', undefined, undefined, undefined] as const

/** Random numbers below `limit`, the same ones for the same seed. */
function seeded(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0
    return (state >>> 7) % limit
  }
}

test('a list of statements is undone as a whole when a required one finds nothing', () => {
  const { write, verbs, hasPending } = openVerbs(1)
  verbs([join])
  const meta = { sql: "INSERT INTO meta VALUES ('a', 'b')", parameters: [], required: false }
  const missing = { sql: 'SELECT id FROM account WHERE id = ?', parameters: [99n], required: true }
  expect(write([meta, missing])).toBeUndefined()
  expect(write([meta, { ...missing, sql: 'SELECT nonsense' }])).toMatchObject({ failure: 'verb' })
  expect(row('SELECT count(*) AS rows FROM meta')).toEqual({ rows: 0n })
  expect(hasPending()).toBe(true)
  expect(write([{ ...missing, parameters: [1n] }, meta])).toEqual([[{ id: 1n }], []])
})
