// Sealed months: what an audit no longer reads, what it still finds, and what keeps a month open.
import { expect, test } from 'bun:test'
import { CREDIT, REVENUE } from '../../src/money/book.ts'
import { firstIdAt } from '../../src/money/request-ids.ts'
import type { AuditReport, Storage } from '../../src/storage/storage.ts'
import { hold, type Node, newNode, newWallet, type Opened, settle, type Use, voided, type Wallet } from './harness.ts'

const [HOUR, DAY] = [3_600_000, 86_400_000]
const FREE = { amount: 0n, minimum: 0n }

async function sealAll(storage: Storage): Promise<void> {
  for await (const _ of storage.months.seal());
}

/** The first `steps` of them, as if the process were killed then. */
async function sealSome(storage: Storage, steps: number): Promise<boolean> {
  const sealing = storage.months.seal()
  for (let step = 0; step < steps; step++) if ((await sealing.next()).done) return true
  return false
}

const nextMonth = (time: number) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + 1)
const nameOf = (time: number) => new Date(time).toISOString().slice(0, 7)

/** The clock is put so long after the beginning of the next month. */
const toNextMonth = (opened: Opened, after = HOUR) => opened.elapse(nextMonth(opened.now()) + after - opened.now())

type Months = { wallets: [Wallet, Wallet]; node: Node; names: string[] }

