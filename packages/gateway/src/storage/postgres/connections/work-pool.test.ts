// Greedy work of one kind beside polite work of the others, on a real PostgreSQL. Locks, not time, decide what is under way.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { ask, freshSchema, lockAccounts } from '../../../../../../test/support/postgres/schemas.ts'
import { hold, newHash, newNode, newWallet, result } from '../../../../contract/storage/harness.ts'
import { type Storage, StoreDown } from '../../storage.ts'
import { openPostgres } from '../open-postgres.ts'
import { openConnection } from './connections.ts'
import { type Kind, openWorkPool, type WorkPool } from './work-pool.ts'

const PATIENT = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
const LONG: readonly Kind[] = ['change', 'page', 'report', 'blocking', 'reaping', 'content']
/** Waits until the test releases the lock. */
const STUCK = 'SELECT pg_advisory_xact_lock_shared(1)'
const WAITING = `select count(*) as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and application_name like 'trivium%'`
const OPEN = `select application_name as name from pg_stat_activity
  where datname = current_database() and application_name like 'trivium%' order by 1`

let url = ''
let shell: SQL
const toClose: { close(): Promise<void> }[] = []
beforeEach(async () => {
  url = await freshSchema()
  shell = new SQL(url, { max: 1 })
  toClose.push(shell)
})
afterEach(async () => {
  for (const each of toClose.splice(0).reverse()) await each.close()
})

function openPool(waitMs = 60_000): WorkPool {
  const pool = openWorkPool(
    Array.from({ length: 4 }, () => openConnection(url, { name: 'work', ...PATIENT })),
    waitMs,
  )
  toClose.push(pool)
  return pool
}

async function openStorage(): Promise<Storage> {
  const storage = await openPostgres(url, { ...PATIENT, patienceMs: 20 })
  toClose.push(storage)
  return storage
}

/** Work that is stuck until `release`. */
async function greedy(pool: WorkPool, kinds: readonly Kind[], each: number) {
  await shell.unsafe('begin; select pg_advisory_xact_lock(1)')
  const stuck = Promise.all(kinds.flatMap((kind) => Array.from({ length: each }, () => pool.of(kind).query(STUCK, []))))
  // A test may close the pool before.
  stuck.catch(() => undefined)
  return {
    async release() {
      await shell.unsafe('commit')
      await stuck
    },
  }
}

const untilWaiting = async (count: number) => {
  while (Number((await ask(url, WAITING))[0]?.n) !== count);
}
const one = (pool: WorkPool, kind: Kind) => pool.of(kind).query('SELECT 1 AS one', [])

test.each(LONG)('greedy work (%s) leaves connections to all others', async (kind) => {
  const pool = openPool()
  const { release } = await greedy(pool, [kind], 20)
  await untilWaiting(kind === 'reaping' ? 1 : 2)
  for (const other of ['query', ...LONG] as const) if (other !== kind) expect(await one(pool, other)).toHaveLength(1)
  expect(await ask(url, WAITING)).toEqual([{ n: kind === 'reaping' ? 1n : 2n }])
  await release()
})

test('all of them together leave a connection to queries', async () => {
  const pool = openPool()
  const { release } = await greedy(pool, LONG, 20)
  await untilWaiting(3)
  await Promise.all(Array.from({ length: 100 }, () => one(pool, 'query')))
  expect(await ask(url, WAITING)).toEqual([{ n: 3n }])
  await release()
})

test('kinds take turns, whatever another has queued', async () => {
  const pool = openPool()
  const { release } = await greedy(pool, ['content', 'blocking'], 20)
  await untilWaiting(3)
  const order: string[] = []
  const noted = (kind: Kind) => one(pool, kind).then(() => order.push(kind))
  const all = [...Array.from({ length: 20 }, () => noted('content')), noted('report'), noted('page')]
  await release()
  await Promise.all(all)
  expect(order.slice(0, 3)).toEqual(expect.arrayContaining(['report', 'page']))
})

test('what waits for too long, or behind too many, fails', async () => {
  const pool = openPool(10)
  const { release } = await greedy(pool, ['report'], 2)
  await untilWaiting(2)
  await expect(one(pool, 'report')).rejects.toThrow('no connection to PostgreSQL was free within 50 ms')
  await release()

  const patient = openPool()
  await greedy(patient, ['content'], 2)
  await untilWaiting(2)
  const waiting = Promise.allSettled(Array.from({ length: 10_000 }, () => one(patient, 'content')))
  await expect(one(patient, 'content')).rejects.toThrow('too many queries are waiting')
  expect(await one(patient, 'query')).toHaveLength(1)
  await patient.close()
  for (const each of await waiting) expect(each).toMatchObject({ reason: expect.any(StoreDown) })
})

test('reports take as long as they need, and other work does not', async () => {
  const connection = openConnection(url, { name: 'work', lockTimeoutMs: 60_000, statementTimeoutMs: 50 })
  const pool = openWorkPool([connection, openConnection(url, { name: 'work', ...PATIENT })], 60_000)
  toClose.push(pool)
  const slowly = (kind: Kind) => pool.of(kind).transaction('', (query) => query('SELECT pg_sleep(0.2)', []))
  expect(await slowly('report')).toHaveLength(1)
  await expect(slowly('page')).rejects.toBeInstanceOf(StoreDown)
})

test('at full use a process has six connections, and holds, renewals and queries wait for nothing', async () => {
  const storage = await openStorage()
  const node = await newNode(storage)
  const [free, ...locked] = await Promise.all(Array.from({ length: 6 }, () => newWallet(storage)))
  if (!free) throw new Error('no wallet')
  const lock = await lockAccounts(
    url,
    locked.map(({ account }) => account),
  )
  await shell.unsafe('begin; lock table folded_request, idempotency in access exclusive mode')
  const claim = (at: number) =>
    storage.contents.claim({
      account: free.account,
      key: newHash(),
      fingerprint: newHash(),
      id: BigInt(1_000 + at),
      ...node,
    })
  const greedyWork: Promise<unknown>[] = [
    ...Array.from({ length: 5 }, () => storage.ledger.audit()),
    ...Array.from({ length: 5 }, (_, at) => claim(at)),
    ...locked.map((wallet, at) => storage.ledger.apply(hold(BigInt(100 + at), wallet, node))),
    ...Array.from({ length: 5 }, () => storage.ledger.apply({ verb: 'reap', limit: 10 })),
  ]
  await untilWaiting(3)
  for (let id = 1n; id <= 10n; id++) {
    expect(await storage.ledger.apply(hold(id, free, node))).toEqual(result('done', 100n))
    expect(await storage.ledger.apply({ verb: 'renew', ...node, config: 'test' })).toMatchObject({ verdict: 'done' })
    expect(await storage.ledger.usage(free.account, 10)).toHaveLength(Number(id))
    await Promise.all(Array.from({ length: 20 }, () => storage.ping()))
  }
  const names = (await ask(url, OPEN)).map(({ name }) => name)
  const work = Array.from({ length: 4 }, () => 'trivium work')
  expect(names).toEqual(['trivium lane 1', 'trivium lease', ...work])
  await Promise.all([lock.release(), shell.unsafe('commit')])
  await Promise.all(greedyWork)
})

test('a command that asks one thing after the other has few connections', async () => {
  const storage = await openStorage()
  await newWallet(storage)
  await storage.ledger.audit()
  expect(await ask(url, OPEN)).toEqual([{ name: 'trivium work' }])
})
