import { expect, test } from 'bun:test'
import { DEAD_AFTER_MS, type Hold, type Result } from '../../src/money/ledger.ts'
import type { UsageRow } from '../../src/storage/storage.ts'
import {
  charged,
  extend,
  hold,
  money,
  newKey,
  newNode,
  newWallet,
  result,
  settle,
  thrownBy,
  type Use,
  voided,
  type Wallet,
} from './harness.ts'

export function verbsContract(use: Use): void {
  test('hold, then settle: the cost moves, the rest is free again', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('done', 100n))
    expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 100n, spent: 0n, keyHeld: 100n })
    expect(await storage.ledger.apply(settle(1n, node, 60n))).toEqual(charged(60n))
    expect(await money(storage, wallet)).toEqual({ balance: 940n, held: 0n, spent: 60n, keyHeld: 0n })
    expect(await storage.ledger.usage(wallet.account, 0)).toEqual([
      {
        heldAt: expect.any(Number),
        tokens: 0,
        request: 1n,
        key: wallet.key,
        model: 'model-x',
        upstream: 'main',
        state: 1,
        outcome: 'done',
        held: 100n,
        cost: 60n,
        shortfall: 0n,
        receipt: '{"units":1}',
        tags: [],
        endUser: '',
        session: '',
        budgets: [],
      },
    ])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 1, openHolds: 0, transfers: 2 })
  })

  test('void costs nothing and leaves its row', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    expect(await storage.ledger.apply(voided(1n, node))).toEqual(result('done', 0n))
    expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 0n, spent: 0n, keyHeld: 0n })
    expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([{ state: 2, outcome: 'failed', cost: 0n }])
  })

  test("a settlement after a repetition took the reaped request over is the operator's shortfall, once", async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(hold(2n, wallet, node))
    await elapse(DEAD_AFTER_MS)
    expect(await storage.ledger.apply({ verb: 'reap', limit: 10 })).toEqual(result('done', 2n))
    expect(await storage.ledger.apply(voided(1n, node, { outcome: 'reaped', receipt: '' }))).toEqual(result('done', 0n))
    const late = settle(1n, node, 60n, { tokens: 9, receipt: '{"units":1}' })
    expect(await storage.ledger.apply(late)).toEqual(result('done', 0n))
    expect(await storage.ledger.apply(late)).toEqual(result('repeated', 0n))
    expect(await storage.ledger.apply(voided(1n, node))).toEqual(result('repeated', 0n))
    expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 0n, spent: 0n, keyHeld: 0n })
    const lost = { state: 1, outcome: 'done', cost: 0n, shortfall: 60n, receipt: '{"units":1}' }
    expect(await storage.ledger.findRequest(wallet.account, 1n)).toMatchObject(lost)
    // Without a repetition the caller pays, as before.
    expect(await storage.ledger.apply(settle(2n, node, 60n))).toEqual(charged(60n))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('a receipt of an earlier version that is larger than any of this one is not read', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const receipt = JSON.stringify({ warnings: ['x'.repeat(1_000_000)] })
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply({ ...settle(1n, node, 60n), receipt })
    const cut = '{"warnings":["receipt;cut"]}'
    expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([{ cost: 60n, receipt: cut }])
    expect(await storage.ledger.findRequest(wallet.account, 1n)).toMatchObject({ cost: 60n, receipt: cut })
  })

  test('settling at nothing is not a void', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    expect(await storage.ledger.apply(settle(1n, node, 0n))).toEqual(charged(0n))
    expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([{ state: 1, outcome: 'done' }])
  })

  const grants: { name: string; balance: bigint; cap?: bigint; want: [bigint, bigint]; gets: Result }[] = [
    { name: 'all of it', balance: 100n, want: [100n, 100n], gets: result('done', 100n) },
    { name: 'what the wallet has', balance: 70n, want: [100n, 50n], gets: result('done', 70n) },
    { name: 'exactly the minimum', balance: 50n, want: [100n, 50n], gets: result('done', 50n) },
    { name: 'no less than the minimum', balance: 49n, want: [100n, 50n], gets: result('no_balance', 49n) },
    { name: 'what the cap leaves', balance: 100n, cap: 60n, want: [100n, 50n], gets: result('done', 60n) },
    { name: 'no less under a cap', balance: 100n, cap: 49n, want: [100n, 50n], gets: result('key_cap_reached', 49n) },
    { name: 'the wallet before the cap', balance: 10n, cap: 20n, want: [50n, 30n], gets: result('no_balance', 10n) },
    { name: 'nothing, for nothing', balance: 0n, cap: 0n, want: [0n, 0n], gets: result('done', 0n) },
  ]
  for (const { name, balance, cap, want, gets } of grants)
    test(`hold grants ${name}`, async () => {
      const { storage } = use()
      const wallet = await newWallet(storage, balance, cap === undefined ? {} : { cap })
      const [amount, minimum] = want
      expect(await storage.ledger.apply(hold(1n, wallet, await newNode(storage), { amount, minimum }))).toEqual(gets)
      const granted = gets.verdict === 'done' ? gets.amount : 0n
      expect(await money(storage, wallet)).toEqual({ balance, held: granted, spent: 0n, keyHeld: granted })
    })

  test('an extension is granted down to its minimum, and progress is kept even when it is rejected', async () => {
    const { storage, raw } = use()
    const [wallet, node] = [await newWallet(storage, 130n), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    expect(await storage.ledger.apply(extend(1n, node, { minimum: 30n, progress: 40n }))).toEqual(result('done', 30n))
    expect(await storage.ledger.apply(extend(1n, node, { progress: 90n }))).toEqual(result('no_balance', 0n))
    await storage.ledger.apply(extend(1n, node, { progress: 5n }))
    expect((await raw('SELECT progress FROM request')).map((row) => Number(row.progress))).toEqual([90])
    expect(await money(storage, wallet)).toEqual({ balance: 130n, held: 130n, spent: 0n, keyHeld: 130n })
    expect(await storage.ledger.apply(settle(1n, node, 120n))).toEqual(charged(120n))
    expect(await money(storage, wallet)).toEqual({ balance: 10n, held: 0n, spent: 120n, keyHeld: 0n })
  })

  test('a cap counts what is spent and what is held', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n, { cap: 150n }), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(settle(1n, node, 60n))
    expect(await storage.ledger.apply(hold(2n, wallet, node, { amount: 80n, minimum: 80n }))).toEqual(
      result('done', 80n),
    )
    expect(await storage.ledger.apply(hold(3n, wallet, node, { minimum: 11n }))).toEqual(result('key_cap_reached', 10n))
    const other = await newKey(storage, wallet.account)
    expect(await storage.ledger.apply(hold(3n, { ...wallet, key: other.id }, node))).toEqual(result('done', 100n))
  })

  test('a cost beyond the hold is taken from the available balance, and the rest is shortfall', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 250n), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(hold(2n, wallet, node))
    expect(await storage.ledger.apply(settle(1n, node, 500n))).toEqual(charged(150n))
    expect(await money(storage, wallet)).toEqual({ balance: 100n, held: 100n, spent: 150n, keyHeld: 100n })
    expect(await storage.ledger.apply(settle(2n, node, 100n))).toEqual(charged(100n))
    expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([
      { request: 2n, cost: 100n, shortfall: 0n },
      { request: 1n, cost: 150n, shortfall: 350n },
    ])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  type Prepare = (storage: ReturnType<Use>['storage'], wallet: Wallet) => Promise<unknown>
  const rejections: { name: string; prepare?: Prepare; fields?: Partial<Hold>; verdict: Result['verdict'] }[] = [
    { name: 'a deleted key', prepare: (storage, { key }) => storage.keys.delete(key), verdict: 'key_invalid' },
    { name: 'an unknown key', fields: { key: 987_654n }, verdict: 'key_invalid' },
    { name: 'an unknown account', fields: { account: 987_654n }, verdict: 'key_invalid' },
    { name: 'an unknown node id', fields: { nodeId: 77 }, verdict: 'node_lost' },
    { name: 'an epoch to come', fields: { epoch: 2 }, verdict: 'node_lost' },
    { name: 'an epoch gone by', fields: { epoch: 0 }, verdict: 'node_lost' },
    {
      name: 'a disabled account',
      prepare: (storage, { account }) => storage.accounts.setDisabled(account, true),
      verdict: 'account_disabled',
    },
  ]
  for (const { name, prepare, fields = {}, verdict } of rejections)
    test(`no hold for ${name}`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage), await newNode(storage)]
      await prepare?.(storage, wallet)
      expect(await storage.ledger.apply(hold(1n, wallet, node, fields))).toEqual(result(verdict))
      expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 0n, spent: 0n, keyHeld: 0n })
      expect(await storage.ledger.usage(wallet.account, 0)).toEqual([])
    })

  test('no hold for an expired key, nor for a key of another account', async () => {
    const { storage } = use()
    const node = await newNode(storage)
    const [expired, lasting] = [await newWallet(storage, 9n, { expiresAt: 1 }), await newWallet(storage)]
    expect(await storage.ledger.apply(hold(1n, expired, node))).toEqual(result('key_expired'))
    expect(await storage.ledger.apply(hold(1n, { ...lasting, key: expired.key }, node))).toEqual(result('key_invalid'))
    const later = await newKey(storage, lasting.account, { expiresAt: Date.now() + 86_400_000 })
    expect(await storage.ledger.apply(hold(1n, { ...lasting, key: later.id }, node))).toEqual(result('done', 100n))
  })

  test('what is changed between two holds counts for the second', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 100n), await newNode(storage)]
    expect(await storage.ledger.apply(hold(1n, wallet, node))).toEqual(result('done', 100n))
    await storage.accounts.credit(wallet.account, 150n, 'more')
    expect(await storage.ledger.apply(hold(2n, wallet, node))).toEqual(result('done', 100n))
    expect(await storage.accounts.credit(wallet.account, -51n, 'only 50 are free')).toBe(false)
    await storage.accounts.setDisabled(wallet.account, true)
    expect(await storage.ledger.apply(hold(3n, wallet, node, { minimum: 1n }))).toEqual(result('account_disabled'))
    await storage.accounts.setDisabled(wallet.account, false)
    await storage.keys.delete(wallet.key)
    expect(await storage.ledger.apply(hold(3n, wallet, node, { minimum: 1n }))).toEqual(result('key_invalid'))
    expect(await money(storage, wallet)).toMatchObject({ balance: 250n, held: 200n })
  })

  test('a running request is not touched by deleting its key or disabling its account', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.keys.delete(wallet.key)
    await storage.accounts.setDisabled(wallet.account, true)
    expect(await storage.ledger.apply(extend(1n, node))).toEqual(result('done', 50n))
    expect(await storage.ledger.apply(settle(1n, node, 120n))).toEqual(charged(120n))
  })

  test('a repeated verb gives the first answer and changes nothing', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 70n), await newNode(storage)]
    const first = hold(1n, wallet, node, { minimum: 10n })
    expect(await storage.ledger.apply(first)).toEqual(result('done', 70n))
    expect(await storage.ledger.apply(first)).toEqual(result('repeated', 70n))
    expect(await storage.ledger.apply(settle(1n, node, 30n))).toEqual(charged(30n))
    for (const verb of [settle(1n, node, 30n), settle(1n, node, 65n), voided(1n, node)])
      expect(await storage.ledger.apply(verb)).toEqual(result('repeated', 30n))
    expect(await storage.ledger.apply(first)).toEqual(result('not_open'))
    expect(await storage.ledger.apply(extend(1n, node))).toEqual(result('not_open'))
    expect(await money(storage, wallet)).toEqual({ balance: 40n, held: 0n, spent: 30n, keyHeld: 0n })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 1, transfers: 2 })
  })

  test('only its owner changes a request, and an unknown one cannot be changed', async () => {
    const { storage } = use()
    const [wallet, node, otherNode] = [await newWallet(storage), await newNode(storage), await newNode(storage, 2)]
    await storage.ledger.apply(hold(1n, wallet, node))
    for (const other of [otherNode, { ...node, epoch: node.epoch + 1 }])
      for (const verb of [extend(1n, other), settle(1n, other, 5n), voided(1n, other), hold(1n, wallet, other)])
        expect(await storage.ledger.apply(verb)).toEqual(result('not_open'))
    for (const verb of [extend(2n, node), settle(2n, node, 5n), voided(2n, node)])
      expect(await storage.ledger.apply(verb)).toEqual(result('unknown_request'))
    expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n, held: 100n })
  })

  for (const { name, minimum } of [
    { name: 'in full', minimum: 100n },
    { name: 'in part', minimum: 1n },
  ])
    test(`200 holds race for a balance of 10, granted ${name}: never overspent`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
      const ids = Array.from({ length: 200 }, (_, index) => BigInt(index + 1))
      const results = await Promise.all(ids.map((id) => storage.ledger.apply(hold(id, wallet, node, { minimum }))))
      const granted = results.filter(({ verdict }) => verdict === 'done')
      expect(granted).toHaveLength(10)
      expect(granted.reduce((sum, { amount }) => sum + amount, 0n)).toBe(1_000n)
      expect(results.filter(({ verdict }) => verdict === 'no_balance')).toHaveLength(190)
      expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 1_000n, spent: 0n, keyHeld: 1_000n })
    })

  test('of many verbs that settle or void one request at once, one takes effect and all return its cost', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    const verbs = Array.from({ length: 30 }, (_, index) => (index % 3 ? settle(1n, node, 40n) : voided(1n, node)))
    const results = await Promise.all(verbs.map((verb) => storage.ledger.apply(verb)))
    const winner = results.filter(({ verdict }) => verdict === 'done')
    expect(winner).toHaveLength(1)
    expect(new Set(results.map(({ amount }) => amount))).toEqual(new Set([winner[0]?.amount as bigint]))
    expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n - (winner[0]?.amount as bigint), held: 0n })
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('an impossible verb fails alone: its neighbours in the batch are kept', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 10_000n), await newNode(storage)]
    const bad = [
      hold(3n, wallet, node, { amount: -5n, minimum: -5n }),
      hold(4n, wallet, node, { amount: 1n << 70n }),
      hold(0n, wallet, node),
      hold(1n << 63n, wallet, node),
      settle(1n, node, -1n),
      ...[-1, 1.5, Number.NaN, 2 ** 53].flatMap((tokens) => [
        hold(3n, wallet, node, { tokens }),
        hold(3n, wallet, node, { minimumTokens: tokens }),
        hold(3n, wallet, node, { revision: tokens }),
        extend(1n, node, { tokens }),
        settle(1n, node, 1n, { tokens }),
      ]),
    ]
    const good = [hold(1n, wallet, node), hold(2n, wallet, node)]
    const settled = await Promise.allSettled([...bad, ...good].map((verb) => storage.ledger.apply(verb)))
    const failed = settled.filter((each) => each.status === 'rejected')
    expect(failed.map(({ reason }) => reason instanceof RangeError)).toEqual(bad.map(() => true))
    expect(await money(storage, wallet)).toMatchObject({ balance: 10_000n, held: 200n })
  })

  for (const text of ['a\0b', 'a\ud800'])
    test(`${JSON.stringify(text)} is rejected in a request's texts`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage), await newNode(storage)]
      for (const fields of [{ model: text }, { upstream: text }])
        expect(await thrownBy(storage.ledger.apply(hold(1n, wallet, node, fields)))).toBeInstanceOf(TypeError)
      await storage.ledger.apply(hold(1n, wallet, node))
      for (const fields of [{ outcome: text }, { receipt: text }])
        expect(await thrownBy(storage.ledger.apply(settle(1n, node, 5n, fields)))).toBeInstanceOf(TypeError)
      expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n, held: 100n })
    })

  test('one request is found by its owner and by no other account', async () => {
    const { storage, now } = use()
    const [wallet, other, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
    await storage.ledger.apply(hold(5n, wallet, node, { tokens: 40 }))
    const open = { request: 5n, key: wallet.key, state: 0, held: 100n, heldAt: now(), tokens: 40 }
    expect(await storage.ledger.findRequest(wallet.account, 5n)).toMatchObject(open)
    await storage.ledger.apply(settle(5n, node, 60n, { tokens: 33 }))
    expect(await storage.ledger.findRequest(wallet.account, 5n)).toMatchObject({ state: 1, cost: 60n, tokens: 33 })
    expect(await storage.ledger.findRequest(wallet.account, 5n)).toEqual(
      (await storage.ledger.usage(wallet.account, 1))[0] as UsageRow,
    )
    expect(await storage.ledger.findRequest(other.account, 5n)).toBeUndefined()
    expect(await storage.ledger.findRequest(wallet.account, 6n)).toBeUndefined()
    for (const id of [0n, -1n, 1n << 63n])
      expect(await thrownBy(storage.ledger.findRequest(wallet.account, id))).toBeInstanceOf(RangeError)
  })

  test('usage is newest first, by account, limited or whole', async () => {
    const { storage } = use()
    const [wallet, other, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
    for (const id of [5n, 2n, 9n, 7n]) await storage.ledger.apply(hold(id, wallet, node, { amount: 1n, minimum: 1n }))
    await storage.ledger.apply(hold(8n, other, node))
    const ids = async (limit: number, before?: bigint) =>
      (await storage.ledger.usage(wallet.account, limit, before)).map(({ request }) => request)
    expect(await ids(0)).toEqual([9n, 7n, 5n, 2n])
    expect(await ids(3)).toEqual([9n, 7n, 5n])
    expect(await ids(100)).toEqual([9n, 7n, 5n, 2n])
    expect(await ids(2, 9n)).toEqual([7n, 5n])
    expect(await ids(0, 7n)).toEqual([5n, 2n])
    expect(await ids(10, 2n)).toEqual([])
  })
}
