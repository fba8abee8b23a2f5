// Sealed months: what keeps a month open, what an audit proves of it, and what stops the sealing.
import { expect, test } from 'bun:test'
import { firstIdAt } from '../../../src/money/request-ids.ts'
import type { AuditReport, Storage } from '../../../src/storage/storage.ts'
import { hold, newNode, newWallet, settle, type Use } from '../harness.ts'
import { DAY, FREE, nameOf, sealAll, threeMonths, toNextMonth } from './three-months.ts'

/** The first `steps` of them, as if the process were killed then. */
async function sealSome(storage: Storage, steps: number): Promise<boolean> {
  const sealing = storage.months.seal()
  for (let step = 0; step < steps; step++) if ((await sealing.next()).done) return true
  return false
}

const lists = ({ ok: _, isDeep: __, sealedMonths, sealedUntil, lastSeal, ...report }: AuditReport) => report

export function sealingContract(use: Use): void {
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

  test('months that are sealed long after are sealed with what was corrected since; an account is still erased', async () => {
    const opened = use()
    const { storage, raw } = opened
    const [wallet, node] = [await newWallet(storage, 1_000n), await newNode(storage)]
    const first = firstIdAt(opened.now())
    for (const id of [first, first + 1n]) await storage.ledger.apply(hold(id, wallet, node))
    await storage.ledger.apply({ verb: 'leave', ...node })
    await storage.ledger.apply({ verb: 'reap', limit: 10 })
    await toNextMonth(opened, 20 * DAY)
    // Later than the transfers of a month are looked for at first, and behind many others.
    await raw(`INSERT INTO transfer (debit, credit, amount, at) WITH RECURSIVE count (n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 20001) SELECT -3, -2, 1, ${opened.now()} FROM count`)
    await storage.ledger.apply(settle(first, node, 70n))
    await toNextMonth(opened)
    await storage.ledger.apply(settle(first + 1n, node, 30n))
    await toNextMonth(opened)
    await sealAll(storage)
    const audit = await storage.ledger.audit()
    expect(audit).toMatchObject({ ok: true, requests: 2, transfers: 20_004 })
    expect(audit.sealedMonths).toBeGreaterThan(1)
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true })
    expect(await storage.accounts.erase(wallet.account, { force: true })).toBe(true)
    expect(await storage.ledger.audit({ deep: true })).toMatchObject({ ok: true, lastSeal: audit.lastSeal })
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

  for (const steps of [1, 2, 3, 4, 5, 6])
    test(`processes that seal the same months write each once, one overtaken after ${steps} steps`, async () => {
      const opened = use()
      const { storage, raw } = opened
      await threeMonths(opened)
      await opened.elapse(DAY)
      const [slow, one, other] = [storage.months.seal(), storage.months.seal(), storage.months.seal()]
      for (let step = 0; step < steps; step++) await slow.next()
      for (let step = 0; step < steps; step++) await Promise.all([one.next(), other.next()])
      // What was added up before is of months that are sealed by then.
      for (const each of [one, other, slow]) for await (const _ of each);
      await sealAll(storage)
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
}
