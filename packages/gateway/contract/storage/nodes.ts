import { describe, expect, test } from 'bun:test'
import { DEAD_AFTER_MS } from '../../src/money/ledger.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  charged,
  extend,
  hold,
  money,
  type Node,
  newNode,
  newWallet,
  result,
  settle,
  type Use,
  voided,
} from './harness.ts'

const renew = (storage: Storage, node: Node) => storage.ledger.apply({ verb: 'renew', ...node, config: 'renewed' })
const witnessed = (storage: Storage, node: Node, renewals: number, ended?: bigint) =>
  storage.ledger.apply({ verb: 'renew', ...node, config: '', witness: { renewals, ended } })
const leave = (storage: Storage, node: Node) => storage.ledger.apply({ verb: 'leave', ...node })
const join = (storage: Storage, nodeId: number) => storage.ledger.apply({ verb: 'join', nodeId, config: 'joined' })
const reap = (storage: Storage, limit = 100) => storage.ledger.apply({ verb: 'reap', limit })

export function nodesContract(use: Use): void {
  test('a node id has one living node; after it left, the next has a later epoch', async () => {
    const { storage, raw } = use()
    expect(await join(storage, 1)).toEqual(result('done', 1n))
    expect(await join(storage, 1)).toEqual(result('node_taken'))
    expect(await join(storage, 2)).toEqual(result('done', 1n))
    expect(await leave(storage, { nodeId: 1, epoch: 1 })).toEqual(result('done'))
    expect(await join(storage, 1)).toEqual(result('done', 2n))
    expect(await leave(storage, { nodeId: 1, epoch: 1 })).toEqual(result('repeated'))
    expect(await leave(storage, { nodeId: 7, epoch: 1 })).toEqual(result('repeated'))
    expect(await renew(storage, { nodeId: 1, epoch: 2 })).toEqual(result('done', 1n))
    const nodes = await raw('SELECT node_id, epoch, config FROM node ORDER BY node_id')
    expect(nodes.map((row) => [Number(row.node_id), Number(row.epoch), row.config])).toEqual([
      [1, 2, 'renewed'],
      [2, 1, 'joined'],
    ])
  })

  test('the living are listed with what they published; those that left or died are not', async () => {
    const { storage, elapse } = use()
    await join(storage, 2)
    await elapse(DEAD_AFTER_MS / 2)
    const [renewed, left] = [await newNode(storage, 7), await newNode(storage, 5)]
    await renew(storage, renewed)
    await leave(storage, left)
    const [former, living] = [
      { nodeId: 2, config: 'joined' },
      { nodeId: 7, config: 'renewed' },
    ]
    expect(await storage.nodes.live()).toEqual([former, living])
    await elapse(DEAD_AFTER_MS / 2)
    expect(await storage.nodes.live()).toEqual([living])
  })

  test('of many that join with one node id at once, one gets it', async () => {
    const { storage } = use()
    const results = await Promise.all(Array.from({ length: 20 }, () => join(storage, 3)))
    expect(results.filter(({ verdict }) => verdict === 'done')).toHaveLength(1)
  })

  test('renewing keeps a node alive; a dead one is lost and its id is free', async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await elapse(DEAD_AFTER_MS / 2)
    expect(await renew(storage, node)).toEqual(result('done', 1n))
    await elapse(DEAD_AFTER_MS / 2)
    expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('done', 100n))
    await elapse(DEAD_AFTER_MS)
    expect(await storage.ledger.apply(hold(2n, wallet, node))).toEqual(result('node_lost'))
    expect(await renew(storage, node)).toEqual(result('node_lost'))
    expect(await join(storage, node.nodeId)).toEqual(result('done', BigInt(node.epoch + 1)))
    expect(await renew(storage, node)).toEqual(result('node_lost'))
  })

  describe('a renewal is told of lost commits when the database lacks', () => {
    const LOST: Record<string, string> = {
      'the node': 'DELETE FROM node',
      'the join of its process': 'UPDATE node SET epoch = epoch - 1',
      'its last renewal': 'UPDATE node SET renewals = renewals - 1',
      'its last renewal, long ago': 'UPDATE node SET renewals = renewals - 1, renewed_at = 0',
      'the end of a request': 'UPDATE request SET state = 0',
      'a request': 'DELETE FROM request',
    }
    test.each(Object.entries(LOST))('%s', async (_what, statement) => {
      const { storage, raw, reopen } = use()
      const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
      expect(await witnessed(storage, node, 0)).toEqual(result('done', 1n))
      expect(await witnessed(storage, node, 1)).toEqual(result('done', 2n))
      await storage.ledger.apply(hold(1n, wallet, node))
      await storage.ledger.apply(voided(1n, node))
      // A renewal whose response was lost counts as well.
      expect(await witnessed(storage, node, 1, 1n)).toEqual(result('done', 3n))
      await raw(statement)
      expect(await witnessed(await reopen(), node, 3, 1n)).toEqual(result('commits_lost'))
    })
  })

  test('a lost request is entered again once, running and with nothing held, and settled at its cost', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 50n, { cap: 1_000n }), await newNode(storage)]
    const other = await newWallet(storage)
    const restore = (account: bigint, key: bigint) =>
      storage.ledger.apply({ verb: 'restore', id: 9n, ...node, account, key, model: 'm', upstream: 'u' })
    expect(await restore(wallet.account, other.key)).toEqual(result('key_invalid'))
    expect(await restore(77n, wallet.key)).toEqual(result('key_invalid'))
    await storage.keys.delete(wallet.key)
    expect(await restore(wallet.account, wallet.key)).toEqual(result('done'))
    expect(await restore(wallet.account, wallet.key)).toEqual(result('repeated'))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 1 })
    const late = settle(9n, node, 60n)
    expect(await storage.ledger.apply(late)).toEqual(charged(50n))
    expect(await storage.ledger.apply(late)).toEqual(result('repeated', 50n))
    expect(await restore(wallet.account, wallet.key)).toEqual(result('repeated'))
    expect(await money(storage, wallet)).toEqual({ balance: 0n, held: 0n, spent: 50n, keyHeld: 0n })
    const row = { state: 1, cost: 50n, shortfall: 10n, model: 'm', upstream: 'u', outcome: 'done' }
    expect(await storage.ledger.findRequest(wallet.account, 9n)).toMatchObject(row)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
  })

  test('a repeated hold is answered even after its node died', async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await elapse(DEAD_AFTER_MS)
    expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('repeated', 100n))
  })

  test('reaping leaves the living alone', async () => {
    const { storage, elapse } = use()
    const [wallet, dead] = [await newWallet(storage), await newNode(storage, 1)]
    await storage.ledger.apply(hold(1n, wallet, dead))
    await elapse(DEAD_AFTER_MS)
    const living = await newNode(storage, 2)
    await storage.ledger.apply(hold(2n, wallet, living))
    expect(await reap(storage)).toEqual(result('done', 1n))
    expect(await reap(storage)).toEqual(result('done', 0n))
    expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([
      { request: 2n, state: 0, outcome: '' },
      { request: 1n, state: 3, outcome: 'reaped', cost: 0n },
    ])
    expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 100n, spent: 0n, keyHeld: 100n })
  })

  test('a successor with the node id makes the holds of the epoch before orphans', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await leave(storage, node)
    const next = await newNode(storage)
    await storage.ledger.apply(hold(2n, wallet, next))
    expect(await reap(storage)).toEqual(result('done', 1n))
    expect((await storage.ledger.usage(wallet.account, 0)).map(({ state }) => state)).toEqual([0, 3])
  })

  test('a limited reap takes the lowest ids first and the rest later', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    for (const id of [4n, 1n, 3n, 2n]) await storage.ledger.apply(hold(id, wallet, node))
    await leave(storage, node)
    expect(await reap(storage, 3)).toEqual(result('done', 3n))
    expect((await storage.ledger.usage(wallet.account, 0)).map(({ state }) => state)).toEqual([0, 3, 3, 3])
    expect(await reap(storage, 3)).toEqual(result('done', 1n))
    expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n, held: 0n })
  })

  const corrections: { name: string; balance: bigint; progress: bigint; cost: bigint | 'void'; reaped: bigint }[] = [
    { name: 'up', balance: 1_000n, progress: 40n, reaped: 40n, cost: 90n },
    { name: 'down', balance: 1_000n, progress: 40n, reaped: 40n, cost: 15n },
    { name: 'to the same', balance: 1_000n, progress: 40n, reaped: 40n, cost: 40n },
    { name: 'to nothing', balance: 1_000n, progress: 40n, reaped: 40n, cost: 'void' },
    { name: 'from nothing', balance: 1_000n, progress: 0n, reaped: 0n, cost: 70n },
    { name: 'beyond what the wallet has', balance: 100n, progress: 40n, reaped: 40n, cost: 170n },
    { name: 'down out of a shortfall', balance: 100n, progress: 130n, reaped: 100n, cost: 110n },
    { name: 'down below a shortfall', balance: 100n, progress: 130n, reaped: 100n, cost: 60n },
  ]
  for (const { name, balance, progress, reaped, cost } of corrections)
    test(`the owner corrects ${name}, once only`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage, balance), await newNode(storage)]
      await storage.ledger.apply(hold(1n, wallet, node))
      await storage.ledger.apply(extend(1n, node, { amount: 0n, minimum: 0n, progress }))
      await leave(storage, node)
      expect(await reap(storage)).toEqual({ ...result('done', 1n), change: reaped })
      expect(await money(storage, wallet)).toEqual({ balance: balance - reaped, held: 0n, spent: reaped, keyHeld: 0n })
      expect((await storage.ledger.audit()).ok).toBe(true)
      const otherNode = await newNode(storage)
      expect(await storage.ledger.apply(settle(1n, otherNode, 1n))).toEqual(result('not_open'))
      expect(await storage.ledger.apply(extend(1n, node))).toEqual(result('not_open'))
      expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('not_open'))

      const correction = cost === 'void' ? voided(1n, node) : settle(1n, node, cost)
      const wanted = cost === 'void' ? 0n : cost
      const paid = wanted < balance ? wanted : balance
      expect(await storage.ledger.apply(correction)).toEqual(charged(paid, paid - reaped))
      expect(await storage.ledger.apply(settle(1n, node, 77n))).toEqual(result('repeated', paid))
      expect(await money(storage, wallet)).toEqual({ balance: balance - paid, held: 0n, spent: paid, keyHeld: 0n })
      expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([
        { state: cost === 'void' ? 2 : 1, cost: paid, shortfall: wanted - paid },
      ])
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

  test('what was committed is there after the next start', async () => {
    const { storage, reopen } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(settle(1n, node, 60n))
    await storage.ledger.apply(hold(2n, wallet, node))
    const again = await reopen()
    expect(await money(again, wallet)).toEqual({ balance: 940n, held: 100n, spent: 60n, keyHeld: 100n })
    expect(await again.ledger.apply(settle(2n, node, 5n))).toEqual(charged(5n))
    expect((await again.ledger.audit()).ok).toBe(true)
  })

  test('closing commits all earlier verbs', async () => {
    const { storage, reopen } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const holds = [1n, 2n, 3n].map((id) => storage.ledger.apply(hold(id, wallet, node)))
    const again = await reopen()
    expect(await Promise.all(holds)).toEqual(holds.map(() => result('done', 100n)))
    expect(await money(again, wallet)).toMatchObject({ held: 300n })
  })

  test('a store that answers can be pinged', async () => {
    expect(await use().storage.ping()).toBeUndefined()
  })
}