/** Three months with charges, refunds, free requests and corrections within the month; the clock is in the fourth. */
async function threeMonths(opened: Opened): Promise<Months> {
  const { storage } = opened
  const wallets: [Wallet, Wallet] = [await newWallet(storage, 10_000n), await newWallet(storage, 10_000n)]
  const names: string[] = []
  let node = await newNode(storage)
  for (let month = 0; month < 3; month++) {
    names.push(nameOf(opened.now()))
    for (const [at, wallet] of wallets.entries()) {
      const id = firstIdAt(opened.now()) + BigInt(at * 10)
      for (let request = 0n; request < 3n; request++) await storage.ledger.apply(hold(id + request, wallet, node))
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

const lists = ({ ok: _, isDeep: __, sealedMonths, sealedUntil, lastSeal, ...report }: AuditReport) => report

export function monthsContract(use: Use): void {
  test('months that are over are sealed a day later, and the audit proves the same as before', async () => {
    const opened = use()
    const { storage, raw } = opened
    const { names, wallets } = await threeMonths(opened)
    const before = await storage.ledger.audit()
    expect(before).toMatchObject({ ok: true, sealedMonths: 0, requests: 24 })
    await sealAll(storage)
    // The third is over for an hour only.
    expect(await storage.months.state()).toMatchObject({ sealed: 2, due: undefined })
    await opened.elapse(DAY)
    await sealAll(storage)
    const state = await storage.months.state()
    expect(state).toMatchObject({ sealed: 3, blocking: undefined })
    expect(nameOf((state.until ?? 0) - 1)).toBe(names[2] ?? '')
    const after = await storage.ledger.audit()
    expect(after).toMatchObject({ ok: true, isDeep: false, sealedMonths: 3, sealedUntil: state.until })
    expect(lists(after)).toEqual(lists(before))
    const deep = await storage.ledger.audit({ deep: true })
    expect({ ...deep, isDeep: false }).toEqual(after)
    // What the seal says of an account is what it has.
    const [sealed] = await raw(
      `SELECT balance, spent FROM month_seal_account WHERE account = ${wallets[0].account} ORDER BY ends_at DESC LIMIT 1`,
    )
    const account = await storage.accounts.find(wallets[0].account)
    expect({ balance: BigInt(sealed?.balance as bigint) }).toEqual({ balance: account?.balance ?? -1n })
    expect(BigInt(sealed?.spent as bigint)).toBe(630n)
  })

  test('the open month goes on: requests across its beginning, corrections, refunds, folded requests', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, node] = [await newWallet(storage, 10_000n), await newNode(storage)]
    const first = firstIdAt(opened.now())
    for (const id of [first, first + 1n, first + 2n]) await storage.ledger.apply(hold(id, wallet, node))
    await storage.ledger.apply(hold(first + 3n, wallet, node, FREE))
    await storage.ledger.apply(settle(first + 3n, node, 0n, { tokens: 9 }))
    await storage.ledger.apply(settle(first, node, 40n))
    await toNextMonth(opened)
    // It began in the month that is over, and is charged in this one.
    await storage.ledger.apply(settle(first + 1n, node, 30n))
    await opened.elapse(DAY)
    await sealAll(storage)
    expect(await storage.months.state()).toMatchObject({ sealed: 0, blocking: { request: first + 2n, state: 'open' } })
    await storage.ledger.apply(settle(first + 2n, node, 20n))
    await sealAll(storage)
    expect(await storage.months.state()).toMatchObject({ sealed: 1 })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 4, transfers: 4 })
    const [second, later] = [firstIdAt(opened.now()), await newNode(storage)]
    for (const id of [second, second + 1n]) await storage.ledger.apply(hold(id, wallet, later))
    await storage.ledger.apply(settle(second, later, 77n))
    expect(
      await storage.refunds.book({
        request: first,
        account: wallet.account,
        amount: 5n,
        reason: 'sorry',
        reference: undefined,
      }),
    ).toBe(true)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 6, openHolds: 1 })
    expect(await storage.ledger.foldFreeRequests(second, 10)).toBe(1)
    expect(await storage.ledger.clearReceipts(second, 0n, 10)).toMatchObject({ isMore: false })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 6 })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealedMonths: 1 })
  })

  test('a reaped request keeps its month open until its owner returns, or for 30 days; later it is a correction', async () => {
    const opened = use()
    const { storage } = opened
    const [wallet, node] = [await newWallet(storage, 10_000n), await newNode(storage)]
    const first = firstIdAt(opened.now())
    const ids = [first, first + 1n, first + 2n]
    for (const id of ids) await storage.ledger.apply(hold(id, wallet, node))
    await storage.ledger.apply({ verb: 'leave', ...node })
    await storage.ledger.apply({ verb: 'reap', limit: 10 })
    await toNextMonth(opened, DAY)
    await sealAll(storage)
    expect(await storage.months.state()).toMatchObject({ sealed: 0, blocking: { request: first, state: 'reaped' } })
    await storage.ledger.apply(settle(first, node, 11n))
    // A repetition ran in place of the second: its owner's return costs the operator.
    await storage.ledger.apply({ verb: 'take_over', id: first + 1n, by: firstIdAt(opened.now()) })
    expect(await storage.months.state()).toMatchObject({ blocking: { request: first + 2n } })
    await opened.elapse(30 * DAY)
    await sealAll(storage)
    expect((await storage.months.state()).sealed).toBeGreaterThan(0)
    const sealed = await storage.ledger.audit()
    expect(sealed).toMatchObject({ ok: true, requests: 3 })
    await storage.ledger.apply(settle(first + 1n, node, 22n, { tokens: 3 }))
    await storage.ledger.apply(settle(first + 2n, node, 33n, { tokens: 4 }))
    const corrected = await storage.ledger.audit()
    expect(corrected).toMatchObject({ ok: true, transfers: sealed.transfers + 2 })
    // What the repetition never delivered is charged after all.
    await storage.ledger.apply({ verb: 'collect', limit: 10 })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
    await toNextMonth(opened, DAY)
    await sealAll(storage)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, requests: 3, lastSeal: expect.any(String) })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
  })

  test('killed at any step, sealing begins the month anew; the result is the same', async () => {
    const opened = use()
    const { raw } = opened
    let { storage } = opened
    await threeMonths(opened)
    await opened.elapse(DAY)
    for (let steps = 1; !(await sealSome(storage, steps)); steps++) {
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
      expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
      if (steps === 3) storage = await opened.reopen()
    }
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealedMonths: 3 })
    const rows = await raw('SELECT ends_at, account FROM month_seal_account ORDER BY ends_at, account')
    expect(rows.length).toBe(6)
  })

  test('two processes that seal the same month write it once', async () => {
    const opened = use()
    const { storage, raw } = opened
    await threeMonths(opened)
    await opened.elapse(DAY)
    const [one, other] = [storage.months.seal(), storage.months.seal()]
    for (let step = 0; step < 4; step++) await Promise.all([one.next(), other.next()])
    await sealAll(storage)
    // What they have added up is of months that are sealed now.
    for (const each of [one, other]) for await (const _ of each);
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, sealedMonths: 3 })
    expect((await raw('SELECT count(*) AS seals FROM month_seal')).map(({ seals }) => Number(seals))).toEqual([3])
  })

  test('a ledger that is not consistent in a month is not sealed', async () => {
    const opened = use()
    const { storage, raw } = opened
    const { names } = await threeMonths(opened)
    await raw('UPDATE request SET cost = cost + 1 WHERE cost = 60')
    const failed = await sealAll(storage).catch((error: unknown) => error)
    expect(String(failed)).toContain(`${names[0]} is not sealed: what requests cost is not what accounts were charged`)
    expect(await storage.months.state()).toMatchObject({ sealed: 0 })
  })

  test('while requests are charged, months are sealed and every audit is clean', async () => {
    const opened = use()
    const { storage } = opened
    const { wallets, node } = await threeMonths(opened)
    await opened.elapse(DAY)
    const later = await newNode(storage, 2)
    let [isSealed, id] = [false, firstIdAt(opened.now())]
    const load = async () => {
      for (; !isSealed; ) {
        const batch = wallets.flatMap((wallet) => Array.from({ length: 8 }, () => ({ id: ++id, wallet })))
        await Promise.all(
          batch.map(({ id, wallet }) => storage.ledger.apply(hold(id, wallet, later, { amount: 3n, minimum: 3n }))),
        )
        await Promise.all(batch.map(({ id }) => storage.ledger.apply(settle(id, later, 2n))))
      }
    }
    const charging = load()
    const sealing = storage.months.seal()
    while (!(await sealing.next()).done) expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    isSealed = true
    await charging
    expect(node.nodeId).toBe(1)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, sealedMonths: 3, openHolds: 0 })
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
    // Every receipt is found, in sealed months and after.
    for (const { account } of wallets)
      for (const { request } of await storage.ledger.usage(account, 0))
        expect(await storage.ledger.findRequest(account, request)).toBeDefined()
  })

  const transfer = (request: bigint | 'NULL', debit: bigint, credit: bigint, at: number) =>
    `INSERT INTO transfer (request, debit, credit, amount, reason, at) VALUES (${request}, ${debit}, ${credit}, 5, '', ${at})`

  type Found = Partial<Omit<AuditReport, 'ok'>>
  type Sealed = Months & { first: bigint; began: number }
  type Tampering = {
    name: string
    sql(months: Sealed): string
    audit(months: Sealed): Found
    deep?(months: Sealed): Found
  }
  const tamperings: Tampering[] = [
    {
      name: 'a balance raised',
      sql: ({ wallets: [{ account }] }) => `UPDATE account SET balance = balance + 1 WHERE id = ${account}`,
      audit: ({ wallets: [{ account }] }) => ({ balanceMismatches: [account] }),
    },
    {
      name: 'a sealed balance raised, with that of the account',
      sql: ({ wallets: [{ account }] }) => `UPDATE month_seal_account SET balance = balance + 1
        WHERE account = ${account} AND ends_at = (SELECT max(ends_at) FROM month_seal)`,
      audit: ({ wallets: [{ account }], names }) => ({
        balanceMismatches: [account],
        sealMismatches: [names[2] ?? ''],
      }),
      deep: ({ names }) => ({ sealMismatches: [names[2] ?? ''] }),
    },
    {
      name: 'a row of an earlier seal',
      sql: () => 'UPDATE month_seal_key SET spent = spent - 1 WHERE ends_at = (SELECT min(ends_at) FROM month_seal)',
      audit: ({ names }) => ({ sealMismatches: [names[0] ?? ''] }),
      deep: ({ names }) => ({ sealMismatches: names.slice(0, 2) }),
    },
    {
      name: 'a row of a seal removed',
      sql: () => 'DELETE FROM month_seal_account WHERE ends_at = (SELECT min(ends_at) FROM month_seal)',
      audit: ({ names }) => ({ sealMismatches: [names[0] ?? ''] }),
      deep: ({ names }) => ({ sealMismatches: names.slice(0, 2) }),
    },
    {
      name: 'the hash of a seal',
      sql: () => `UPDATE month_seal SET hash = 'x' WHERE ends_at = (SELECT min(ends_at) FROM month_seal)`,
      audit: ({ names }) => ({ sealMismatches: names.slice(0, 2) }),
    },
    {
      name: 'an earlier seal removed',
      sql: () => 'DELETE FROM month_seal WHERE ends_at = (SELECT min(ends_at) FROM month_seal)',
      audit: ({ names }) => ({ sealMismatches: [names[1] ?? ''], sealedMonths: 2 }),
    },
    {
      name: 'a credit that is booked into a sealed month',
      sql: ({ wallets: [{ account }], began }) => transfer('NULL', CREDIT, account, began),
      audit: ({ wallets: [{ account }], names }) => ({
        balanceMismatches: [account],
        sealMismatches: [names[2] ?? ''],
      }),
    },
    {
      name: 'a second charge of a sealed request',
      sql: ({ wallets: [{ account }], first, began }) => transfer(first, account, REVENUE, began + 100 * DAY),
      audit: ({ wallets: [{ account }], first }) => ({
        balanceMismatches: [account],
        spendingMismatches: [account],
        requestMismatches: [first],
      }),
    },
    {
      name: 'the receipt of a sealed request, which a deep audit finds',
      sql: ({ first }) => `UPDATE request SET cost = cost - 1 WHERE id = ${first}`,
      audit: () => ({}),
      deep: ({ wallets: [{ account, key }], first, names }) => ({
        spentMismatches: [account],
        keySpentMismatches: [key],
        requestMismatches: [first],
        sealMismatches: [names[0] ?? ''],
      }),
    },
    {
      name: 'a sealed request removed, which a deep audit finds',
      sql: ({ first }) => `DELETE FROM request WHERE id = ${first}`,
      audit: () => ({}),
      deep: ({ wallets: [{ account, key }], first, names }) => ({
        spentMismatches: [account],
        keySpentMismatches: [key],
        requestMismatches: [first],
        spendingMismatches: [account],
        sealMismatches: [names[0] ?? ''],
      }),
    },
    {
      name: 'an hour of a sealed month, which a deep audit finds',
      sql: ({ wallets: [{ account }], began }) =>
        `UPDATE hourly_spending SET tokens = tokens + 1 WHERE account = ${account} AND outcome = 'failed' AND hour < ${began + HOUR}`,
      audit: () => ({}),
      deep: ({ wallets: [{ account }], names }) => ({
        spendingMismatches: [account],
        sealMismatches: [names[0] ?? ''],
      }),
    },
    {
      name: 'an open request in a sealed month',
      sql: ({ first }) => `UPDATE request SET state = 0 WHERE id = ${first + 2n}`,
      audit: ({ wallets: [{ account, key }] }) => ({
        heldMismatches: [account],
        keyHeldMismatches: [key],
        openMismatches: [account],
        keyOpenMismatches: [key],
      }),
      deep: ({ wallets: [{ account, key }], names }) => ({
        heldMismatches: [account],
        keyHeldMismatches: [key],
        openMismatches: [account],
        keyOpenMismatches: [key],
        spendingMismatches: [account],
        sealMismatches: [names[0] ?? ''],
      }),
    },
  ]
  for (const { name, sql, audit, deep = audit } of tamperings)
    test(`the audit of sealed months finds ${name}`, async () => {
      const opened = use()
      const { storage, raw } = opened
      const began = opened.now()
      const months = { ...(await threeMonths(opened)), first: firstIdAt(began), began }
      await opened.elapse(DAY)
      await sealAll(storage)
      const clean = await storage.ledger.audit()
      expect(clean).toMatchObject({ ok: true, sealedMonths: 3 })
      await raw(sql(months))
      const counted = ({ requests: _, transfers: __, openHolds: ___, ...report }: AuditReport) => report
      for (const [isDeep, found] of [
        [false, audit(months)],
        [true, deep(months)],
      ] as const) {
        const ok = Object.keys(found).length === 0
        expect(counted(await storage.ledger.audit({ deep: isDeep }))).toEqual(
          counted({ ...clean, ok, isDeep, ...found }),
        )
      }
    })
}
