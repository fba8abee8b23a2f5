import { expect, test } from 'bun:test'
import { CREDIT, REVENUE, SHORTFALL } from '../../src/money/ledger.ts'
import type { AuditReport } from '../../src/storage/storage.ts'
import {
  charged,
  hold,
  newBudget,
  newNode,
  newWallet,
  result,
  settle,
  thrownBy,
  type Use,
  type Wallet,
} from './harness.ts'

/** Not a double: read through a float it becomes 2^53. */
const ODD = 2n ** 53n + 1n

const transfer = (request: bigint | 'NULL', debit: bigint, credit: bigint, amount = 5n) =>
  `INSERT INTO transfer (request, debit, credit, amount, reason, at) VALUES (${request}, ${debit}, ${credit}, ${amount}, '', 0)`

const NO_MISMATCHES = {
  balanceMismatches: [],
  heldMismatches: [],
  keyHeldMismatches: [],
  openMismatches: [],
  keyOpenMismatches: [],
  spentMismatches: [],
  keySpentMismatches: [],
  overdrawnAccounts: [],
  spendingMismatches: [],
  attributionMismatches: [],
  budgetHeldMismatches: [],
  exceededBudgets: [],
  negativeAccounts: [],
  requestMismatches: [],
  sealMismatches: [],
  archiveMismatches: [],
  lostTaskHolds: [],
}
const NOTHING_SEALED = { isDeep: false, sealedMonths: 0, sealedUntil: undefined, lastSeal: undefined }

