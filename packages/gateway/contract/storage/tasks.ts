import { expect, test } from 'bun:test'
import { DEAD_AFTER_MS, taskLease, taskOwner } from '../../src/money/ledger.ts'
import { endOf, NO_LIMITS, PERIODS, type Period } from '../../src/money/limits.ts'
import { voidLostTaskHolds } from '../../src/storage/node/lost-task-holds.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  charged,
  extend,
  hold,
  money,
  newNode,
  newWallet,
  result,
  settle,
  thrownBy,
  type Use,
  voided,
  type Wallet,
} from './harness.ts'

const TTL_MS = 30_000
const HOUR_MS = 3_600_000
const reap = (storage: Storage) => storage.ledger.apply({ verb: 'reap', limit: 100 })
const acquire = (storage: Storage, id: bigint, holder: string) => storage.leases.acquire(taskLease(id), holder, TTL_MS)

export function tasksContract(use: Use): void {
  /** The hold of a new task, placed by the first holder of its lease. */
  async function begun(id: bigint, wallet: Wallet, deadline = use().now() + HOUR_MS) {
    const { storage } = use()
    const epoch = await acquire(storage, id, 'a')
    if (epoch === undefined) throw new Error('the lease is taken')
    const owner = taskOwner(id, epoch)
    expect(await storage.ledger.apply(hold(id, wallet, owner, { deadline }))).toEqual(result('done', 100n))
    return owner
  }

  test('a lease has one holder until it expires or is released, and each holder a later epoch', async () => {
    const { leases } = use().storage
    expect(await leases.acquire('job', 'a', TTL_MS)).toBe(1)
    expect(await leases.acquire('job', 'a', TTL_MS)).toBe(1)
    expect(await leases.acquire('job', 'b', TTL_MS)).toBeUndefined()
    expect(await leases.acquire('another job', 'b', TTL_MS)).toBe(1)
    await use().elapse(TTL_MS - 1)
    expect(await leases.renew('job', 1, TTL_MS)).toBe(true)
    await use().elapse(TTL_MS - 1)
    expect(await leases.acquire('job', 'b', TTL_MS)).toBeUndefined()
    await use().elapse(1)
    expect(await leases.renew('job', 1, TTL_MS)).toBe(false)
    expect(await leases.acquire('job', 'b', TTL_MS)).toBe(2)
    // The former holder can neither renew nor release it.
    expect(await leases.renew('job', 1, TTL_MS)).toBe(false)
    await leases.release('job', 1)
    expect(await leases.acquire('job', 'c', TTL_MS)).toBeUndefined()
    await leases.release('job', 2)
    await leases.release('job', 2)
    expect(await leases.renew('job', 2, TTL_MS)).toBe(false)
    expect(await leases.acquire('job', 'c', TTL_MS)).toBe(3)
    expect(await leases.renew('not acquired', 1, TTL_MS)).toBe(false)
    await leases.release('not acquired', 1)
  })

  test('a clock that was set back: a lease for longer than any holder may have it has expired', async () => {
    const { storage, elapse } = use()
    const { leases } = storage
    expect(await leases.acquire('job', 'a', TTL_MS, TTL_MS)).toBe(1)
    expect(await leases.acquire('job', 'b', TTL_MS, TTL_MS)).toBeUndefined()
    await elapse(-1)
    expect(await leases.acquire('job', 'b', TTL_MS, HOUR_MS)).toBeUndefined()
    await elapse(1 - HOUR_MS)
    expect(await leases.acquire('job', 'b', TTL_MS)).toBeUndefined()
    expect(await leases.acquire('job', 'b', TTL_MS, TTL_MS)).toBe(2)
    expect(await leases.renew('job', 1, TTL_MS)).toBe(false)
    expect(await leases.acquire('job', 'a', TTL_MS, TTL_MS)).toBeUndefined()
  })

  test('of many that acquire one lease at once, one gets it', async () => {
    const { leases } = use().storage
    const epochs = await Promise.all(Array.from({ length: 20 }, (_, each) => leases.acquire('job', `${each}`, TTL_MS)))
    expect(epochs.filter((epoch) => epoch !== undefined)).toEqual([1])
  })

  test("a task's hold survives the death of all nodes and a restart, and is settled once by the holder of its lease", async () => {
    const { storage, elapse, reopen } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const first = await begun(1n, wallet)
    await storage.ledger.apply(hold(2n, wallet, node))
    await elapse(DEAD_AFTER_MS + TTL_MS)
    expect(await reap(storage)).toEqual(result('done', 1n))
    const next = await reopen()
    expect(await reap(next)).toEqual(result('done', 0n))
    expect(await money(next, wallet)).toMatchObject({ balance: 1_000n, held: 100n })
    const epoch = await acquire(next, 1n, 'b')
    expect(epoch).toBe(2)
    const second = taskOwner(1n, 2)
    // The former holder may come back at any time.
    expect(await next.ledger.apply(settle(1n, first, 90n))).toEqual(result('not_open'))
    expect(await next.ledger.apply(voided(1n, first))).toEqual(result('not_open'))
    // The new holder may not know whether the hold was placed.
    expect(await next.ledger.apply(hold(1n, wallet, second, { deadline: use().now() + 1 }))).toEqual(
      result('repeated', 100n),
    )
    expect(await next.ledger.apply(settle(1n, second, 60n))).toEqual(charged(60n))
    expect(await next.ledger.apply(settle(1n, second, 60n))).toEqual(result('repeated', 60n))
    expect(await next.ledger.apply(voided(1n, second))).toEqual(result('repeated', 60n))
    expect(await next.ledger.apply(settle(1n, first, 90n))).toEqual(result('not_open'))
    expect(await money(next, wallet)).toEqual({ balance: 940n, held: 0n, spent: 60n, keyHeld: 0n })
    expect((await next.ledger.audit()).ok).toBe(true)
  })

  test('a holder whose lease has expired may still end the task as long as no other holder has acquired it', async () => {
    const { storage, elapse } = use()
    const wallet = await newWallet(storage)
    const [one, two] = [await begun(1n, wallet), await begun(2n, wallet)]
    await elapse(TTL_MS)
    expect(await storage.ledger.apply(voided(1n, one))).toEqual(result('done', 0n))
    await storage.leases.release(taskLease(2n), two.epoch)
    expect(await storage.ledger.apply(settle(2n, two, 30n))).toEqual(charged(30n))
    expect(await money(storage, wallet)).toMatchObject({ balance: 970n, held: 0n })
  })

  test("at its deadline a task's hold is voided for good", async () => {
    const { storage, elapse, now } = use()
    const wallet = await newWallet(storage)
    const owner = await begun(1n, wallet, now() + 5_000)
    await storage.ledger.apply({
      verb: 'extend',
      ...owner,
      known: 100n,
      amount: 50n,
      minimum: 50n,
      tokens: 0,
      progress: 70n,
    })
    await elapse(4_999)
    expect(await reap(storage)).toEqual(result('done', 0n))
    await elapse(1)
    expect(await reap(storage)).toEqual(result('done', 1n))
    expect(await storage.ledger.findRequest(wallet.account, 1n)).toMatchObject({
      state: 2,
      outcome: 'expired',
      cost: 0n,
      held: 150n,
    })
    expect(await storage.ledger.apply(settle(1n, owner, 60n))).toEqual(result('repeated', 0n))
    expect(await money(storage, wallet)).toEqual({ balance: 1_000n, held: 0n, spent: 0n, keyHeld: 0n })
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('a task is not a running request: it neither counts for a limit of concurrent requests nor is held up by it', async () => {
    const { storage, now } = use()
    const limits = { ...NO_LIMITS, concurrent: 1, requestsPerMinute: 4 }
    const [wallet, node] = [await newWallet(storage, 1_000n, { limits }), await newNode(storage)]
    const owner = await begun(1n, wallet)
    expect(await storage.ledger.apply(hold(2n, wallet, node))).toEqual(result('done', 100n))
    expect(await storage.ledger.apply(hold(3n, wallet, node))).toEqual(result('key_concurrent'))
    await begun(4n, wallet)
    expect((await storage.ledger.audit()).ok).toBe(true)
    await storage.ledger.apply(settle(1n, owner, 1n))
    expect(await storage.ledger.apply(hold(3n, wallet, node))).toEqual(result('key_concurrent'))
    await storage.ledger.apply(settle(2n, node, 1n))
    expect(await storage.ledger.apply(hold(3n, wallet, node))).toEqual(result('done', 100n))
    // It does count for limits per minute: the fifth request of this minute is rejected.
    await acquire(storage, 5n, 'a')
    const fifth = hold(5n, wallet, taskOwner(5n, 1), { deadline: now() + HOUR_MS })
    expect((await storage.ledger.apply(fifth)).verdict).toBe('key_requests')
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  /** `also`: what was spent after the submit, and before the end of the task. */
  for (const also of [0n, 7n])
    for (const ended of PERIODS)
      test(`a task is charged in the ${ended} of its submit (${also} spent in the next one)`, async () => {
        const { storage, elapse, now } = use()
        const untilEndOf = (period: Period) => endOf(period, now()) - now()
        // Not where a longer period ends as well.
        while (PERIODS.some((longer) => longer !== ended && endOf(longer, now()) === endOf(ended, now())))
          await elapse(untilEndOf('day'))
        await elapse(untilEndOf(ended) - 1_000)
        const wallets = []
        for (const [index, capPeriod] of PERIODS.entries()) {
          const wallet = await newWallet(storage, 1_000n, { cap: 500n, capPeriod })
          wallets.push({ wallet, owner: await begun(BigInt(index + 1), wallet), capPeriod })
        }
        const before = now()
        await elapse(1_000)
        const node = await newNode(storage)
        for (const [index, { wallet, owner, capPeriod }] of wallets.entries()) {
          if (also > 0n) {
            const id = BigInt(index + 11)
            await storage.ledger.apply(hold(id, wallet, node))
            await storage.ledger.apply(settle(id, node, also))
          }
          expect(await storage.ledger.apply(settle(owner.id, owner, 60n))).toEqual(charged(60n))
          const isSame = endOf(capPeriod, before) === endOf(capPeriod, now())
          const { key } = (await storage.keys.findWithAccount(wallet.key)) ?? {}
          expect(key).toMatchObject({ spent: 60n + also, spentUnderCap: isSame ? 60n + also : also })
        }
        expect((await storage.ledger.audit()).ok).toBe(true)
      })

  for (const capPeriod of [undefined, ...PERIODS])
    test(`a task is charged its hold at most, so that no cap is exceeded (by ${capPeriod ?? 'no period'})`, async () => {
      const { storage, elapse, now } = use()
      await elapse(endOf(capPeriod ?? 'day', now()) - now() - 1_000)
      const cap = capPeriod && 150n
      const [wallet, node] = [await newWallet(storage, 1_000n, { cap, capPeriod }), await newNode(storage)]
      await storage.ledger.apply(hold(1n, wallet, node, { amount: 50n, minimum: 50n }))
      await storage.ledger.apply(settle(1n, node, 50n))
      const owner = await begun(2n, wallet)
      // The period of the submit is full and over. There is room in the next one, which is not charged.
      await elapse(1_000)
      expect(await storage.ledger.apply(settle(2n, owner, 140n))).toEqual(charged(100n))
      expect(await storage.ledger.findRequest(wallet.account, 2n)).toMatchObject({ cost: 100n, shortfall: 40n })
      const { key } = (await storage.keys.findWithAccount(wallet.key)) ?? {}
      expect(key).toMatchObject({ spent: 150n, spentUnderCap: capPeriod ? 0n : 150n })
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

  test('the lease of a task is removed once no process holds it and its request is not open; the end of the task stays', async () => {
    const { storage, elapse, now, raw } = use()
    const { ledger, leases } = storage
    const names = async () => (await raw('SELECT name FROM lease ORDER BY name')).map(({ name }) => name)
    const wallet = await newWallet(storage)
    await leases.acquire('job/x', 'a', TTL_MS)
    const [, settled] = [await begun(1n, wallet), await begun(2n, wallet)]
    const [gone, expired] = [await begun(3n, wallet), await begun(4n, wallet, now() + TTL_MS)]
    // Never held, and not yet old enough.
    for (const id of [5n, 9n]) await acquire(storage, id, 'a')
    await ledger.apply(settle(2n, settled, 60n))
    await ledger.apply(voided(3n, gone))
    await elapse(TTL_MS - 1)
    expect(await ledger.removeTaskLeases(9n, 10)).toBe(0)
    await elapse(1)
    await reap(storage)
    expect([await ledger.removeTaskLeases(9n, 3), await ledger.removeTaskLeases(9n, 3)]).toEqual([3, 1])
    expect(await names()).toEqual(['job/x', 'task/1', 'task/9'])
    // A holder that was late, and the next one, whose epoch begins anew, change nothing.
    const before = await money(storage, wallet)
    for (const [id, owner, cost] of [
      [2n, settled, 60n],
      [3n, gone, 0n],
      [4n, expired, 0n],
    ] as const) {
      expect(await ledger.apply(settle(id, owner, 70n))).toEqual(result('not_open'))
      expect(await acquire(storage, id, 'b')).toBe(1)
      expect(await ledger.apply(settle(id, taskOwner(id, 1), 70n))).toEqual(result('repeated', cost))
      expect(await ledger.apply(voided(id, taskOwner(id, 1)))).toEqual(result('repeated', cost))
      expect(await ledger.apply(hold(id, wallet, owner, { deadline: now() + 1 }))).toEqual(result('not_open'))
    }
    expect(await ledger.apply(hold(5n, wallet, taskOwner(5n, 1), { deadline: now() }))).toEqual(result('lease_lost'))
    expect(await money(storage, wallet)).toEqual(before)
    // The lease of an open request is the next holder's.
    expect(await acquire(storage, 1n, 'b')).toBe(2)
    expect((await ledger.audit()).ok).toBe(true)
  })

  test('leases that are removed and acquired at the same time have one holder', async () => {
    const { storage, elapse } = use()
    for (let id = 1n; id <= 10n; id++) {
      await acquire(storage, id, 'a')
      await elapse(TTL_MS)
      const [, ...epochs] = await Promise.all([
        storage.ledger.removeTaskLeases(100n, 100),
        ...['b', 'c', 'd'].map((holder) => acquire(storage, id, holder)),
      ])
      const acquired = epochs.filter((epoch) => epoch !== undefined)
      expect(acquired).toHaveLength(1)
      expect(await storage.leases.renew(taskLease(id), acquired[0] ?? 0, TTL_MS)).toBe(true)
    }
  })

  test('a task is held only under its present lease', async () => {
    const { storage, elapse, now } = use()
    const wallet = await newWallet(storage)
    const placed = (epoch: number) =>
      storage.ledger.apply(hold(1n, wallet, taskOwner(1n, epoch), { deadline: now() + HOUR_MS }))
    expect(await placed(1)).toEqual(result('lease_lost'))
    await acquire(storage, 1n, 'a')
    expect(await placed(2)).toEqual(result('lease_lost'))
    await elapse(TTL_MS)
    expect(await placed(1)).toEqual(result('lease_lost'))
    await acquire(storage, 1n, 'b')
    expect(await placed(1)).toEqual(result('lease_lost'))
    expect(await placed(2)).toEqual(result('done', 100n))
  })

  test("a node cannot end a task, nor a task's lease the request of a node", async () => {
    const { storage } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await begun(1n, wallet)
    await storage.ledger.apply(hold(2n, wallet, node))
    await acquire(storage, 2n, 'a')
    expect(await storage.ledger.apply(settle(1n, node, 1n))).toEqual(result('not_open'))
    expect(await storage.ledger.apply(settle(2n, taskOwner(2n, 1), 1n))).toEqual(result('not_open'))
  })

  test('a hold with a deadline belongs to a task, one without to a node', async () => {
    const { storage, now } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    await acquire(storage, 1n, 'a')
    for (const wrong of [hold(1n, wallet, taskOwner(1n, 1)), hold(1n, wallet, node, { deadline: now() })])
      expect(await thrownBy(storage.ledger.apply(wrong))).toBeInstanceOf(RangeError)
  })

  test('a node begins a task: from then on its hold is that of a running request, reaped with its node', async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [
      await newWallet(storage, 1_000n, { limits: { ...NO_LIMITS, concurrent: 1 } }),
      await newNode(storage),
    ]
    const apply = storage.ledger.apply
    const [owner, waiting] = [await begun(1n, wallet), await begun(2n, wallet)]
    const begin = (id: bigint, lease: number) => apply({ verb: 'begin', id, ...node, lease })
    expect(await begin(9n, 1)).toEqual(result('unknown_request'))
    expect(await begin(1n, owner.epoch + 1)).toEqual(result('not_open'))
    expect(await apply({ verb: 'begin', id: 1n, ...node, epoch: node.epoch + 1, lease: owner.epoch })).toEqual(
      result('node_lost'),
    )
    expect(await begin(1n, owner.epoch)).toEqual(result('done', 100n))
    expect(await begin(1n, owner.epoch)).toEqual(result('repeated', 100n))
    // The concurrency of the key counts it, and whoever has the lease of the task cannot end it any more.
    expect(await begin(2n, waiting.epoch)).toEqual(result('key_concurrent'))
    expect(await apply(hold(3n, wallet, node))).toEqual(result('key_concurrent'))
    expect(await apply(settle(1n, owner, 5n))).toEqual(result('not_open'))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 2 })
    expect(await apply(extend(1n, node, { known: 100n, amount: 50n, minimum: 1n, progress: 70n }))).toMatchObject({
      verdict: 'done',
    })
    await elapse(DEAD_AFTER_MS)
    expect(await reap(storage)).toMatchObject({ amount: 1n })
    expect(await storage.ledger.findRequest(wallet.account, 1n)).toMatchObject({ state: 3, cost: 70n })
    expect(await money(storage, wallet)).toMatchObject({ balance: 930n, held: 100n })
    expect(await apply(voided(2n, waiting))).toEqual(result('done'))
    expect(await begin(2n, waiting.epoch)).toEqual(result('not_open'))
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 0 })
  })

  test('what was held with a key that is gone since is not begun', async () => {
    const { storage } = use()
    const node = await newNode(storage)
    for (const [verdict, end] of [
      ['key_invalid', ({ key }: Wallet) => storage.keys.delete(key)],
      ['account_disabled', ({ account }: Wallet) => storage.accounts.setDisabled(account, true)],
    ] as const) {
      const wallet = await newWallet(storage)
      const id = wallet.key + 100n
      const owner = await begun(id, wallet)
      await end(wallet)
      const begin = { verb: 'begin', id, ...node, lease: owner.epoch } as const
      expect(await storage.ledger.apply(begin)).toEqual(result(verdict))
      expect(await money(storage, wallet)).toMatchObject({ held: 100n })
    }
  })

  test('holds of tasks that do not exist are named by the audit, and voided once, under the lease of their task', async () => {
    const { storage } = use()
    const wallet = await newWallet(storage)
    for (const id of [1n, 2n, 3n]) {
      if (id !== 2n) await storage.leases.release(taskLease(id), (await begun(id, wallet)).epoch)
    }
    const owner = await begun(2n, wallet)
    const row = { model: 'video-x', state: 'running', status: 'running', upstream: 'main', data: '{}' } as const
    await storage.tasks.insert({
      ...row,
      id: 1n,
      account: wallet.account,
      key: wallet.key,
      type: 'video',
      serviceTier: undefined,
      upstreamKey: 'hash',
      upstreamTask: 'x',
      deadlineInMs: HOUR_MS,
      dueInMs: HOUR_MS,
    })
    expect((await storage.ledger.audit()).lostTaskHolds).toEqual([2n, 3n])
    // Another process has the lease of the second.
    expect(await voidLostTaskHolds(storage, 'b')).toEqual([{ id: 3n, held: 100n }])
    expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n, held: 200n })
    await storage.leases.release(taskLease(2n), owner.epoch)
    expect(await voidLostTaskHolds(storage, 'b')).toEqual([{ id: 2n, held: 100n }])
    expect([await voidLostTaskHolds(storage, 'b'), (await storage.ledger.audit()).lostTaskHolds]).toEqual([[], []])
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, openHolds: 1 })
    const voids = await storage.ledger.findRequest(wallet.account, 3n)
    expect([voids?.outcome, voids?.receipt]).toEqual(['failed', expect.stringContaining('"possible_upstream_cost"')])
    // The former owner comes late.
    expect((await storage.ledger.apply(settle(2n, owner, 60n))).verdict).toBe('not_open')
  })
}
