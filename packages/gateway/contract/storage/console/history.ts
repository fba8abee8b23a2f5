import { expect, test } from 'bun:test'
import type { WalletEntry } from '../../../src/storage/storage.ts'
import { hold, thrownBy, type Use, voided } from '../harness.ts'
import { DAY_MS, HOUR_MS, START, spender } from './spender.ts'

export function historyContract(use: Use): void {
  const { begin, request, alive, newId } = spender(use)
  const lines = (entries: readonly WalletEntry[]) =>
    entries.map(({ kind, reason, amount, requests, balanceAfter }) => [
      kind,
      reason,
      Number(amount),
      requests,
      Number(balanceAfter),
    ])

  test('credits and debits one by one, charges day by day, each with the balance after it', async () => {
    const { storage, wallet, node } = await begin(1_000n)
    const { elapse } = use()
    await request(storage, wallet, node, 100n)
    await request(storage, wallet, node, 50n, 'b')
    await elapse(HOUR_MS)
    await storage.accounts.credit(wallet.account, 500n, 'invoice 7')
    await elapse(DAY_MS)
    await storage.accounts.credit(wallet.account, -200n, 'refund')
    await elapse(1)
    await request(storage, wallet, node, 30n)
    await elapse(DAY_MS)
    await request(storage, wallet, node, 0n)
    const { entries, next } = await storage.spending.history(wallet.account, 50)
    expect(lines(entries)).toEqual([
      ['usage', '', -30, 1, 1_120],
      ['debit', 'refund', -200, 0, 1_150],
      ['credit', 'invoice 7', 500, 0, 1_350],
      ['usage', '', -150, 2, 850],
      ['credit', 'opening credit', 1_000, 0, 1_000],
    ])
    expect(next).toBeUndefined()
    expect(entries.map(({ id }) => id === undefined)).toEqual([true, false, false, true, false])
    expect(entries.map(({ at }) => at)).toEqual([
      START + DAY_MS + HOUR_MS + 1,
      START + DAY_MS + HOUR_MS,
      START + HOUR_MS,
      START,
      START,
    ])
  })

  test('months, and the entries of one', async () => {
    const { storage, wallet, node } = await begin(1_000n)
    const { elapse } = use()
    await request(storage, wallet, node, 100n)
    await elapse(31 * DAY_MS)
    await storage.accounts.credit(wallet.account, 500n, 'invoice 7')
    await request(storage, wallet, node, 20n)
    await elapse(DAY_MS)
    await request(storage, wallet, node, 3n)
    await storage.accounts.credit(wallet.account, -200n, 'refund')
    await elapse(60 * DAY_MS)
    await request(storage, wallet, node, 7n)
    const startOf = (month: number) => Date.UTC(2041, month - 1)
    expect(await storage.spending.months(wallet.account)).toEqual([
      { at: startOf(8), credited: 0n, spent: 7n },
      { at: startOf(6), credited: 300n, spent: 23n },
      { at: startOf(5), credited: 1_000n, spent: 100n },
    ])
    expect(lines(await storage.spending.entries(wallet.account, startOf(6), startOf(7)))).toEqual([
      ['usage', '', -3, 1, 1_177],
      ['debit', 'refund', -200, 0, 1_180],
      ['usage', '', -20, 1, 1_380],
      ['credit', 'invoice 7', 500, 0, 1_400],
    ])
    expect(await storage.spending.entries(wallet.account, startOf(7), startOf(8))).toEqual([])
    expect(await storage.spending.months(wallet.account + 1_000n)).toEqual([])
  })

  test('pages have whole days and balances that fit together', async () => {
    const { storage, wallet, node } = await begin(10_000n)
    const { elapse, now } = use()
    for (let day = 0; day < 6; day++) {
      for (const amount of [5n, -3n, 2n]) await storage.accounts.credit(wallet.account, amount, `day ${day}`)
      await request(storage, wallet, node, BigInt(day + 1))
      await elapse(DAY_MS)
    }
    // A year without any.
    await elapse(365 * DAY_MS)
    await storage.accounts.credit(wallet.account, 1n, 'late')
    const whole = await storage.spending.history(wallet.account, 500)
    expect(whole.next).toBeUndefined()
    expect(whole.entries).toHaveLength(26)
    expect(whole.entries[0]?.balanceAfter).toBe((await storage.accounts.find(wallet.account))?.balance ?? 0n)
    const [found, sizes]: [WalletEntry[], number[]] = [[], []]
    let before: number | undefined
    do {
      const page = await storage.spending.history(wallet.account, 6, before)
      found.push(...page.entries)
      sizes.push(page.entries.length)
      before = page.next
    } while (before !== undefined)
    expect(found).toEqual(whole.entries)
    expect(sizes).toEqual([1, 8, 8, 9])
    let balance = found[0]?.balanceAfter ?? 0n
    for (const entry of found) {
      expect(entry.balanceAfter).toBe(balance)
      balance -= entry.amount
    }
    expect(balance).toBe(0n)
    expect((await storage.spending.history(wallet.account, 6, now() - 400 * DAY_MS)).entries).toEqual([])
  })

  test('days whose charges were returned are skipped', async () => {
    const { storage, wallet, node } = await begin(1_000n)
    const { elapse } = use()
    await elapse(200 * DAY_MS)
    const id = newId()
    await alive(storage, node)
    await storage.ledger.apply(hold(id, wallet, node, { extensible: true }))
    const more = { verb: 'extend', id, nodeId: node.nodeId, epoch: node.epoch, known: 100n } as const
    await storage.ledger.apply({ ...more, amount: 10n, minimum: 10n, tokens: 0, progress: 40n })
    await elapse(60_000)
    await storage.ledger.apply({ verb: 'reap', limit: 10 })
    expect(lines((await storage.spending.history(wallet.account, 1)).entries)).toEqual([['usage', '', -40, 1, 960]])
    await storage.ledger.apply(voided(id, node))
    const { entries, next } = await storage.spending.history(wallet.account, 1)
    expect(lines(entries)).toEqual([['credit', 'opening credit', 1_000, 0, 1_000]])
    expect(next).toBeUndefined()
  })

  test('a wallet without any', async () => {
    const { storage, wallet } = await begin(0n)
    expect(await storage.spending.history(wallet.account, 10)).toEqual({ entries: [], next: undefined })
    expect(await thrownBy(Promise.resolve().then(() => storage.spending.history(wallet.account, 0)))).toBeInstanceOf(
      RangeError,
    )
  })

  test('every line is exact while requests are charged', async () => {
    const { storage, wallet, node } = await begin(100_000n)
    let running = true
    const charges = Promise.all(
      Array.from({ length: 100 }, async () => {
        for (let count = 0; count < 3; count++) await request(storage, wallet, node, 7n)
      }),
    ).finally(() => {
      running = false
    })
    do {
      const { entries } = await storage.spending.history(wallet.account, 10)
      const [usage] = entries.filter(({ kind }) => kind === 'usage')
      expect(usage?.balanceAfter ?? 100_000n).toBe(100_000n + (usage?.amount ?? 0n))
      // Reads of SQLite alone would not let any other event in.
      await Bun.sleep(1)
    } while (running)
    await charges
  })
}
