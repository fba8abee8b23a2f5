// The engine behind a pooler in transaction mode, where each transaction has another session of the server.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Pooler, type PoolerOptions, startPooler } from '../../../../../../test/support/postgres/pooler.ts'
import { startPostgres } from '../../../../../../test/support/postgres/postgres.ts'
import { ask, freshSchema, lockAccounts } from '../../../../../../test/support/postgres/schemas.ts'
import {
  charged,
  hold,
  money,
  newHash,
  newNode,
  newWallet,
  result,
  settle,
} from '../../../../contract/storage/harness.ts'
import { type Storage, StoreDown } from '../../storage.ts'
import { openPostgresSource } from '../copying/source.ts'
import { openPostgres, type PostgresOptions } from '../open-postgres.ts'
import { openConnection } from './connections.ts'

const SETTINGS = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']
/** What a caller without timeouts of its own would wait for is never over. */
const FOREVER_MS = 60_000

let url = ''
let pooler: Pooler
let storage: Storage | undefined
beforeEach(async () => {
  const server = await startPostgres()
  url = await server.freshDatabase()
})
afterEach(async () => {
  await storage?.close()
  storage = undefined
  await pooler.stop()
})

async function open(options: Partial<PostgresOptions> = {}, behind: Partial<PoolerOptions> = {}): Promise<Storage> {
  pooler = await startPooler({ url, sessions: 3, ...behind })
  storage = await openPostgres(pooler.url, options)
  return storage
}

test.each([
  ['rejects settings of a session', []],
  ['ignores them', SETTINGS],
])('a pooler that %s: the ledger works', async (_, ignored) => {
  const storage = await open({}, { ignored })
  const node = await newNode(storage)
  const wallets = await Promise.all(Array.from({ length: 10 }, () => newWallet(storage, 10_000n)))
  await Promise.all(
    wallets.map(async (wallet, at) => {
      for (let round = 0; round < 10; round++) {
        const id = BigInt(at * 100 + round + 1)
        expect(await storage.ledger.apply(hold(id, wallet, node))).toEqual(result('done', 100n))
        const claim = { account: wallet.account, key: newHash(), fingerprint: newHash(), id, ...node }
        expect(await storage.contents.claim(claim)).toEqual({ outcome: 'new' })
        expect(await storage.ledger.apply(settle(id, node, 30n))).toEqual(charged(30n))
      }
    }),
  )
  for (const wallet of wallets) expect(await money(storage, wallet)).toMatchObject({ balance: 9_700n, held: 0n })
  expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 100 })
  const sessions = await ask(
    url,
    'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  expect(sessions).toHaveLength(3)
})

test('a lock is waited for as long as without a pooler, and delays no other account', async () => {
  const storage = await open({ lockTimeoutMs: 100, patienceMs: 20, statementTimeoutMs: FOREVER_MS })
  const [locked, free, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
  const lock = await lockAccounts(url, [locked.account])
  const [timedOut, granted] = await Promise.allSettled([
    storage.ledger.apply(hold(1n, locked, node)),
    storage.ledger.apply(hold(2n, free, node)),
  ])
  expect(timedOut).toMatchObject({ status: 'rejected', reason: expect.any(StoreDown) })
  expect(granted).toMatchObject({ status: 'fulfilled', value: result('done', 100n) })
  await lock.release()
  expect(await storage.ledger.apply(hold(1n, locked, node))).toEqual(result('done', 100n))
})

test('timeouts end with their transaction, and none outlives it in a session of the pooler', async () => {
  await open()
  const limits = { name: 'test', lockTimeoutMs: 1_234, statementTimeoutMs: 5_678 }
  const connection = openConnection(pooler.url, limits)
  const read = `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`
  for (let turn = 0; turn < 6; turn++)
    expect(await connection.query(read, [])).toEqual([{ lock: '1234ms', statement: '5678ms' }])
  expect(await connection.transaction('', (query) => query(read, []))).toEqual([
    { lock: '1234ms', statement: '5678ms' },
  ])
  expect(await connection.longTransaction('', (query) => query(read, []))).toEqual([{ lock: '1234ms', statement: '0' }])
  expect(connection.isPooled()).toBe(true)
  await expect(connection.query('SELECT 1 / $1::int', [0])).rejects.toThrow('division by zero')
  expect(await connection.query('SELECT $1::int AS one', [1])).toEqual([{ one: 1 }])
  await connection.close()

  const bare = new Bun.SQL(pooler.url, { max: 1, prepare: false })
  for (let turn = 0; turn < 6; turn++) expect((await bare.unsafe(read))[0]).toEqual({ lock: '0', statement: '0' })
  await bare.close()
})

test('a statement that takes too long is ended by the server', async () => {
  await open()
  const connection = openConnection(pooler.url, { name: 'test', lockTimeoutMs: FOREVER_MS, statementTimeoutMs: 50 })
  await expect(connection.query('SELECT pg_sleep(60)', [])).rejects.toThrow(
    'canceling statement due to statement timeout',
  )
  expect(await connection.query('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
  await connection.close()
})

test('without a pooler, a session has its timeouts by itself, and a query is one message', async () => {
  pooler = await startPooler({ url, sessions: 1 })
  const connection = openConnection(url, { name: 'test', lockTimeoutMs: 1_234, statementTimeoutMs: 5_678 })
  const [row] = await connection.query(
    `SELECT current_setting('lock_timeout') AS lock, statement_timestamp() = transaction_timestamp() AS alone`,
    [],
  )
  expect(row).toEqual({ lock: '1234ms', alone: true })
  expect(connection.isPooled()).toBe(false)
  await connection.close()
})

test('an engine that does not show its settings gets the timeouts in each transaction', async () => {
  pooler = await startPooler({ url, sessions: 1 })
  const schema = await freshSchema()
  await ask(schema, 'create table pg_settings (nothing integer)')
  const address = `${schema},pg_catalog`
  const connection = openConnection(address, { name: 'test', lockTimeoutMs: 1_234, statementTimeoutMs: 5_678 })
  const [row] = await connection.query("SELECT current_setting('lock_timeout') AS lock", [])
  expect(row).toEqual({ lock: '1234ms' })
  expect(connection.isPooled()).toBe(true)
  await connection.close()
})

test('a copy is read through a pooler', async () => {
  await newWallet(await open())
  const source = await openPostgresSource(pooler.url)
  const [accounts] = (await source.tables()).filter(({ name }) => name === 'account')
  if (!accounts) throw new Error('no table of accounts')
  let count = 0
  for await (const rows of source.rows(accounts)) count += rows.length
  expect(count).toBe(Number((await ask(url, 'select count(*) as n from account'))[0]?.n))
  await source.close()
})
