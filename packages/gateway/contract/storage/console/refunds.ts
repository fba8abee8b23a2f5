// Refunds: never more than a request cost, once for each reference, and in books that add up.
import { expect, test } from 'bun:test'
import { CREDIT } from '../../../src/money/book.ts'
import { hold, newNode, newWallet, settle, type Use } from '../harness.ts'

export function refundsContract(use: Use): void {
  async function charged(cost: bigint) {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    expect(await storage.ledger.apply(hold(7n, wallet, node))).toMatchObject({ verdict: 'done' })
    const settled = async () =>
      expect(await storage.ledger.apply(settle(7n, node, cost))).toMatchObject({ verdict: 'done', amount: cost })
    const refund = (amount: bigint, reference?: string) =>
      storage.refunds.book({ request: 7n, account: wallet.account, amount, reason: 'a reason', reference })
    const balance = async () => (await storage.accounts.find(wallet.account))?.balance
    return { storage, wallet, settled, refund, balance }
  }

  test('refunds add up to at most the cost, and the audit proves the books', async () => {
    const { storage, wallet, settled, refund, balance } = await charged(60n)
    expect(await refund(1n)).toBe(false)
    await settled()
    expect(await refund(61n)).toBe(false)
    expect([await refund(40n, 'first'), await refund(21n), await refund(20n), await refund(1n)]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(await storage.refunds.of([7n, 8n])).toEqual(new Map([[7n, 60n]]))
    expect(await balance()).toBe(1_000n)
    expect((await storage.lists.transfers({ kind: 'credit' }, {}, 2)).rows).toMatchObject([
      { debit: CREDIT, credit: wallet.account, amount: 20n, reason: 'a reason', request: undefined },
      { amount: 40n, reference: 'first' },
    ])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('of refunds at the same time, as many are booked as the cost allows; the same reference is booked once', async () => {
    const { storage, settled, refund, balance } = await charged(60n)
    await settled()
    const repeated = await Promise.all(Array.from({ length: 4 }, () => refund(10n, 'same')))
    expect(repeated.filter((isBooked) => isBooked)).toHaveLength(1)
    const together = await Promise.all(Array.from({ length: 12 }, (_, at) => refund(7n, `other ${at}`)))
    expect(together.filter((isBooked) => isBooked)).toHaveLength(7)
    expect(await storage.refunds.of([7n])).toEqual(new Map([[7n, 59n]]))
    expect(await balance()).toBe(999n)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('nothing is refunded of another account’s request', async () => {
    const { storage, settled } = await charged(60n)
    await settled()
    const other = await newWallet(storage)
    const refund = { request: 7n, account: other.account, amount: 1n, reason: '', reference: undefined }
    expect(await storage.refunds.book(refund)).toBe(false)
  })
}
