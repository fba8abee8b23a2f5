// A cap is a promise: whatever an upstream reports, no more than the cap is taken. What is owed beyond is shortfall.
import { expect, test } from 'bun:test'
import { endOf, PERIODS } from '../../src/money/limits.ts'
import {
  charged,
  extend,
  hold,
  type KeyFields,
  newKey,
  newNode,
  newWallet,
  result,
  settle,
  type Use,
  voided,
} from './harness.ts'

const PLENTY = 100_000n

export function capsContract(use: Use): void {
  const kinds: { name: string; key: KeyFields }[] = [
    { name: 'for all time', key: { cap: 300n } },
    ...PERIODS.map((period) => ({ name: `by the ${period}`, key: { cap: 300n, capPeriod: period } })),
  ]
  for (const { name, key } of kinds) {
    test(`a cap ${name}: a request more expensive than its hold takes what the cap leaves, and other holds stay`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage, PLENTY, key), await newNode(storage)]
      const spent = async () => (await storage.keys.findWithAccount(wallet.key))?.key.spentUnderCap
      await storage.ledger.apply(hold(1n, wallet, node))
      await storage.ledger.apply(hold(2n, wallet, node, { amount: 120n, minimum: 120n }))
      expect(await storage.ledger.apply(settle(1n, node, 5_000n))).toEqual(charged(180n))
      expect(await spent()).toBe(180n)
      expect(await storage.ledger.apply(hold(3n, wallet, node, { minimum: 1n }))).toEqual(result('key_cap_reached', 0n))
      // The other has all that it held, and not a nano-dollar more.
      expect(await storage.ledger.apply(settle(2n, node, 121n))).toEqual(charged(120n))
      expect(await spent()).toBe(300n)
      expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([
        { request: 2n, cost: 120n, shortfall: 1n },
        { request: 1n, cost: 180n, shortfall: 4_820n },
      ])
      expect(await storage.keys.findWithAccount(wallet.key)).toMatchObject({
        account: { balance: PLENTY - 300n, held: 0n },
      })
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    })

    test(`a cap ${name}: 40 at once, each a hundred times more expensive than its hold`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage, PLENTY, key), await newNode(storage)]
      const ids = Array.from({ length: 40 }, (_, index) => BigInt(index + 1))
      const want = { amount: 20n, minimum: 20n }
      const held = await Promise.all(ids.map((id) => storage.ledger.apply(hold(id, wallet, node, want))))
      const served = ids.filter((_, index) => held[index]?.verdict === 'done')
      expect(served).toHaveLength(15)
      const charged = await Promise.all(served.map((id) => storage.ledger.apply(settle(id, node, 2_000n))))
      for (const { verdict, amount } of charged)
        expect({ verdict, held: amount >= 20n }).toEqual({ verdict: 'done', held: true })
      expect((await storage.keys.findWithAccount(wallet.key))?.key).toMatchObject({
        spent: 300n,
        spentUnderCap: 300n,
        held: 0n,
      })
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    })
  }

  test('the smaller of the available balance and the rest of the cap is taken', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 250n, { cap: 300n }), await newNode(storage)]
    const other = { ...wallet, key: (await newKey(storage, wallet.account)).id }
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(hold(2n, other, node, { amount: 30n, minimum: 30n }))
    expect(await storage.ledger.apply(settle(1n, node, 1_000n))).toEqual(charged(220n))
    // A key without a cap has what is left of the wallet.
    expect(await storage.ledger.apply(settle(2n, node, 1_000n))).toEqual(charged(30n))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('a cap that renews: what is charged after its end counts in the new period, and stays under it', async () => {
    const opened = use()
    const { storage } = opened
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const [wallet, node] = [await newWallet(storage, PLENTY, { cap: 300n, capPeriod: 'day' }), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(hold(2n, wallet, node))
    expect(await storage.ledger.apply(settle(1n, node, 900n))).toEqual(charged(200n))
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    // Yesterday's 200 are no longer counted.
    expect(await storage.ledger.apply(settle(2n, node, 900n))).toEqual(charged(300n))
    expect((await storage.keys.findWithAccount(wallet.key))?.key).toMatchObject({ spent: 500n, spentUnderCap: 300n })
  })

  const corrections: { name: string; progress: bigint; cost: bigint; paid: bigint }[] = [
    { name: 'up to the cap', progress: 40n, cost: 900n, paid: 150n },
    { name: 'up within the cap', progress: 40n, cost: 90n, paid: 90n },
    { name: 'down', progress: 80n, cost: 30n, paid: 30n },
    { name: 'up out of a reaping that was short already', progress: 900n, cost: 950n, paid: 150n },
    { name: 'down out of a reaping that was short already', progress: 900n, cost: 60n, paid: 60n },
  ]
  for (const { name, progress, cost, paid } of corrections)
    test(`the owner of a reaped request corrects ${name}`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage, PLENTY, { cap: 150n }), await newNode(storage)]
      await storage.ledger.apply(hold(1n, wallet, node))
      await storage.ledger.apply(extend(1n, node, { amount: 0n, minimum: 0n, progress }))
      await storage.ledger.apply({ verb: 'leave', ...node })
      await storage.ledger.apply({ verb: 'reap', limit: 1 })
      const reaped = progress < 150n ? progress : 150n
      expect((await storage.keys.findWithAccount(wallet.key))?.key.spent).toBe(reaped)
      expect(await storage.ledger.apply(settle(1n, node, cost))).toEqual(charged(paid, paid - reaped))
      expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([{ cost: paid, shortfall: cost - paid }])
      expect((await storage.keys.findWithAccount(wallet.key))?.key).toMatchObject({ spent: paid, spentUnderCap: paid })
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    })

  test('funds that other requests release under the cap are available to the next', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, PLENTY, { cap: 300n }), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node))
    await storage.ledger.apply(hold(2n, wallet, node))
    await storage.ledger.apply(voided(2n, node))
    expect(await storage.ledger.apply(settle(1n, node, 280n))).toEqual(charged(280n))
    expect(await storage.ledger.usage(wallet.account, 1, 2n)).toMatchObject([{ cost: 280n, shortfall: 0n }])
  })
}