export function booksContract(use: Use): void {
  for (const statement of [
    'UPDATE transfer SET amount = 1',
    "UPDATE transfer SET reason = 'x'",
    'DELETE FROM transfer',
  ])
    test(`transfers are append-only: ${statement}`, async () => {
      const { storage, raw } = use()
      await newWallet(storage, 1_000n)
      expect(String(await thrownBy(raw(statement)))).toContain('append-only')
      expect((await raw('SELECT amount FROM transfer')).map((row) => Number(row.amount))).toEqual([1_000])
    })

  test('the text of old receipts is cleared, page by page up to a request that is open; rows and transfers stay', async () => {
    const { storage, raw } = use()
    const wallet = await newWallet(storage, 10_000n)
    const node = await newNode(storage)
    for (const id of [1n, 2n, 3n, 4n, 5n, 6n]) await storage.ledger.apply(hold(id, wallet, node))
    for (const id of [1n, 2n, 3n, 5n, 6n]) await storage.ledger.apply(settle(id, node, 7n))
    const before = await storage.ledger.usage(wallet.account, 10)
    const transfers = await raw('SELECT * FROM transfer ORDER BY id')
    const withText = async () =>
      (await storage.ledger.usage(wallet.account, 10)).flatMap((row) => (row.receipt ? row.request : []))
    expect(await storage.ledger.clearReceipts(6n, 0n, 2)).toEqual({ last: 2n, isMore: true })
    expect(await withText()).toEqual([6n, 5n, 3n])
    expect(await storage.ledger.clearReceipts(6n, 2n, 2)).toEqual({ last: 3n, isMore: false })
    expect(await storage.ledger.clearReceipts(6n, 3n, 2)).toEqual({ last: 3n, isMore: false })
    await storage.ledger.apply(settle(4n, node, 7n))
    await storage.ledger.usage(wallet.account, 1)
    expect(await storage.ledger.clearReceipts(6n, 3n, 5)).toEqual({ last: 5n, isMore: false })
    expect(await withText()).toEqual([6n])
    const rest = (rows: typeof before) =>
      rows.filter(({ request }) => request !== 4n).map(({ receipt: _, ...row }) => row)
    expect(rest(await storage.ledger.usage(wallet.account, 10))).toEqual(rest(before))
    expect((await raw('SELECT * FROM transfer ORDER BY id')).slice(0, transfers.length)).toEqual(transfers)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
  })

  test('old requests at price 0 become sums: those that ended, and that nothing was held for', async () => {
    const { storage, raw } = use()
    const [wallet, other] = [await newWallet(storage, 10_000n), await newWallet(storage, 10_000n)]
    const node = await newNode(storage)
    const free = { amount: 0n, minimum: 0n }
    for (const id of [1n, 2n, 3n, 4n, 9n]) await storage.ledger.apply(hold(id, wallet, node, free))
    for (const id of [5n, 6n]) await storage.ledger.apply(hold(id, other, node, free))
    for (const id of [7n, 8n]) await storage.ledger.apply(hold(id, wallet, node))
    for (const id of [1n, 2n, 3n, 5n, 6n, 9n]) await storage.ledger.apply({ ...settle(id, node, 0n), tokens: 5 })
    await storage.ledger.apply(settle(7n, node, 7n))
    await storage.ledger.apply(settle(8n, node, 0n))
    const rows = async () =>
      [wallet, other].map(async ({ account }) => (await storage.ledger.usage(account, 0)).map(({ request }) => request))
    const spending = () => raw('SELECT * FROM hourly_spending ORDER BY account, key, outcome')
    const [before, audited] = [await spending(), await storage.ledger.audit()]
    expect(audited).toMatchObject({ ok: true, requests: 9, openHolds: 1 })
    expect(await storage.ledger.foldFreeRequests(9n, 3)).toBe(3)
    expect(await storage.ledger.foldFreeRequests(9n, 3)).toBe(2)
    expect(await storage.ledger.foldFreeRequests(9n, 3)).toBe(0)
    // Still open, charged, without a charge though it has a price, and too young.
    expect(await Promise.all(await rows())).toEqual([[9n, 8n, 7n, 4n], []])
    expect(await spending()).toEqual(before)
    expect(await storage.ledger.audit()).toEqual(audited)
    await storage.ledger.apply(settle(4n, node, 0n))
    expect(await storage.ledger.foldFreeRequests(9n, 3)).toBe(1)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 9, openHolds: 0 })
    expect(await storage.ledger.apply(settle(1n, node, 0n))).toMatchObject({ verdict: 'unknown_request' })
    await raw('UPDATE folded_request SET requests = requests + 1')
    expect((await storage.ledger.audit()).spendingMismatches).toEqual([wallet.account, other.account])
    await raw('UPDATE folded_request SET requests = requests - 1')
  })

  test('processes that fold the same requests at once count them once', async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage, 10_000n), await newNode(storage)]
    const ids = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
    for (const id of ids) await storage.ledger.apply(hold(id, wallet, node, { amount: 0n, minimum: 0n }))
    for (const id of ids) await storage.ledger.apply(settle(id, node, 0n))
    await Promise.all(ids.map(() => storage.ledger.foldFreeRequests(100n, 4)))
    while ((await storage.ledger.foldFreeRequests(100n, 4)) > 0);
    expect(await storage.ledger.usage(wallet.account, 0)).toEqual([])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 20 })
  })

  test('64-bit integers are exact: stored, held, charged, summed', async () => {
    const { storage, raw } = use()
    const [wallet, node] = [await newWallet(storage, ODD, { cap: 3n * ODD }), await newNode(storage)]
    expect(await storage.accounts.credit(wallet.account, ODD, 'the same again')).toBe(true)
    expect((await storage.accounts.find(wallet.account))?.balance).toBe(2n * ODD)
    const id = 2n ** 62n + 1n
    expect(await storage.ledger.apply(hold(id, wallet, node, { amount: ODD, minimum: ODD }))).toEqual(
      result('done', ODD),
    )
    expect((await storage.accounts.find(wallet.account))?.held).toBe(ODD)
    expect(await storage.ledger.apply(settle(id, node, ODD))).toEqual(charged(ODD))
    expect(await storage.ledger.usage(wallet.account, 0)).toMatchObject([{ request: id, cost: ODD, held: ODD }])
    expect((await storage.keys.list(wallet.account))[0]).toMatchObject({ cap: 3n * ODD, spent: ODD })
    expect((await storage.accounts.find(wallet.account))?.balance).toBe(ODD)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, transfers: 3 })
    await raw(`UPDATE account SET balance = balance - 1 WHERE id = ${wallet.account}`)
    expect((await storage.ledger.audit()).balanceMismatches).toEqual([wallet.account])
  })

  test('totals: open holds, the age of the oldest, and what could not be charged', async () => {
    const opened = use()
    const { storage } = opened
    expect(await storage.ledger.totals()).toEqual({ openHolds: 0, held: 0n, oldestHoldMs: 0, shortfall: 0n })
    const [wallet, node] = [await newWallet(storage, 2n * ODD), await newNode(storage)]
    await storage.ledger.apply(hold(1n, wallet, node, { amount: ODD, minimum: ODD }))
    await storage.ledger.apply(hold(2n, wallet, node))
    await storage.ledger.apply(hold(3n, wallet, node))
    await opened.elapse(5_000)
    expect(await storage.ledger.totals()).toMatchObject({ openHolds: 3, held: ODD + 200n, shortfall: 0n })
    expect((await storage.ledger.totals()).oldestHoldMs).toBeGreaterThanOrEqual(5_000)
    for (const id of [2n, 3n]) await storage.ledger.apply(settle(id, node, ODD))
    const { openHolds, held, shortfall } = await storage.ledger.totals()
    expect({ openHolds, held, shortfall }).toEqual({ openHolds: 1, held: ODD, shortfall: ODD })
  })

  test('an empty store is right', async () => {
    expect(await use().storage.ledger.audit()).toEqual({
      ok: true,
      accounts: 0,
      requests: 0,
      transfers: 0,
      openHolds: 0,
      ...NOTHING_SEALED,
      ...NO_MISMATCHES,
    })
  })

  type Found = Partial<Omit<AuditReport, 'ok'>>
  type Tampered = Wallet & { budget: bigint }
  const tamperings: { name: string; sql(wallet: Tampered): string[]; found(wallet: Tampered): Found }[] = [
    {
      name: 'a balance raised',
      sql: ({ account }) => [`UPDATE account SET balance = balance + 1 WHERE id = ${account}`],
      found: ({ account }) => ({ balanceMismatches: [account] }),
    },
    {
      name: 'a credit without its wallet',
      sql: () => [transfer('NULL', CREDIT, 555n)],
      found: () => ({ balanceMismatches: [555n] }),
    },
    {
      name: 'a hold forgotten by its wallet',
      sql: ({ account }) => [`UPDATE account SET held = 0 WHERE id = ${account}`],
      found: ({ account }) => ({ heldMismatches: [account] }),
    },
    {
      name: 'a hold forgotten by its key',
      sql: ({ key }) => [`UPDATE api_key SET held = 0 WHERE id = ${key}`],
      found: ({ key }) => ({ keyHeldMismatches: [key] }),
    },
    {
      name: 'a wrong count of open requests of a wallet',
      sql: ({ account }) => [`UPDATE account SET open_requests = 0 WHERE id = ${account}`],
      found: ({ account }) => ({ openMismatches: [account] }),
    },
    {
      name: 'a wrong count of open requests of a key',
      sql: ({ key }) => [`UPDATE api_key SET open_requests = 2 WHERE id = ${key}`],
      found: ({ key }) => ({ keyOpenMismatches: [key] }),
    },
    {
      name: 'a key that shows less than it has spent',
      sql: ({ key }) => [`UPDATE api_key SET spent = spent - 1 WHERE id = ${key}`],
      found: ({ key }) => ({ keySpentMismatches: [key] }),
    },
    {
      name: 'an open hold removed',
      sql: () => ['DELETE FROM request WHERE id = 2'],
      found: ({ account, key, budget }) => ({
        heldMismatches: [account],
        keyHeldMismatches: [key],
        openMismatches: [account],
        keyOpenMismatches: [key],
        budgetHeldMismatches: [budget],
      }),
    },
    {
      name: 'a hold forgotten by its budget',
      sql: () => ['UPDATE budget SET held = 0'],
      found: ({ budget }) => ({ budgetHeldMismatches: [budget] }),
    },
    {
      name: 'a budget of which more is spent than it allows',
      sql: () => ['UPDATE budget SET window_spent = 401'],
      found: ({ budget }) => ({ exceededBudgets: [budget] }),
    },
    {
      name: 'a wallet below zero',
      sql: ({ account }) => [
        `UPDATE account SET balance = balance - 2000 WHERE id = ${account}`,
        transfer('NULL', account, CREDIT, 2_000n),
      ],
      found: ({ account }) => ({ negativeAccounts: [account] }),
    },
    {
      name: 'more held than the wallet has',
      sql: ({ account }) => [
        `UPDATE account SET balance = balance - 900 WHERE id = ${account}`,
        transfer('NULL', account, CREDIT, 900n),
      ],
      found: ({ account }) => ({ negativeAccounts: [account] }),
    },
    {
      name: 'a receipt that shows less than was paid',
      sql: () => ['UPDATE request SET cost = cost - 1 WHERE id = 1'],
      found: ({ account, key }) => ({ requestMismatches: [1n], spentMismatches: [account], keySpentMismatches: [key] }),
    },
    {
      name: 'a request settled twice',
      sql: ({ account }) => [
        transfer(1n, account, REVENUE, 60n),
        `UPDATE account SET balance = balance - 60 WHERE id = ${account}`,
      ],
      found: ({ account }) => ({ requestMismatches: [1n], spendingMismatches: [account] }),
    },
    {
      name: 'a shortfall without a transfer',
      sql: () => ['UPDATE request SET shortfall = 7 WHERE id = 1'],
      found: () => ({ requestMismatches: [1n] }),
    },
    {
      name: 'a shortfall booked behind the receipt',
      sql: () => [transfer(1n, SHORTFALL, REVENUE)],
      found: () => ({ requestMismatches: [1n] }),
    },
    {
      name: 'a settlement taken back to void',
      sql: () => ['UPDATE request SET state = 2 WHERE id = 1'],
      found: () => ({ requestMismatches: [1n] }),
    },
    {
      name: 'a settled request removed',
      sql: () => ['DELETE FROM request WHERE id = 1'],
      found: ({ account, key }) => ({
        requestMismatches: [1n],
        spentMismatches: [account],
        keySpentMismatches: [key],
        spendingMismatches: [account],
      }),
    },
    {
      name: 'a request paid out of another account of the ledger',
      sql: () => [transfer(1n, CREDIT, SHORTFALL)],
      found: () => ({ requestMismatches: [1n] }),
    },
    {
      name: 'a request moved to another wallet',
      sql: () => ['UPDATE request SET account = 999999 WHERE id = 1'],
      found: ({ account }) => ({
        requestMismatches: [1n],
        spentMismatches: [account, 999_999n],
        spendingMismatches: [account, 999_999n],
      }),
    },
    ...['cost = cost - 1', 'hour = hour - 3600000', 'requests = 2', 'tokens = 7', 'account = account + 1'].map(
      (change) => ({
        name: `a sum of spending with ${change}`,
        sql: () => [`UPDATE hourly_spending SET ${change}`],
        found: ({ account }: Wallet) => ({
          spendingMismatches: change.startsWith('account') ? [account, account + 1n] : [account],
        }),
      }),
    ),
    ...['daily_spending', 'daily_key_spending'].flatMap((table) =>
      [
        `UPDATE ${table} SET cost = cost + 1`,
        `UPDATE ${table} SET upstream_cost = upstream_cost + 1`,
        ...['model', 'upstream', 'outcome'].map((name) => `UPDATE ${table} SET ${name} = 'other'`),
        `DELETE FROM ${table}`,
      ].map((sql) => ({
        name: sql,
        sql: () => [sql],
        found: ({ account }: Wallet) => ({ spendingMismatches: [account] }),
      })),
    ),
    {
      name: 'a sum of spending removed',
      sql: () => ['DELETE FROM hourly_spending'],
      found: ({ account }) => ({ spendingMismatches: [account] }),
    },
  ]
  for (const { name, sql, found } of tamperings)
    test(`the audit finds ${name}`, async () => {
      const { storage, raw } = use()
      const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
      const { id } = await newBudget(storage, { account: wallet.account, amount: 500n })
      const of = { budgets: [id], revision: 1 }
      await storage.ledger.apply(hold(1n, wallet, node, of))
      await storage.ledger.apply(settle(1n, node, 60n))
      await storage.ledger.apply(hold(2n, wallet, node, of))
      const before = await storage.ledger.audit()
      expect(before).toMatchObject({ ok: true, accounts: 1, requests: 2, transfers: 2, openHolds: 1 })
      const tampered = { ...wallet, budget: id }
      for (const statement of sql(tampered)) await raw(statement)
      const { ok, accounts: _, requests, transfers, openHolds, ...lists } = await storage.ledger.audit()
      expect(ok).toBe(false)
      expect(lists).toEqual({ ...NOTHING_SEALED, ...NO_MISMATCHES, ...found(tampered) })
    })
}
