// What operators see of customers in lists: what accounts do, and keys that need a look.
import { expect, test } from 'bun:test'
import type { AccountOrder } from '../../../src/storage/storage.ts'
import { hold, newAccount, newKey, newWallet, type Use, type Wallet } from '../harness.ts'
import { walk } from './lists.ts'
import { DAY_MS, START, spender } from './spender.ts'

export function customersContract(use: Use): void {
  test('what accounts spent lately, how many keys they have, and when they used them', async () => {
    const { begin, request, newId, alive } = spender(use)
    const { storage, wallet, node } = await begin()
    const idle = await newAccount(storage)
    await request(storage, wallet, node, 7n)
    await use().elapse(29 * DAY_MS)
    await newKey(storage, wallet.account, { expiresAt: use().now() + 1, group: 'other' })
    const gone = await newKey(storage, wallet.account)
    await storage.keys.delete(gone.id)
    await request(storage, wallet, node, 5n, 'other')
    await storage.ledger.apply(hold(newId(), wallet, await alive(storage, node)))
    const read = async () => [...(await storage.lists.activity([wallet.account, idle.id, -1n])).values()]
    const used = { account: wallet.account, lastUsedAt: START + 29 * DAY_MS, openRequests: 1 }
    const unused = { account: idle.id, spent: 0n, activeKeys: 0, groups: [], lastUsedAt: undefined, openRequests: 0 }
    const byId = <Row extends { account: bigint }>(rows: Row[]) => rows.sort((a, b) => Number(a.account - b.account))
    expect(byId(await read())).toEqual([{ ...used, spent: 12n, activeKeys: 2, groups: ['default', 'other'] }, unused])
    await use().elapse(DAY_MS)
    expect(byId(await read())).toEqual([{ ...used, spent: 5n, activeKeys: 1, groups: ['default'] }, unused])
    expect(await storage.lists.activity([])).toEqual(new Map())
  })

  test('accounts by what they spent lately, by balance and by last use', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet: early, node } = await begin(100n)
    const [frugal, rich, idle, gone] = (await Promise.all(
      [50n, 500n, 70n, 0n].map((balance) => newWallet(storage, balance)),
    )) as [Wallet, Wallet, Wallet, Wallet]
    await storage.accounts.erase(gone.account, { force: true })
    await request(storage, early, node, 60n)
    await use().elapse(30 * DAY_MS)
    await request(storage, frugal, node, 20n)
    await use().elapse(1)
    await request(storage, rich, node, 5n)
    const list = (order: AccountOrder, filter = {}) =>
      walk(
        (place, limit) => storage.lists.accounts(filter, place, limit, order),
        ({ account }) => account.id,
      )
    const ids = (...wallets: Wallet[]) => wallets.map(({ account }) => account)
    const lastFirst = ids(idle, gone).sort((one, other) => Number(other - one))
    expect(await list('spent')).toEqual([...ids(frugal, rich), ...lastFirst, early.account])
    expect(await list('balance')).toEqual(ids(frugal, early, idle, rich, gone))
    expect(await list('last_used')).toEqual([...ids(rich, frugal, early), ...lastFirst])
    expect(await list('unused')).toEqual(ids(idle, early, frugal, rich, gone))
    expect(await list('unused', { state: 'active' })).toEqual(ids(idle, early, frugal, rich))
  })

  test('keys by what operators look for: without cap or expiry, never used, with a cap that is nearly spent', async () => {
    const { begin, request } = spender(use)
    const { storage, wallet, node } = await begin()
    const key = async (fields: Parameters<typeof newKey>[2]) => (await newKey(storage, wallet.account, fields)).id
    const total = await key({ name: 'total', cap: 10n, lastFour: 'Wxyz' })
    const daily = await key({ name: 'daily wxyz', cap: 10n, capPeriod: 'day', expiresAt: START + 9 * DAY_MS })
    for (const id of [total, daily]) await request(storage, { ...wallet, key: id }, node, 9n)
    const list = (filter: Parameters<typeof storage.lists.keys>[0]) =>
      walk(
        (place, limit) => storage.lists.keys(filter, place, limit),
        ({ id }) => id,
      )
    expect(await list({ isUnused: true })).toEqual([wallet.key])
    expect(await list({ isUnused: false, hasExpiry: false })).toEqual([total])
    expect(await list({ hasCap: false })).toEqual([wallet.key])
    expect(await list({ hasCap: true, hasExpiry: true })).toEqual([daily])
    expect(await list({ capUsed: 90 })).toEqual([daily, total])
    expect(await list({ capUsed: 91 })).toEqual([])
    expect(await list({ search: 'WXYZ' })).toEqual([daily])
    expect(await list({ search: 'Wxyz' })).toEqual([daily, total])
    await use().elapse(DAY_MS)
    expect(await list({ capUsed: 90 })).toEqual([total])
  })
}
