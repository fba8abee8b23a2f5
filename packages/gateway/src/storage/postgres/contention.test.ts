import { afterEach, beforeEach, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { ask, freshSchema, lockAccounts, untilOneWaits } from '../../../../../test/support/postgres/schemas.ts'
import { hold, money, newNode, newWallet, result, settle } from '../../../contract/storage/harness.ts'
import { CREDIT } from '../../money/ledger.ts'
import { type Storage, StoreDown } from '../storage.ts'
import { openPostgres, type PostgresOptions } from './open-postgres.ts'

let url = ''
const opened: Storage[] = []
async function open(options: Partial<PostgresOptions> = {}): Promise<Storage> {
  const storage = await openPostgres(url, options)
  opened.push(storage)
  return storage
}
/** Longer than any test: the order of events must not depend on the speed of the machine. */
const LONG_TIMEOUTS = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 }

beforeEach(async () => {
  url = await freshSchema()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
})

test('two nodes that race for one wallet never overspend it', async () => {
  const [first, second] = [await open(LONG_TIMEOUTS), await open(LONG_TIMEOUTS)]
  const wallet = await newWallet(first, 1_000n)
  const nodes = [
    { storage: first, node: await newNode(first, 1), from: 0n },
    { storage: second, node: await newNode(second, 2), from: 1_000n },
  ]
  const work = nodes.flatMap(({ storage, node, from }) =>
    Array.from({ length: 60 }, async (_, index) => {
      const id = from + BigInt(index + 1)
      const held = await storage.ledger.apply(hold(id, wallet, node))
      return held.verdict === 'done' ? (await storage.ledger.apply(settle(id, node, 50n))).amount : 0n
    }),
  )
  const charged = (await Promise.all(work)).reduce((sum, amount) => sum + amount, 0n)
  expect(charged).toBeGreaterThanOrEqual(500n)
  expect(await money(first, wallet)).toEqual({ balance: 1_000n - charged, held: 0n, spent: charged, keyHeld: 0n })
  expect(await second.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
})

test('two nodes on the same accounts in opposite order: nothing is lost to a deadlock', async () => {
  const [first, second] = [await open(LONG_TIMEOUTS), await open(LONG_TIMEOUTS)]
  const wallets = await Promise.all(Array.from({ length: 12 }, () => newWallet(first, 10_000n)))
  const nodes = [await newNode(first, 1), await newNode(second, 2)] as const
  const run = async (storage: Storage, which: 0 | 1, ids: bigint, order: typeof wallets) => {
    for (let round = 0n; round < 10n; round++) {
      const id = (index: number) => ids + round * 100n + BigInt(index)
      await Promise.all(order.map((wallet, index) => storage.ledger.apply(hold(id(index), wallet, nodes[which]))))
      await Promise.all(order.map((_, index) => storage.ledger.apply(settle(id(index), nodes[which], 7n))))
    }
  }
  await Promise.all([run(first, 0, 1n, wallets), run(second, 1, 10_001n, wallets.toReversed())])
  for (const wallet of wallets) expect(await money(first, wallet)).toMatchObject({ balance: 10_000n - 140n, held: 0n })
  expect(await first.ledger.audit()).toMatchObject({ ok: true, requests: 240, openHolds: 0 })
})

test('two nodes that insert one request at once: one takes effect', async () => {
  const [first, second] = [await open(LONG_TIMEOUTS), await open(LONG_TIMEOUTS)]
  const [mine, yours] = [await newWallet(first), await newWallet(first)]
  const [one, two] = [await newNode(first, 1), await newNode(second, 2)]
  for (let id = 1n; id <= 30n; id++) {
    const results = await Promise.all([
      first.ledger.apply(hold(id, mine, one)),
      second.ledger.apply(hold(id, yours, two)),
    ])
    expect(results.map(({ verdict }) => verdict).sort()).toEqual(['done', 'not_open'])
    const owner = results[0]?.verdict === 'done' ? ([first, one] as const) : ([second, two] as const)
    await owner[0].ledger.apply(settle(id, owner[1], 1n))
  }
  expect(await first.ledger.audit()).toMatchObject({ ok: true, requests: 30 })
})

/** How many transactions wrote these requests. */
const transactionsOf = async (ids: readonly bigint[]): Promise<number> =>
  Number((await ask(url, `select count(distinct xmin::text) as n from request where id in (${ids})`))[0]?.n)

test('a batch that meets a lock waits for it as a whole: two nodes on the same accounts do not break up their batches', async () => {
  const storage = await open({ ...LONG_TIMEOUTS, patienceMs: 60_000, lanes: 1 })
  const wallets = await Promise.all(Array.from({ length: 8 }, () => newWallet(storage)))
  const node = await newNode(storage)
  const lock = await lockAccounts(
    url,
    wallets.slice(2, 5).map(({ account }) => account),
  )
  const ids = wallets.map((_, index) => BigInt(index + 1))
  const holds = wallets.map((wallet, index) => storage.ledger.apply(hold(ids[index] ?? 0n, wallet, node)))
  await untilOneWaits(url, 'trivium lane 1')
  await lock.release()
  for (const held of await Promise.all(holds)) expect(held).toEqual(result('done', 100n))
  expect(await transactionsOf(ids)).toBe(1)
})

test('an account that stayed locked is back in its lane once one of its verbs was decided', async () => {
  const storage = await open({ ...LONG_TIMEOUTS, patienceMs: 20, lanes: 1 })
  const [locked, free, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
  const lock = await lockAccounts(url, [locked.account])
  const stuck = storage.ledger.apply(hold(1n, locked, node))
  await untilOneWaits(url)
  await lock.release()
  await stuck
  await Promise.all([locked, free].map((wallet, at) => storage.ledger.apply(hold(BigInt(at + 2), wallet, node))))
  expect(await transactionsOf([2n, 3n])).toBe(1)
})

test('an account that stays locked delays no other, not even in its own lane', async () => {
  const storage = await open({ ...LONG_TIMEOUTS, patienceMs: 20, lanes: 2 })
  const wallets = await Promise.all(Array.from({ length: 6 }, () => newWallet(storage)))
  const [locked, ...others] = wallets
  if (!locked) throw new Error('no wallet')
  const node = await newNode(storage)
  await storage.ledger.apply(hold(100n, locked, node))
  const lock = await lockAccounts(url, [locked.account])

  const order: string[] = []
  const noted = async (name: string, work: Promise<unknown>) => {
    await work
    order.push(name)
  }
  const stuck = [
    noted('locked', storage.ledger.apply(hold(101n, locked, node))),
    noted('locked', storage.ledger.apply(settle(100n, node, 10n))),
  ]
  await Promise.all(
    others.map((wallet, index) => noted('other', storage.ledger.apply(hold(BigInt(index + 1), wallet, node)))),
  )
  await Promise.all(others.map((_, index) => noted('other', storage.ledger.apply(settle(BigInt(index + 1), node, 1n)))))
  expect(await storage.ledger.apply({ verb: 'renew', ...node, config: 'test' })).toMatchObject({
    verdict: 'done',
    amount: 1n,
  })
  await lock.release()
  await Promise.all(stuck)
  expect(order).toEqual([...others.map(() => 'other'), ...others.map(() => 'other'), 'locked', 'locked'])
  expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 1 })
})

