// Budgets as they are made, listed, changed and deleted.
import { expect, test } from 'bun:test'
import { MOST_BUDGETS_KEPT, MOST_SHARED_BUDGETS, type NewBudget } from '../../../src/storage/storage.ts'
import {
  hold,
  newAccount,
  newBudget,
  newHolder,
  newKey,
  newNode,
  newWallet,
  settle,
  thrownBy,
  type Use,
} from '../harness.ts'

const NOTHING = { account: undefined, key: undefined, person: undefined, model: undefined, value: undefined }
const TERMS = { amount: 5n, period: undefined, everyHours: undefined, startsAt: undefined }
const SETTINGS = { ...TERMS, hard: true, alerts: [], text: '', setBy: 'operator' } as const

export function budgetRowsContract(use: Use): void {
  test('each kind is kept as it was given, and listed by what it is for', async () => {
    const { storage } = use()
    const { account, person } = await newHolder(storage)
    const key = (await newKey(storage, account)).id
    const kinds: Partial<NewBudget>[] = [
      { kind: 'account', account, period: 'month', alerts: [50, 80, 100], text: 'Ask Ada.', setBy: 'holder' },
      { kind: 'member', account, person, hard: false },
      { kind: 'key', account, key, period: 'hours', everyHours: 24, startsAt: 1_000 },
      { kind: 'key_model', account, key, model: 'gpt-x' },
      { kind: 'tag', account, value: 'team=search' },
      { kind: 'tag', value: 'team=search' },
      { kind: 'end_user', account, value: 'u_1' },
      { kind: 'group', value: 'default' },
      { kind: 'all' },
    ]
    const made = []
    for (const fields of kinds) made.push(await newBudget(storage, { amount: 2n ** 53n + 1n, ...fields }))
    for (const [index, { id, ...fields }] of made.entries()) {
      expect(fields).toMatchObject({
        amount: 2n ** 53n + 1n,
        spent: 0n,
        held: 0n,
        deletedAt: undefined,
        ...kinds[index],
      })
      expect(await storage.budgets.find(id)).toEqual({ id, ...fields })
    }
    const ids = made.map(({ id }) => id)
    const listed = async (...args: Parameters<typeof storage.budgets.list>) =>
      (await storage.budgets.list(...args)).map(({ id }) => ids.indexOf(id))
    expect(await listed({}, 4)).toEqual([0, 1, 2, 3])
    expect(await listed({}, 100, ids[6])).toEqual([7, 8])
    expect(await listed({ account: null }, 100)).toEqual([5, 7, 8])
    expect(await listed({ account, kind: 'tag' }, 100)).toEqual([4])
    expect(await listed({ key }, 100)).toEqual([2, 3])
    expect(await listed({ person }, 100)).toEqual([1])
    expect(await listed({ value: 'team=search' }, 100)).toEqual([4, 5])
    expect(await listed({ setBy: 'holder' }, 100)).toEqual([0])
    const paged = async (...args: Parameters<typeof storage.budgets.page>) =>
      (await storage.budgets.page(...args)).map(({ id }) => ids.indexOf(id))
    expect(await paged({}, {}, 3)).toEqual([8, 7, 6])
    expect(await paged({}, { after: ids[6] ?? 0n }, 3)).toEqual([5, 4, 3])
    expect(await paged({}, { before: ids[4] ?? 0n }, 3)).toEqual([7, 6, 5])
    expect(await paged({ account }, { before: 0n }, 2)).toEqual([1, 0])
    expect((await storage.budgets.inForce(account)).map(({ id }) => ids.indexOf(id))).toEqual([0, 1, 2, 3, 4, 6])
    expect((await storage.budgets.inForce(undefined)).map(({ id }) => ids.indexOf(id))).toEqual([5, 7, 8])
    expect(await storage.budgets.delete(ids[4] ?? 0n)).toBe(true)
    expect(await storage.budgets.delete(ids[4] ?? 0n)).toBe(false)
    expect(await listed({ account, kind: 'tag' }, 100)).toEqual([])
    expect(await listed({ account, kind: 'tag', isAny: true }, 100)).toEqual([4])
  })

  test('a change writes the fields that it names; another period begins a new count', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const { id } = await newBudget(storage, { account: wallet.account, amount: 100n, period: 'month', text: 'a' })
    await storage.ledger.apply(hold(1n, wallet, node, { budgets: [id], revision: 1 }))
    await storage.ledger.apply(settle(1n, node, 60n))
    expect(await storage.budgets.change(id, { amount: 200n, alerts: [80] })).toMatchObject({
      amount: 200n,
      alerts: [80],
      period: 'month',
      text: 'a',
      hard: true,
      spentNow: 60n,
      left: 140n,
    })
    expect(await storage.budgets.change(id, { period: 'month', text: '' })).toMatchObject({ text: '', spentNow: 60n })
    expect(await storage.budgets.change(id, { period: undefined })).toMatchObject({
      spent: 60n,
      spentNow: 0n,
      left: 200n,
    })
    expect(await storage.budgets.change(id, { period: 'hours', everyHours: 2 })).toMatchObject({ everyHours: 2 })
    expect(await storage.budgets.change(9_999n, { amount: 1n })).toBeUndefined()
  })

  test('those of which nothing may be left are found by what is spent and held', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const of = { account: wallet.account }
    const [spent, held, left] = [
      await newBudget(storage, { ...of, amount: 60n }),
      await newBudget(storage, { ...of, amount: 100n }),
      await newBudget(storage, { ...of, amount: 101n, hard: false }),
    ]
    const all = await newBudget(storage, { kind: 'all', amount: 1n })
    const may = async () => (await storage.budgets.page({ mayBeReached: true }, {}, 9)).map(({ id }) => id)
    expect(await may()).toEqual([all.id])
    await storage.ledger.apply(hold(1n, wallet, node, { budgets: [held.id, left.id], revision: 3 }))
    expect(await may()).toEqual([all.id, held.id])
    await storage.ledger.apply(settle(1n, node, 60n))
    expect(await may()).toEqual([all.id])
    await storage.ledger.apply(hold(2n, wallet, node, { amount: 60n, minimum: 1n, budgets: [spent.id], revision: 3 }))
    expect(await may()).toEqual([all.id, spent.id])
    await storage.ledger.apply(settle(2n, node, 60n))
    expect(await may()).toEqual([all.id, spent.id])
  })

  test('what does not fit together is rejected, and nothing is kept of it', async () => {
    const { storage } = use()
    const [{ id: account }, other] = [await newAccount(storage), await newAccount(storage)]
    const key = (await newKey(storage, other.id)).id
    const wrong: Partial<NewBudget>[] = [
      { kind: 'account' },
      { kind: 'all', account },
      { kind: 'group', account, value: 'g' },
      { kind: 'tag', account },
      { kind: 'end_user', value: 'u' },
      { kind: 'key_model', account, key },
      { kind: 'all', amount: -1n },
      { kind: 'all', period: 'hours' },
      { kind: 'all', everyHours: 3 },
      { kind: 'all', period: 'day', startsAt: 3 },
      { kind: 'all', period: 'hours', everyHours: 9_000 },
      { kind: 'all', alerts: [80, 50] },
      { kind: 'all', alerts: [0] },
      { kind: 'all', alerts: Array.from({ length: 11 }, (_, index) => index + 1) },
      { kind: 'all', text: 'x'.repeat(501) },
    ]
    for (const fields of wrong)
      expect(
        await thrownBy(storage.budgets.create({ ...NOTHING, ...SETTINGS, ...fields } as NewBudget)),
      ).toBeInstanceOf(RangeError)
    // A key of another account, a person who is no member, an account that does not exist.
    for (const fields of [
      { kind: 'key', account, key } as const,
      { kind: 'member', account, person: 9_999n } as const,
      { kind: 'account', account: 9_999n } as const,
    ])
      expect(await storage.budgets.create({ ...NOTHING, ...SETTINGS, ...fields })).toBeUndefined()
    expect(await storage.budgets.list({ isAny: true }, 10)).toEqual([])
    const made = await newBudget(storage, { kind: 'all', amount: 1n })
    expect(await thrownBy(storage.budgets.change(made.id, { period: 'hours' }))).toBeInstanceOf(RangeError)
  })

  test('an account has a bounded number of budgets, also if they are made at once', async () => {
    const { storage } = use()
    const { id: account } = await newAccount(storage)
    const one: NewBudget = { ...NOTHING, ...SETTINGS, kind: 'account', account }
    const made = await Promise.all(Array.from({ length: 8 }, () => storage.budgets.create(one, 3)))
    expect(made.filter((budget) => budget !== undefined)).toHaveLength(3)
    expect([MOST_BUDGETS_KEPT, MOST_SHARED_BUDGETS]).toEqual([10_000, 1_000])
    await storage.budgets.delete(made.find((budget) => budget !== undefined)?.id ?? 0n)
    expect(await storage.budgets.create(one, 3)).toBeDefined()
    expect(await storage.budgets.create({ ...one, kind: 'all', account: undefined }, 3, 3)).toBeUndefined()
    expect(await storage.budgets.create({ ...one, kind: 'all', account: undefined }, 3, 4)).toBeDefined()
  })

  test('an account that is erased has no budgets and no sums by what they were for', async () => {
    const { storage, raw } = use()
    const [wallet, kept, node] = [await newWallet(storage), await newWallet(storage), await newNode(storage)]
    const budget = {
      kind: 'end_user',
      account: wallet.account,
      value: 'ada@example.com',
      amount: 500n,
      text: 'x',
    } as const
    const { id } = await newBudget(storage, budget)
    const attribution = { tags: ['a'], endUser: 'ada@example.com', session: '' }
    for (const [request, of] of [[1n, wallet] as const, [2n, kept] as const]) {
      const budgets = of === wallet ? { budgets: [id], revision: 1 } : {}
      await storage.ledger.apply(hold(request, of, node, { ...budgets, attribution }))
      await storage.ledger.apply(settle(request, node, 10n))
    }
    expect(await storage.attribution.sweepDeleted()).toBe(false)
    await storage.accounts.erase(wallet.account, { force: true })
    expect(await storage.budgets.find(id)).toMatchObject({ value: undefined, text: '', spent: 10n })
    expect(await storage.budgets.inForce(wallet.account)).toEqual([])
    while (await storage.attribution.sweepDeleted());
    const left = await raw('SELECT DISTINCT account FROM daily_attribution_spending')
    expect(left.map(({ account }) => BigInt(account as bigint))).toEqual([kept.account])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('whether all processes know budgets: one that joined as earlier versions do does not', async () => {
    const opened = use()
    const { storage, raw } = opened
    await newNode(storage)
    await newNode(storage, 2)
    expect(await storage.budgets.isKnownToAll()).toBe(true)
    await storage.ledger.totals()
    await raw('UPDATE node SET epoch = epoch + 1 WHERE node_id = 2')
    expect(await storage.budgets.isKnownToAll()).toBe(false)
    await opened.elapse(10_000)
    expect(await storage.budgets.isKnownToAll()).toBe(true)
  })
}
