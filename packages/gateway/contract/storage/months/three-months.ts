// Months of requests for the tests of their seals, by the clock of the test.
import { firstIdAt } from '../../../src/money/request-ids.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { hold, type Node, newNode, newWallet, type Opened, settle, voided, type Wallet } from '../harness.ts'

export const [HOUR, DAY] = [3_600_000, 86_400_000]
const OF_ADA = { attribution: { tags: ['env=prod', 'team=search'], endUser: 'u_1', session: 's_1' } }
export const FREE = { amount: 0n, minimum: 0n }

export async function sealAll(storage: Storage): Promise<void> {
  for await (const _ of storage.months.seal());
}

const nextMonth = (time: number) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + 1)
export const nameOf = (time: number) => new Date(time).toISOString().slice(0, 7)

/** The clock is put so long after the beginning of the next month. */
export const toNextMonth = (opened: Opened, after = HOUR) =>
  opened.elapse(nextMonth(opened.now()) + after - opened.now())

export type Months = { wallets: [Wallet, Wallet]; node: Node; names: string[] }

/** Three months with charges, refunds, free requests and corrections within the month; the clock is in the fourth. */
export async function threeMonths(opened: Opened): Promise<Months> {
  const { storage } = opened
  const wallets: [Wallet, Wallet] = [await newWallet(storage, 10_000n), await newWallet(storage, 10_000n)]
  const names: string[] = []
  let node = await newNode(storage)
  for (let month = 0; month < 3; month++) {
    names.push(nameOf(opened.now()))
    for (const [at, wallet] of wallets.entries()) {
      const id = firstIdAt(opened.now()) + BigInt(at * 10)
      for (let request = 0n; request < 3n; request++)
        await storage.ledger.apply(hold(id + request, wallet, node, request === 1n ? OF_ADA : {}))
      await storage.ledger.apply(hold(id + 3n, wallet, node, FREE))
      await storage.ledger.apply(settle(id, node, 60n, { tokens: 7, upstreamCost: 20n }))
      await storage.ledger.apply(settle(id + 1n, node, 150n))
      await storage.ledger.apply(voided(id + 2n, node))
      await storage.ledger.apply(settle(id + 3n, node, 0n, { tokens: 2 }))
    }
    await storage.accounts.credit(wallets[0].account, 500n, 'top-up')
    await toNextMonth(opened)
    node = await newNode(storage)
  }
  return { wallets, node, names }
}
