import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type FlakyProxy, startFlakyProxy } from '../../../../../test/support/postgres/flaky-proxy.ts'
import { startPostgres } from '../../../../../test/support/postgres/postgres.ts'
import {
  ask,
  freshSchema,
  lockAccounts,
  untilOneWaits,
  WAITING_FOR_LOCK,
} from '../../../../../test/support/postgres/schemas.ts'
import { charged, hold, money, newNode, newWallet, result, settle } from '../../../contract/storage/harness.ts'
import type { Result, Verb } from '../../money/ledger.ts'
import { type Storage, StoreDown } from '../storage.ts'
import { openPostgres, type PostgresOptions } from './open-postgres.ts'

// Starting a server again on a busy machine takes its time.
let url = ''
let proxy: FlakyProxy
const opened: Storage[] = []

beforeEach(async () => {
  url = await freshSchema()
  const { hostname, port } = new URL(url)
  proxy = startFlakyProxy({ hostname, port: Number(port) })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
  proxy.stop()
})

async function open(options: Partial<PostgresOptions> = {}, address = url): Promise<Storage> {
  const storage = await openPostgres(address, options)
  opened.push(storage)
  return storage
}

function openThroughProxy(options: Partial<PostgresOptions> = {}): Promise<Storage> {
  const address = new URL(url)
  address.port = String(proxy.port)
  return open(options, address.href)
}

/** As a caller does: asks until the store answers. Anything but StoreDown is a failure. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreDown)) throw error
      await Bun.sleep(20)
    }
  }
}
const insistOn = (storage: Storage, verb: Verb): Promise<Result> => insist(() => storage.ledger.apply(verb))

test('the server is killed between hold and settle: the settlement takes effect exactly once', async () => {
  const server = await startPostgres()
  const storage = await open()
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('done', 100n))
  await server.kill()
  await expect(storage.ledger.apply(settle(1n, node, 60n))).rejects.toBeInstanceOf(StoreDown)
  await expect(storage.ping()).rejects.toBeInstanceOf(StoreDown)
  await server.restart()
  expect(await insistOn(storage, settle(1n, node, 60n))).toEqual(charged(60n))
  expect(await storage.ledger.apply(settle(1n, node, 60n))).toEqual(result('repeated', 60n))
  await insist(() => storage.ping())
  expect(await insist(() => money(storage, wallet))).toEqual({ balance: 940n, held: 0n, spent: 60n, keyHeld: 0n })
  expect(await insist(() => storage.ledger.audit())).toMatchObject({ ok: true })
})

test('the server is killed under full load: every verb is repeated until confirmed, and the ledger is consistent', async () => {
  const server = await startPostgres()
  const storage = await open()
  const wallets = await Promise.all(Array.from({ length: 8 }, () => newWallet(storage, 100_000n)))
  const node = await newNode(storage)
  // The lease is not renewed here, and a busy machine may take longer than a lease lasts.
  await ask(url, 'update node set renewed_at = renewed_at + 3600000')
  let finished = 0
  let killed = Promise.resolve()
  const loops = wallets.map(async (wallet, lane) => {
    for (let round = 0; round < 25; round++) {
      const id = BigInt(lane * 1_000 + round + 1)
      expect((await insistOn(storage, hold(id, wallet, node))).amount).toBe(100n)
      expect((await insistOn(storage, settle(id, node, 30n))).amount).toBe(30n)
      finished += 1
      if (finished === 60) killed = server.kill().then(() => server.restart())
    }
  })
  await Promise.all(loops)
  await killed
  for (const wallet of wallets)
    expect(await insist(() => money(storage, wallet))).toMatchObject({ balance: 100_000n - 750n, held: 0n })
  expect(await insist(() => storage.ledger.audit())).toMatchObject({ ok: true, requests: 200, openHolds: 0 })
})

test('the result is lost after the commit: the verb fails with StoreDown, and repeating it changes nothing', async () => {
  const storage = await openThroughProxy()
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  await storage.ledger.apply(hold(1n, wallet, node))
  proxy.mode = 'muted'
  const lost = storage.ledger.apply(hold(2n, wallet, node))
  const arrived = async () => Number((await ask(url, 'select count(*) as n from request where id = 2'))[0]?.n)
  while ((await arrived()) === 0) await Bun.sleep(5)
  proxy.cut()
  await expect(lost).rejects.toBeInstanceOf(StoreDown)
  proxy.mode = 'open'
  expect(await insistOn(storage, hold(2n, wallet, node))).toEqual(result('repeated', 100n))
  expect(await insist(() => money(storage, wallet))).toMatchObject({ balance: 1_000n, held: 200n })
})

test('the connection is cut in the middle of a batch: nothing of it took effect, and it can be repeated', async () => {
  const storage = await open({ lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  const lock = await lockAccounts(url, [wallet.account])
  const holds = [1n, 2n, 3n].map((id) => storage.ledger.apply(hold(id, wallet, node)))
  const answers = Promise.allSettled(holds)
  await untilOneWaits(url)
  await ask(url, `select pg_terminate_backend(pid) ${WAITING_FOR_LOCK}`)
  for (const answer of await answers) expect(answer).toMatchObject({ reason: expect.any(StoreDown) })
  await lock.release()
  expect(await ask(url, 'select id from request')).toHaveLength(0)
  for (const id of [1n, 2n, 3n]) expect(await insistOn(storage, hold(id, wallet, node))).toEqual(result('done', 100n))
  expect(await insist(() => storage.ledger.audit())).toMatchObject({ ok: true, openHolds: 3 })
})

test('a network that swallows everything counts as down, and the store comes back with it', async () => {
  const storage = await openThroughProxy({ statementTimeoutMs: 2_000 })
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  proxy.mode = 'frozen'
  const answers = await Promise.allSettled([storage.ledger.apply(hold(1n, wallet, node)), storage.ping()])
  for (const answer of answers) expect(answer).toMatchObject({ reason: expect.any(StoreDown) })
  proxy.mode = 'open'
  expect(await insistOn(storage, hold(1n, wallet, node))).toMatchObject({ amount: 100n })
  await insist(() => storage.ping())
})

test('a closed store rejects calls', async () => {
  const storage = await open()
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  await storage.close()
  await expect(storage.ledger.apply(hold(1n, wallet, node))).rejects.toBeInstanceOf(StoreDown)
  await expect(storage.ping()).rejects.toBeInstanceOf(StoreDown)
  await expect(storage.accounts.find(wallet.account)).rejects.toBeInstanceOf(StoreDown)
})
