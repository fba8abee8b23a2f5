// Budgets where several processes share a database, and where some of them are of an earlier version.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ask, freshSchema } from '../../../../../test/support/postgres/schemas.ts'
import { hold, newBudget, newKey, newNode, newWallet, settle } from '../../../contract/storage/harness.ts'
import type { Storage } from '../storage.ts'
import { encodeBatch } from './encode.ts'
import { openPostgres } from './open-postgres.ts'

/** Longer than any test: the order of events must not depend on the speed of the machine. */
const LONG_TIMEOUTS = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 }

let url = ''
const opened: Storage[] = []
async function open(): Promise<Storage> {
  const storage = await openPostgres(url, LONG_TIMEOUTS)
  opened.push(storage)
  return storage
}
beforeEach(async () => {
  url = await freshSchema()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
})

test('50 requests of two processes, one of which dies: a budget and one across accounts', async () => {
  const [first, second] = [await open(), await open()]
  const wallet = await newWallet(first, 1_000_000n)
  const other = { ...wallet, key: (await newKey(first, wallet.account)).id }
  const { id } = await newBudget(first, { account: wallet.account, amount: 1_013n, period: 'day' })
  const shared = await newBudget(first, { kind: 'all', amount: 1n })
  const sides = [
    { storage: first, node: await newNode(first, 1), of: wallet, from: 1n },
    { storage: second, node: await newNode(second, 2), of: other, from: 101n },
  ]
  const want = { budgets: [id, shared.id], revision: 1, amount: 70n, minimum: 1n }
  await Promise.all(
    sides.flatMap(({ storage, node, of, from }, side) =>
      Array.from({ length: 25 }, async (_, index) => {
        const request = from + BigInt(index)
        await storage.ledger.apply(hold(request, of, node, want))
        // The second process ends nothing: it dies.
        if (side === 0) await storage.ledger.apply(settle(request, node, 300n))
      }),
    ),
  )
  expect((await first.budgets.find(id))?.left).toBe(0n)
  await ask(url, 'UPDATE node SET renewed_at = 0 WHERE node_id = 2')
  await first.ledger.apply({ verb: 'reap', limit: 100 })
  const budget = await first.budgets.find(id)
  expect(budget?.held).toBe(0n)
  expect(budget?.spent).toBeLessThanOrEqual(1_013n)
  const rows = await first.ledger.usage(wallet.account, 0)
  const spent = rows.reduce((sum, { cost }) => sum + cost, 0n)
  expect(budget?.spent).toBe(spent)
  expect((await first.budgets.find(shared.id))?.spent).toBe(spent)
  expect(await second.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
})

test('what a process of an earlier version ends counts against the budgets of its request', async () => {
  const storage = await open()
  const [wallet, node] = [await newWallet(storage, 10_000n), await newNode(storage)]
  const { id } = await newBudget(storage, { account: wallet.account, amount: 1_000n })
  for (const request of [1n, 2n])
    await storage.ledger.apply(hold(request, wallet, node, { budgets: [id], revision: 1 }))
  // As it calls the ledger: a hold of its own, which names no budgets, and the settlement of a request that it took over.
  const batch = encodeBatch([hold(3n, wallet, node, { revision: 1 }), settle(1n, node, 60n)])
  const answers = await ask(url, `SELECT verdict, amount FROM ledger_apply('${batch}'::json, true) ORDER BY place`)
  expect(answers).toEqual([
    { verdict: 'done', amount: 100n },
    { verdict: 'done', amount: 60n },
  ])
  expect(await storage.budgets.find(id)).toMatchObject({ held: 100n, spent: 60n })
  await ask(url, 'UPDATE node SET renewed_at = 0')
  await ask(url, 'SELECT * FROM ledger_reap(10)')
  expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 60n })
  expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
})

test('a process of an earlier version that joins does not know budgets', async () => {
  const storage = await open()
  await newNode(storage)
  expect(await storage.budgets.isKnownToAll()).toBe(true)
  await ask(url, "SELECT * FROM ledger_node_2('join', 2, 0, '', false, NULL, NULL)")
  expect(await storage.budgets.isKnownToAll()).toBe(false)
  await newNode(storage, 3)
  await ask(url, "SELECT * FROM ledger_node_2('leave', 2, 1, '', false, NULL, NULL)")
  expect(await storage.budgets.isKnownToAll()).toBe(true)
  // In the place of a process that knew them.
  await storage.ledger.apply({ verb: 'leave', nodeId: 3, epoch: 1 })
  await ask(url, "SELECT * FROM ledger_node_2('join', 3, 0, '', false, NULL, NULL)")
  expect(await storage.budgets.isKnownToAll()).toBe(false)
})
