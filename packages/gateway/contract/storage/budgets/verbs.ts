// A hard budget is a promise, as a cap is: no more than its amount is held and spent in a period, whatever an upstream reports.
import { expect, test } from 'bun:test'
import type { BudgetTerms } from '../../../src/money/budgets/budget.ts'
import { endOf } from '../../../src/money/limits.ts'
import {
  charged,
  extend,
  hold,
  newAccount,
  newBudget,
  newKey,
  newNode,
  newWallet,
  result,
  settle,
  thrownBy,
  type Use,
  voided,
} from '../harness.ts'

const PLENTY = 100_000n
const HOUR_MS = 3_600_000

export function budgetsContract(use: Use): void {
  const kinds: { name: string; terms: Omit<BudgetTerms, 'amount'> }[] = [
    { name: 'for all time', terms: { period: undefined, everyHours: undefined, startsAt: undefined } },
    ...(['day', 'week', 'month'] as const).map((period) => ({
      name: `by the ${period}`,
      terms: { period, everyHours: undefined, startsAt: undefined },
    })),
    { name: 'every 5 hours', terms: { period: 'hours', everyHours: 5, startsAt: 7 * HOUR_MS } },
  ]
  for (const { name, terms } of kinds)
    test(`a budget ${name}: holds take what is left, and a charge beyond its hold takes no more`, async () => {
      const { storage } = use()
      const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
      const { id } = await newBudget(storage, { account: wallet.account, amount: 300n, ...terms })
      const of = { budgets: [id], revision: 1 }
      const apply = storage.ledger.apply
      expect(await apply(hold(1n, wallet, node, of))).toEqual({ ...result('done', 100n), budgetsLeft: [300n] })
      expect(await apply(hold(2n, wallet, node, { ...of, amount: 120n, minimum: 120n }))).toMatchObject({
        budgetsLeft: [200n],
      })
      expect(await storage.budgets.find(id)).toMatchObject({ held: 220n, spent: 0n, spentNow: 0n, left: 80n })
      expect(await apply(hold(3n, wallet, node, of))).toEqual({ ...result('budget_reached', 80n), budget: id })
      expect(await apply(hold(4n, wallet, node, { ...of, minimum: 1n }))).toMatchObject({ amount: 80n })
      expect(await apply(extend(1n, node, { known: 100n }))).toEqual({ ...result('budget_reached', 0n), budget: id })
      expect(await apply(voided(4n, node))).toEqual(charged(0n))
      expect(await apply(extend(1n, node, { known: 100n }))).toEqual(result('done', 50n))
      // The other holds 120 of the 300.
      expect(await apply(settle(1n, node, 5_000n))).toEqual(charged(180n))
      expect(await storage.budgets.find(id)).toMatchObject({ held: 120n, spent: 180n, spentNow: 180n, left: 0n })
      expect(await apply(settle(2n, node, 121n))).toEqual(charged(120n))
      expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 300n, spentNow: 300n, left: 0n })
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    })

  test('every 5 hours from a start: what is spent counts until the next of them', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
    const startsAt = opened.now() - 2 * HOUR_MS
    const terms = { period: 'hours', everyHours: 5, startsAt } as const
    const { id, periodEndsAt } = await newBudget(storage, { account: wallet.account, amount: 100n, ...terms })
    const of = { budgets: [id], revision: 1 }
    expect(periodEndsAt).toBe(startsAt + 5 * HOUR_MS)
    await storage.ledger.apply(hold(1n, wallet, node, of))
    await storage.ledger.apply(settle(1n, node, 100n))
    expect(await storage.ledger.apply(hold(2n, wallet, node, of))).toMatchObject({ verdict: 'budget_reached' })
    await opened.elapse(3 * HOUR_MS)
    const again = await newNode(storage, 2)
    expect(await storage.budgets.find(id)).toMatchObject({ spent: 100n, spentNow: 0n, left: 100n })
    expect(await storage.ledger.apply(hold(3n, wallet, again, of))).toMatchObject({ verdict: 'done' })
  })

  test('what is charged after the end of a period counts in the new one, and a hold of before still counts', async () => {
    const opened = use()
    const { storage } = opened
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
    const { id } = await newBudget(storage, { account: wallet.account, amount: 300n, period: 'day' })
    const of = { budgets: [id], revision: 1 }
    for (const request of [1n, 2n]) await storage.ledger.apply(hold(request, wallet, node, of))
    expect(await storage.ledger.apply(settle(1n, node, 900n))).toEqual(charged(200n))
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    expect(await storage.budgets.find(id)).toMatchObject({ held: 100n, spentNow: 0n, left: 200n })
    expect(await storage.ledger.apply(settle(2n, node, 900n))).toEqual(charged(300n))
    expect(await storage.budgets.find(id)).toMatchObject({ spent: 500n, spentNow: 300n, left: 0n })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('the first of several that is reached is named, after the caps; the least of them is granted', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, PLENTY, { cap: 500n }), await newNode(storage)]
    const made = []
    for (const amount of [90n, 40n, 30n]) made.push(await newBudget(storage, { account: wallet.account, amount }))
    const of = { budgets: made.map(({ id }) => id), revision: 3 }
    const apply = storage.ledger.apply
    expect(await apply(hold(1n, wallet, node, of))).toMatchObject({ verdict: 'budget_reached', budget: made[0]?.id })
    expect(await apply(hold(2n, wallet, node, { ...of, minimum: 50n }))).toMatchObject({ budget: made[1]?.id })
    expect(await apply(hold(3n, wallet, node, { ...of, minimum: 501n }))).toEqual(result('key_cap_reached', 500n))
    expect(await apply(hold(4n, wallet, node, { ...of, minimum: 1n }))).toEqual({
      ...result('done', 30n),
      budgetsLeft: [90n, 40n, 30n],
    })
    // What can be extended takes a share of the least.
    await apply(voided(4n, node))
    expect(await apply(hold(5n, wallet, node, { ...of, minimum: 1n, extensible: true }))).toMatchObject({ amount: 1n })
  })

  test('a soft one counts and limits nothing; nor does one that is deleted, unknown or of another account', async () => {
    const { storage } = use()
    const [wallet, other, node] = [await newWallet(storage, PLENTY), await newAccount(storage), await newNode(storage)]
    const soft = await newBudget(storage, { account: wallet.account, amount: 10n, hard: false })
    const gone = await newBudget(storage, { account: wallet.account, amount: 10n })
    const foreign = await newBudget(storage, { account: other.id, amount: 10n })
    expect(await storage.budgets.delete(gone.id)).toBe(true)
    const of = { budgets: [soft.id, gone.id, foreign.id, 9_999n], revision: 3 }
    expect(await storage.ledger.apply(hold(1n, wallet, node, of))).toEqual({
      ...result('done', 100n),
      budgetsLeft: [10n, undefined, undefined, undefined],
    })
    expect(await storage.ledger.apply(settle(1n, node, 500n))).toEqual(charged(500n))
    expect(await storage.budgets.find(soft.id)).toMatchObject({ spent: 500n, held: 0n, left: 0n })
    expect(await storage.budgets.find(gone.id)).toMatchObject({ spent: 0n })
    expect(await storage.budgets.find(foreign.id)).toMatchObject({ spent: 0n })
    expect(await storage.ledger.usage(wallet.account, 1)).toMatchObject([{ budgets: [soft.id] }])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('one that is deleted, lowered or hard while requests run: they end by it, and it is what it says', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
    const { id } = await newBudget(storage, { account: wallet.account, amount: 300n })
    for (const request of [1n, 2n])
      await storage.ledger.apply(hold(request, wallet, node, { budgets: [id], revision: 1 }))
    expect(await storage.budgets.change(id, { amount: 50n })).toMatchObject({ amount: 50n, held: 200n, left: 0n })
    expect(await storage.ledger.apply(hold(3n, wallet, node, { budgets: [id], revision: 1 }))).toEqual(
      result('key_changed'),
    )
    // The hold stays chargeable, and no more.
    expect(await storage.ledger.apply(settle(1n, node, 150n))).toEqual(charged(100n))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    expect(await storage.budgets.delete(id)).toBe(true)
    expect(await storage.ledger.apply(settle(2n, node, 150n))).toEqual(charged(150n))
    expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 250n })
    expect(await storage.budgets.change(id, { amount: 1n })).toBeUndefined()
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('a soft one that becomes hard: what it has spent counts, and the audit knows that it was soft', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
    const { id } = await newBudget(storage, { account: wallet.account, amount: 50n, hard: false })
    await storage.ledger.apply(hold(1n, wallet, node, { budgets: [id], revision: 1 }))
    await storage.ledger.apply(settle(1n, node, 100n))
    await storage.budgets.change(id, { hard: true })
    const verdict = await storage.ledger.apply(hold(2n, wallet, node, { budgets: [id], revision: 2 }))
    expect(verdict).toMatchObject({ verdict: 'budget_reached', amount: 0n })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('the reaper and the owner who corrects it move what is held and spent', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
    const { id } = await newBudget(storage, { account: wallet.account, amount: 150n })
    await storage.ledger.apply(hold(1n, wallet, node, { budgets: [id], revision: 1 }))
    await storage.ledger.apply(extend(1n, node, { amount: 0n, minimum: 0n, progress: 40n }))
    await storage.ledger.apply({ verb: 'leave', ...node })
    await storage.ledger.apply({ verb: 'reap', limit: 1 })
    expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 40n })
    expect(await storage.ledger.apply(settle(1n, node, 900n))).toEqual(charged(150n, 110n))
    expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 150n, left: 0n })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('a request that was lost with its commits counts again, with nothing held', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, PLENTY), await newNode(storage)]
    const { id } = await newBudget(storage, { account: wallet.account, amount: 150n })
    const attribution = { tags: ['a=b'], endUser: 'u_1', session: 's' }
    const { account, key } = wallet
    const names = { model: 'm', upstream: 'u', budgets: [id, 9_999n], attribution }
    await storage.ledger.apply({ verb: 'restore', id: 1n, ...node, account, key, ...names })
    expect(await storage.ledger.apply(settle(1n, node, 200n))).toEqual(charged(150n))
    expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 150n })
    const row = { budgets: [id], tags: ['a=b'], endUser: 'u_1', session: 's' }
    expect(await storage.ledger.usage(account, 1)).toMatchObject([row])
  })

  test('across accounts: nothing is held, and what all of them spend is added up by period', async () => {
    const opened = use()
    const { storage } = opened
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const [one, other, node] = [
      await newWallet(storage, PLENTY),
      await newWallet(storage, PLENTY),
      await newNode(storage),
    ]
    const { id } = await newBudget(storage, { kind: 'all', amount: 100n, period: 'day' })
    const of = { budgets: [id] }
    for (const [request, wallet] of [[1n, one] as const, [2n, other] as const]) {
      expect(await storage.ledger.apply(hold(request, wallet, node, of))).toMatchObject({ budgetsLeft: [undefined] })
      await storage.ledger.apply(settle(request, node, 70n))
    }
    expect(await storage.budgets.find(id)).toMatchObject({ held: 0n, spent: 140n, spentNow: 140n, left: 0n })
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const again = await newNode(storage, 2)
    expect(await storage.budgets.inForce(undefined)).toMatchObject([{ id, spent: 140n, spentNow: 0n, left: 100n }])
    await storage.ledger.apply(hold(3n, one, again, of))
    await storage.ledger.apply(settle(3n, again, 30n))
    expect(await storage.budgets.find(id)).toMatchObject({ spent: 170n, spentNow: 30n, left: 70n })
  })

  test('a hold names at most 8 budgets, each once, and an attribution within its limits', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const attribution = { tags: ['a'], endUser: '', session: '' }
    for (const fields of [
      { budgets: [] },
      { budgets: [1n, 1n] },
      { budgets: [0n] },
      { budgets: Array.from({ length: 9 }, (_, index) => BigInt(index + 1)) },
      { attribution: { ...attribution, tags: [] } },
      { attribution: { ...attribution, tags: ['b', 'a'] } },
      { attribution: { ...attribution, tags: ['a,b'] } },
      { attribution: { ...attribution, tags: ['x'.repeat(65)] } },
      { attribution: { ...attribution, tags: Array.from({ length: 17 }, (_, index) => `t${index + 10}`) } },
      { attribution: { ...attribution, session: 'x'.repeat(129) } },
    ])
      expect(await thrownBy(storage.ledger.apply(hold(1n, wallet, node, fields)))).toBeInstanceOf(RangeError)
  })

  test('a key that is looked up again after a budget of its account was made', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const { id: other } = await newKey(storage, wallet.account)
    const before = await storage.keys.changeCounter()
    await newBudget(storage, { account: wallet.account, amount: 1n })
    expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    for (const key of [wallet.key, other])
      expect(await storage.ledger.apply(hold(1n, { ...wallet, key }, node))).toEqual(result('key_changed'))
  })
}
