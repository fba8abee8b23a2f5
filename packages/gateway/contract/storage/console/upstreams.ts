// Switches of upstreams, and what their tests cost.
import { expect, test } from 'bun:test'
import { REVENUE, TESTS } from '../../../src/money/book.ts'
import type { KeyCount, UpstreamCount } from '../../../src/observe/metrics/upstream-measures.ts'
import { newAccount, thrownBy, type Use } from '../harness.ts'

export function upstreamsContract(use: Use): void {
  test('a switch is kept with its reason, outlives resets, and each change moves the change counter', async () => {
    const { storage } = use()
    const counters = [await storage.keys.changeCounter()]
    const steps = [
      () => storage.upstreams.setSwitch({ upstream: 'a', state: 'disabled', actor: 'person/7', reason: 'broken' }),
      () => storage.upstreams.reset('a'),
      () => storage.upstreams.reset('b'),
      () => storage.upstreams.reset('b'),
      () => storage.upstreams.setSwitch({ upstream: 'b', state: 'draining', actor: 'command-line', reason: '' }),
    ]
    expect(await storage.upstreams.switches()).toEqual([])
    for (const step of steps) {
      await step()
      counters.push(await storage.keys.changeCounter())
    }
    expect(counters).toEqual([...new Set(counters)].sort((one, other) => Number(one - other)))
    expect(await storage.upstreams.switches()).toEqual([
      { upstream: 'a', state: 'disabled', actor: 'person/7', reason: 'broken', at: expect.any(Number), resets: 1 },
      { upstream: 'b', state: 'draining', actor: 'command-line', reason: '', at: expect.any(Number), resets: 2 },
    ])
    await storage.upstreams.setSwitch({ upstream: 'a', state: 'enabled', actor: 'command-line', reason: 'repaired' })
    expect((await storage.upstreams.switches())[0]).toMatchObject({ state: 'enabled', reason: 'repaired', resets: 1 })
  })

  test('the cost of a test is a transfer on nobody’s balance, beside its audit entry, and the audit proves it', async () => {
    const { storage } = use()
    const account = await newAccount(storage, 5n)
    const entry = {
      actor: { type: 'job', id: 'x' },
      address: '',
      requestId: undefined,
      action: 'upstream test',
    } as const
    const { upstreams } = storage.audited({ ...entry, object: 'upstream/a', before: undefined, after: {}, reason: '' })
    await upstreams.bookTest(7n, 'test of a')
    expect((await storage.accounts.find(account.id))?.balance).toBe(5n)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, transfers: 2 })
    expect((await storage.lists.transfers({ kind: 'test' }, {}, 10)).rows).toMatchObject([
      { debit: TESTS, credit: REVENUE, amount: 7n, reason: 'test of a', request: undefined },
    ])
    expect((await storage.lists.transfers({ kind: 'debit' }, {}, 10)).rows).toEqual([])
    expect(await storage.auditLog.page({ action: 'upstream test' }, 10)).toHaveLength(1)
    for (const amount of [0n, -1n, 1n << 62n])
      expect(await thrownBy(storage.upstreams.bookTest(amount, ''))).toBeInstanceOf(RangeError)
  })

  test('counts of calls are added up by hour, also by nodes that write at once, and removed with their hour', async () => {
    const { storage, elapse } = use()
    const { upstreams } = storage
    const good = { upstream: 'a', measure: 'good', bucket: 3, count: 2 } as const
    const failed = { ...good, measure: 'failed', count: 1 } as const
    const add = (counts: UpstreamCount[]) => upstreams.addCounts({ counts, keys: [] })
    const first = storage.now()
    await upstreams.addCounts({ counts: [], keys: [] })
    await Promise.all(Array.from({ length: 10 }, (_, at) => add(at % 2 ? [good, failed] : [failed, good])))
    await elapse(3_600_000)
    await add([{ ...good, upstream: 'b' }])
    const hour = first - (first % 3_600_000)
    const later = { ...good, hour: hour + 3_600_000, upstream: 'b' }
    const counts = await upstreams.counts(first)
    expect(counts).toHaveLength(3)
    expect(counts).toContainEqual({ hour, upstream: 'a', measure: 'good', bucket: 3, count: 20 })
    expect(counts).toContainEqual({ hour, upstream: 'a', measure: 'failed', bucket: 3, count: 10 })
    expect(counts).toContainEqual(later)
    expect(await upstreams.counts(first, 'b')).toEqual([later])
    expect(await upstreams.sweepCounts(hour + 3_600_000 - 1)).toBe(0)
    expect(await upstreams.sweepCounts(hour + 3_600_000)).toBe(2)
    expect(await upstreams.counts(0)).toEqual([later])
    expect(await thrownBy(add([{ ...good, count: 0 }]))).toBeInstanceOf(RangeError)
  })

  test('calls are added up by key, also by nodes that write at once, and removed with their hour', async () => {
    const { storage, elapse } = use()
    const { upstreams } = storage
    const [one, two] = ['one', 'two'].map((key) => ({ upstream: 'a', key, calls: 3, failed: 1 })) as [
      KeyCount,
      KeyCount,
    ]
    const add = (...keys: KeyCount[]) => upstreams.addCounts({ counts: [], keys })
    const first = storage.now()
    await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? add(one, two) : add(two, one))))
    await elapse(3_600_000)
    await add({ ...one, failed: 0 }, { ...one, upstream: 'b' })
    expect(await upstreams.keyCounts(first, 'a')).toEqual([
      { ...one, calls: 33, failed: 10 },
      { ...two, calls: 30, failed: 10 },
    ])
    expect(await upstreams.keyCounts(storage.now(), 'a')).toEqual([{ ...one, failed: 0 }])
    expect(await upstreams.keyCounts(first, 'b')).toEqual([{ ...one, upstream: 'b' }])
    await upstreams.sweepCounts(storage.now())
    expect(await upstreams.keyCounts(first, 'a')).toEqual([{ ...one, failed: 0 }])
    for (const wrong of [
      { calls: 0, failed: 0 },
      { calls: 1, failed: 2 },
    ])
      expect(await thrownBy(add({ ...one, ...wrong }))).toBeInstanceOf(RangeError)
  })
}
