// Accounts that may spend beyond their balance, and caps on whole accounts.
import { expect, test } from 'bun:test'
import { UNLIMITED_CREDIT } from '../../src/money/amount.ts'
import { endOf } from '../../src/money/limits.ts'
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
} from './harness.ts'

export function creditLinesContract(use: Use): void {
  test('available is balance and credit line less what is held', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 100n), await newNode(storage)]
    await storage.accounts.setTerms(wallet.account, { creditLine: 150n })
    const next = (id: bigint, minimum: bigint) => hold(id, wallet, node, { revision: 1, amount: minimum, minimum })
    expect(await storage.ledger.apply(next(1n, 200n))).toEqual(result('done', 200n))
    expect(await storage.ledger.apply(next(2n, 51n))).toEqual(result('no_balance', 50n))
    // Beyond the hold, the rest of the line is charged, and no more.
    expect(await storage.ledger.apply(settle(1n, node, 400n))).toEqual(charged(250n))
    expect(await money(storage, wallet)).toMatchObject({ balance: -150n, held: 0n })
    expect(await storage.ledger.apply(next(2n, 1n))).toEqual(result('no_balance', 0n))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, overdrawnAccounts: [] })
    expect(await storage.accounts.find(wallet.account)).toMatchObject({ balance: -150n, creditLine: 150n })
  })

  test('a line that is lowered: what is held is paid, nothing new begins, and the audit flags the account', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 0n), await newNode(storage)]
    await storage.accounts.setTerms(wallet.account, { creditLine: 300n })
    await storage.ledger.apply(hold(1n, wallet, node, { revision: 1 }))
    await storage.ledger.apply(hold(2n, wallet, node, { revision: 1 }))
    await storage.accounts.setTerms(wallet.account, { creditLine: 0n })
    expect(await storage.ledger.apply(hold(3n, wallet, node, { revision: 2, minimum: 1n }))).toEqual(
      result('no_balance', 0n),
    )
    expect(await storage.ledger.apply(extend(1n, node, { known: 100n }))).toEqual(result('no_balance', 0n))
    expect(await storage.ledger.apply(settle(1n, node, 80n))).toEqual(charged(80n))
    expect(await storage.ledger.apply(settle(2n, node, 150n))).toEqual(charged(100n))
    expect(await storage.ledger.usage(wallet.account, 1)).toMatchObject([{ cost: 100n, shortfall: 50n }])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, overdrawnAccounts: [wallet.account] })
    await storage.accounts.credit(wallet.account, 200n, 'invoice')
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, overdrawnAccounts: [] })
    expect(await storage.ledger.apply(hold(3n, wallet, node, { revision: 2, amount: 20n, minimum: 20n }))).toEqual(
      result('done', 20n),
    )
  })

  test('the audit fails for more than the highest line that the account had', async () => {
    const { storage, raw } = use()
    const [wallet, node] = [await newWallet(storage, 0n), await newNode(storage)]
    await storage.accounts.setTerms(wallet.account, { creditLine: 100n })
    await storage.ledger.apply(hold(1n, wallet, node, { revision: 1 }))
    await raw(`UPDATE account SET highest_credit_line = 99, credit_line = 99 WHERE id = ${wallet.account}`)
    expect(await storage.ledger.audit()).toMatchObject({ ok: false, negativeAccounts: [wallet.account] })
  })

  test('an unlimited line', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 0n), await newNode(storage)]
    await storage.accounts.setTerms(wallet.account, { creditLine: UNLIMITED_CREDIT })
    for (const id of [1n, 2n]) {
      const most = { amount: 10n ** 18n, minimum: 10n ** 18n, revision: 1 }
      expect(await storage.ledger.apply(hold(id, wallet, node, most))).toEqual(result('done', 10n ** 18n))
      expect(await storage.ledger.apply(settle(id, node, 10n ** 18n))).toEqual(charged(10n ** 18n))
    }
    expect((await storage.accounts.find(wallet.account))?.balance).toBe(-2n * 10n ** 18n)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, overdrawnAccounts: [] })
  })

  test('credit is taken back as far as balance and line have it', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage, 100n)
    expect(await storage.accounts.credit(wallet.account, -101n, '')).toBe(false)
    await storage.accounts.setTerms(wallet.account, { creditLine: 50n })
    expect(await storage.accounts.credit(wallet.account, -151n, '')).toBe(false)
    expect(await storage.accounts.credit(wallet.account, -150n, '')).toBe(true)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('the cap of an account counts all of its keys, and renews', async () => {
    const opened = use()
    const { storage } = opened
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const [wallet, node] = [await newWallet(storage, 10_000n, { cap: 1_000n }), await newNode(storage)]
    const other = { ...wallet, key: (await newKey(storage, wallet.account)).id }
    await storage.accounts.setTerms(wallet.account, { cap: 250n, capPeriod: 'day' })
    const next = (id: bigint, by = wallet) => hold(id, by, node, { revision: 1, minimum: 51n })
    expect(await storage.ledger.apply(next(1n))).toEqual(result('done', 100n))
    expect(await storage.ledger.apply(next(2n, other))).toEqual(result('done', 100n))
    expect(await storage.ledger.apply(next(3n, other))).toEqual(result('account_cap_reached', 50n))
    expect(await storage.ledger.apply(settle(1n, node, 900n))).toEqual(charged(150n))
    expect(await storage.accounts.find(wallet.account)).toMatchObject({
      cap: 250n,
      capPeriod: 'day',
      spentUnderCap: 150n,
    })
    // The key's cap is named where both are reached.
    await storage.keys.setTerms(wallet.key, { cap: 150n })
    expect(await storage.ledger.apply({ ...next(4n), revision: 2 })).toEqual(result('key_cap_reached', 0n))
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const again = await newNode(storage)
    expect(await storage.ledger.apply({ ...next(5n, other), ...again })).toEqual(result('done', 100n))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('terms that are named change, and invalid ones are rejected', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage)
    await storage.accounts.setTerms(wallet.account, { cap: 5n, capPeriod: 'month', requestsPerMinute: 3 })
    await storage.accounts.setTerms(wallet.account, { capPeriod: undefined, creditLine: 7n })
    expect(await storage.accounts.find(wallet.account)).toMatchObject({
      cap: 5n,
      capPeriod: undefined,
      creditLine: 7n,
      limits: { requestsPerMinute: 3 },
    })
    for (const change of [{ cap: -1n }, { creditLine: -1n }, { creditLine: 1n << 62n }, { capPeriod: 'year' as 'day' }])
      expect(await thrownBy(storage.accounts.setTerms(wallet.account, change))).toBeInstanceOf(RangeError)
  })
}