test('closing waits for what was asked before, even for a locked account', async () => {
  const storage = await open(LONG_TIMEOUTS)
  const [locked, free, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
  const lock = await lockAccounts(url, [locked.account])
  const holds = [storage.ledger.apply(hold(1n, locked, node)), storage.ledger.apply(hold(2n, free, node))]
  const closing = storage.close()
  await untilOneWaits(url)
  await lock.release()
  expect(await Promise.all(holds)).toEqual([result('done', 100n), result('done', 100n)])
  await closing
})

test('waiting for a lock times out: only that verb fails with StoreDown, and it can be repeated later', async () => {
  const storage = await open({ lockTimeoutMs: 20 })
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

test('reaping leaves a locked account for the next time and takes the others', async () => {
  const storage = await open()
  const [locked, free, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
  await storage.ledger.apply(hold(1n, locked, node))
  await storage.ledger.apply(hold(2n, free, node))
  await storage.ledger.apply({ verb: 'leave', ...node })
  const lock = await lockAccounts(url, [locked.account])
  expect(await storage.ledger.apply({ verb: 'reap', limit: 10 })).toEqual(result('done', 1n))
  expect(await money(storage, free)).toMatchObject({ held: 0n })
  await lock.release()
  expect(await storage.ledger.apply({ verb: 'reap', limit: 10 })).toEqual(result('done', 1n))
  expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
})

test('a key deleted on one node pays for nothing on another, which sees that something changed', async () => {
  const [first, second] = [await open(), await open()]
  const [wallet, node] = [await newWallet(first), await newNode(second)]
  const before = await second.keys.changeCounter()
  expect(await first.keys.delete(wallet.key)).toBe(true)
  expect(await second.ledger.apply(hold(1n, wallet, node))).toEqual(result('key_invalid'))
  expect(await second.keys.changeCounter()).toBeGreaterThan(before)
})

test('the plans of the hot path find rows by index, although they were made on empty tables', async () => {
  const scans = () =>
    ask(
      url,
      `select relname, seq_scan from pg_stat_user_tables
       where schemaname = current_schema() and relname in ('request', 'account', 'api_key') order by relname`,
    )
  // A connection reports what it did when it closes; making an index counts as a scan.
  await (await openPostgres(url)).close()
  const before = await scans()
  expect(before).toHaveLength(3)
  const storage = await openPostgres(url, { lanes: 1 })
  const [wallet, node] = [await newWallet(storage, 1_000_000n), await newNode(storage)]
  for (let id = 1n; id <= 20n; id++) await storage.ledger.apply(hold(id, wallet, node))
  await ask(
    url,
    `insert into request (id, account, key, node_id, epoch, state, held, held_at, model, upstream)
     select id, ${wallet.account}, ${wallet.key}, 1, 1, 2, 0, 0, 'm', 'u' from generate_series(1000, 20000) id`,
  )
  for (let id = 1n; id <= 20n; id++) await storage.ledger.apply(settle(id, node, 1n))
  for (let id = 21n; id <= 40n; id++) await storage.ledger.apply(hold(id, wallet, node))
  await storage.close()
  expect(await scans()).toEqual(before)
})

test('a locked table is a store that is down, whatever is read or written', async () => {
  const storage = await open({ lockTimeoutMs: 20 })
  const { account, key } = await newWallet(storage)
  const shell = new SQL(url, { max: 1 })
  try {
    await shell.begin(async (transaction) => {
      for (const table of ['account', 'api_key', 'request', 'session'])
        await transaction.unsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      const calls = {
        account: () => storage.accounts.find(account),
        key: () => storage.keys.findWithAccount(key),
        caller: () => storage.keys.findCaller(new Uint8Array(32)),
        usage: () => storage.ledger.usage(account, 10),
        'whole usage': () => storage.ledger.usage(account, 0),
        session: () => storage.sessions.find(new Uint8Array(32)),
        'end of sessions': () => storage.sessions.endAll(account),
        audit: () => storage.ledger.audit(),
      }
      for (const [name, call] of Object.entries(calls)) {
        const failed = await call().then(
          () => undefined,
          (error: unknown) => error,
        )
        expect([name, failed]).toEqual([name, expect.any(StoreDown)])
      }
    })
  } finally {
    await shell.close()
  }
})

test("a clock that is set is noticed: times are the database's again", async () => {
  let ahead = 0
  const storage = await open({ clock: () => Date.now() + ahead, clockEveryMs: 10 })
  let count = 0
  const ageOfNew = async () => {
    const created = await storage.accounts.create(`a${++count}@example.com`, 0n, CREDIT)
    return Math.abs((created?.createdAt ?? 0) - Date.now())
  }
  expect(await ageOfNew()).toBeLessThan(60_000)
  ahead = 3_600_000
  while ((await ageOfNew()) > 60_000);
})
