// Many requests at once under one hard budget: not a nano-dollar more than its amount, whatever it is of, and however they end.
import { expect, test } from 'bun:test'
import type { NewBudget } from '../../../src/storage/storage.ts'
import { extend, hold, newBudget, newHolder, newKey, newNode, settle, type Use, voided } from '../harness.ts'

const AT_ONCE = 50

export function budgetRacesContract(use: Use): void {
  const kinds: ((ids: { account: bigint; person: bigint; key: bigint }) => Partial<NewBudget>)[] = [
    ({ account }) => ({ kind: 'account', account }),
    ({ account, person }) => ({ kind: 'member', account, person }),
    ({ account, key }) => ({ kind: 'key', account, key }),
    ({ account, key }) => ({ kind: 'key_model', account, key, model: 'model-x' }),
    ({ account }) => ({ kind: 'tag', account, value: 'team=search' }),
    ({ account }) => ({ kind: 'end_user', account, value: 'u_1' }),
  ]
  for (const kind of kinds)
    test(`${AT_ONCE} requests of two nodes under a budget of the kind ${kind({ account: 1n, person: 1n, key: 1n }).kind}`, async () => {
      const { storage } = use()
      const { account, person } = await newHolder(storage)
      await storage.accounts.credit(account, 1_000_000n, 'enough')
      const key = (await newKey(storage, account, { person })).id
      const [one, other] = [await newNode(storage), await newNode(storage, 2)]
      const { id } = await newBudget(storage, { ...kind({ account, person, key }), amount: 1_003n })
      const wallet = { account, key, email: '' }
      const of = { budgets: [id], revision: 1, amount: 60n, minimum: 50n, model: 'model-x' }
      const nodeOf = (request: bigint) => (request % 2n === 0n ? one : other)
      const ids = Array.from({ length: AT_ONCE }, (_, index) => BigInt(index + 1))
      const apply = storage.ledger.apply
      const held = await Promise.all(ids.map((request) => apply(hold(request, wallet, nodeOf(request), of))))
      expect(held.filter(({ verdict }) => verdict === 'budget_reached').length).toBeGreaterThan(20)
      const served = ids.filter((_, index) => held[index]?.verdict === 'done')
      const granted = held.reduce((sum, { verdict, amount }) => sum + (verdict === 'done' ? amount : 0n), 0n)
      expect(await storage.budgets.find(id)).toMatchObject({ held: granted })
      expect(granted).toBeLessThanOrEqual(1_003n)
      // All end at once, and more come: dearer than their holds, for nothing, and by the reaper.
      await Promise.all([
        ...served.map((request) => {
          const node = nodeOf(request)
          if (request % 5n === 0n) return apply(voided(request, node))
          if (request % 5n === 1n)
            return apply(extend(request, node, { known: 60n, amount: 500n, minimum: 1n, progress: 999n }))
          return apply(settle(request, node, 2_000n))
        }),
        ...ids.map((request) => apply(hold(100n + request, wallet, nodeOf(request), { ...of, minimum: 1n }))),
      ])
      await apply({ verb: 'leave', ...one })
      await apply({ verb: 'leave', ...other })
      while ((await apply({ verb: 'reap', limit: 7 })).amount > 0n);
      // Their owners return, and say what it had cost.
      await Promise.all(
        [...served, ...ids.map((request) => 100n + request)].map((request) =>
          apply(settle(request, nodeOf(request), 90n)),
        ),
      )
      const budget = await storage.budgets.find(id)
      expect(budget).toMatchObject({ held: 0n })
      expect(budget?.spent).toBeLessThanOrEqual(1_003n)
      const rows = await storage.ledger.usage(account, 0)
      expect(rows.reduce((sum, { cost }) => sum + cost, 0n)).toBe(budget?.spent ?? -1n)
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    })

  test('budgets change and go while requests begin and end', async () => {
    const { storage } = use()
    const { account } = await newHolder(storage)
    await storage.accounts.credit(account, 1_000_000n, 'enough')
    const key = (await newKey(storage, account)).id
    const node = await newNode(storage)
    const first = await newBudget(storage, { account, amount: 5_000n })
    const second = await newBudget(storage, { account, amount: 4_000n, period: 'day' })
    let revision = 2
    const wallet = { account, key, email: '' }
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        const request = BigInt(index + 1)
        if (index % 10 === 5) {
          revision += 1
          await storage.budgets.change(first.id, { amount: BigInt(2_000 + 100 * index) })
        }
        const of = { budgets: [first.id, second.id], revision, minimum: 1n }
        await storage.ledger.apply(hold(request, wallet, node, of))
        await storage.ledger.apply(settle(request, node, 70n))
        if (index === 25) await storage.budgets.delete(second.id)
      }),
    )
    for (const { id } of [first, second]) expect(await storage.budgets.find(id)).toMatchObject({ held: 0n })
    const rows = await storage.ledger.usage(account, 0)
    const spent = (id: bigint) =>
      rows.filter(({ budgets }) => budgets.includes(id)).reduce((sum, { cost }) => sum + cost, 0n)
    for (const { id } of [first, second]) expect((await storage.budgets.find(id))?.spent).toBe(spent(id))
    expect(spent(first.id)).toBeGreaterThan(0n)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })
}
