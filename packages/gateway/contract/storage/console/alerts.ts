import { expect, test } from 'bun:test'
import { ANY_OBJECT } from '../../../src/storage/console/alerts.ts'
import { hold, newNode, newWallet, settle, type Use } from '../harness.ts'

const MINUTE = 60_000
const FACT = { rule: 'disk_full', object: 'node 1', amount: 95, total: 100 }
const CONDITION = { rule: 'upstream_down', object: 'upstream main', value: 'breaker open', since: 1_000 }
const TO = [
  { target: 'webhook a', body: '{"n":1}' },
  { target: 'email b', body: 'text' },
]

export function alertsContract(use: Use): void {
  test('facts of a source replace those before, and expire', async () => {
    const { alerts } = use().storage
    await alerts.putFacts('node 1', [FACT, { ...FACT, rule: 'other' }], 100)
    await alerts.putFacts('node 2', [FACT], 200)
    await alerts.putFacts('node 1', [{ ...FACT, amount: 96 }], 100)
    expect((await alerts.facts(99)).map(({ amount }) => amount).toSorted()).toEqual([95, 96])
    expect(await alerts.facts(100)).toEqual([FACT])
    await alerts.putFacts('node 2', [], 300)
    expect(await alerts.facts(0)).toHaveLength(1)
  })

  test('an object has one unresolved alert of a rule, and a new one after that', async () => {
    const { alerts } = use().storage
    const first = await alerts.begin(CONDITION)
    expect(first).toMatchObject({ ...CONDITION, firedAt: undefined, clearSince: undefined, resolvedAt: undefined })
    const id = first?.id ?? 0n
    expect(await alerts.begin({ ...CONDITION, since: 2_000 })).toBeUndefined()
    expect(await alerts.begin({ ...CONDITION, object: 'upstream other' })).toMatchObject({ object: 'upstream other' })
    expect(await alerts.list({}, 10)).toEqual([])
    expect(await alerts.fire(id, 3_000, [])).toBe(true)
    await alerts.drop(id)
    await alerts.update(id, { value: 'closed', clearSince: 4_000 })
    expect(await alerts.list({ isOpen: true }, 10)).toMatchObject([{ id, firedAt: 3_000, clearSince: 4_000 }])
    expect(await alerts.resolve(id, 5_000, [])).toBe(true)
    expect((await alerts.unresolved()).map(({ object }) => object)).toEqual(['upstream other'])
    expect(await alerts.list({ isOpen: false }, 10)).toMatchObject([{ id, value: 'closed', resolvedAt: 5_000 }])
    const again = await alerts.begin(CONDITION)
    await alerts.drop(again?.id ?? 0n)
    expect(await alerts.unresolved()).toHaveLength(1)
  })

  test('of many processes one fires and one resolves, each with one delivery for each target', async () => {
    const { alerts } = use().storage
    const { id = 0n } = (await alerts.begin(CONDITION)) ?? {}
    const wins = async (tries: Promise<boolean>[]) => (await Promise.all(tries)).filter(Boolean)
    expect(await alerts.resolve(id, 1, TO)).toBe(false)
    expect(await wins([1, 2, 3].map((at) => alerts.fire(id, at, TO)))).toEqual([true])
    // The condition has become true again, which another process has not seen.
    expect(await alerts.resolve(id, 4, TO)).toBe(false)
    await alerts.update(id, { value: '', clearSince: 4 })
    expect(await wins([5, 6, 7].map((at) => alerts.resolve(id, at, TO)))).toEqual([true])
    const all = await alerts.deliveries([id, 999n])
    expect(all.map(({ event, target }) => `${event} ${target}`)).toEqual([
      'fired webhook a',
      'fired email b',
      'resolved webhook a',
      'resolved email b',
    ])
  })

  test('a delivery is claimed once for each try; what was resolved waits for what fired', async () => {
    const { alerts } = use().storage
    const { id = 0n } = (await alerts.begin(CONDITION)) ?? {}
    await alerts.fire(id, 1_000, TO.slice(0, 1))
    await alerts.update(id, { value: '', clearSince: 1_000 })
    await alerts.resolve(id, 1_000, TO.slice(0, 1))
    const due = (now: number) => alerts.due(now, now + 10 * MINUTE, 10)
    expect(await due(999)).toEqual([])
    const [first] = await due(1_000)
    expect(await due(1_000)).toHaveLength(1)
    expect(first).toMatchObject({ alert: id, event: 'fired', target: 'webhook a', body: '{"n":1}', tries: 0 })
    if (!first) throw new Error('nothing is due')
    expect(await Promise.all([alerts.claim(first, 2_000), alerts.claim(first, 2_000)])).toContain(false)
    await alerts.record(first.id, { endedAt: undefined, error: `a\0${'x'.repeat(2_000)}` })
    expect(await due(1_999)).toEqual([])
    // The clock was set back by an hour.
    expect(await due(2_000 - 60 * MINUTE)).toMatchObject([{ tries: 1 }])
    await alerts.record(first.id, { endedAt: 3_000, error: undefined })
    expect(await due(1_000)).toMatchObject([{ event: 'resolved' }])
    expect((await alerts.deliveries([id]))[0]).toMatchObject({ tries: 1, endedAt: 3_000, error: undefined })
  })

  test('old alerts are removed with their deliveries', async () => {
    const { alerts } = use().storage
    for (const at of [1_000, 2_000]) {
      const { id = 0n } = (await alerts.begin(CONDITION)) ?? {}
      await alerts.fire(id, at, TO)
      await alerts.update(id, { value: '', clearSince: at })
      await alerts.resolve(id, at, TO)
    }
    expect([await alerts.sweep(2_000, 10), await alerts.sweep(2_000, 10)]).toEqual([1, 0])
    const [left] = await alerts.list({}, 10)
    expect(left?.resolvedAt).toBe(2_000)
    expect(await alerts.deliveries([left?.id ?? 0n])).toHaveLength(4)
  })

  test('a mute replaces the one before, and is over at its end', async () => {
    const { alerts } = use().storage
    const mute = { rule: 'upstream_down', object: 'upstream main', until: 200, actor: 'person/1' }
    await alerts.setMute({ ...mute, until: 100 }, 50)
    await alerts.setMute({ ...mute, object: ANY_OBJECT, until: 300 }, 60)
    await alerts.setMute(mute, 70)
    expect(await alerts.mutes(199)).toEqual([{ ...mute, object: ANY_OBJECT, until: 300 }, mute])
    expect(await alerts.mutes(200)).toEqual([{ ...mute, object: ANY_OBJECT, until: 300 }])
    await alerts.removeMute('upstream_down', ANY_OBJECT)
    expect(await alerts.mutes(0)).toEqual([mute])
  })

  test('what fires under a mute has no delivery; of many processes one sends it afterwards', async () => {
    const { alerts } = use().storage
    const { id = 0n } = (await alerts.begin(CONDITION)) ?? {}
    expect([await alerts.fireMuted(id, 1), await alerts.fireMuted(id, 2)]).toEqual([true, false])
    expect(await alerts.list({}, 1)).toMatchObject([{ firedAt: 1, isMuted: true }])
    expect(await alerts.deliveries([id])).toEqual([])
    const sent = await Promise.all([3, 4].map((at) => alerts.fireAfterMute(id, at, TO)))
    expect(sent.toSorted()).toEqual([false, true])
    expect(await alerts.deliveries([id])).toHaveLength(TO.length)
    expect(await alerts.list({}, 1)).toMatchObject([{ firedAt: 1, isMuted: false }])
  })

  test('old holds, and models whose upstreams cost more than was charged', async () => {
    const { storage, now, elapse } = use()
    const node = await newNode(storage)
    const wallet = await newWallet(storage, 1_000_000n)
    await storage.ledger.apply(hold(1n, wallet, node, { amount: 700n, minimum: 700n, model: 'cheap' }))
    await storage.ledger.apply(hold(2n, wallet, node, { amount: 700n, minimum: 700n, model: 'dear' }))
    await storage.ledger.apply(hold(3n, wallet, node, { amount: 50n, minimum: 50n }))
    const { alerts, ledger } = storage
    expect(await alerts.oldHolds(now())).toEqual({ count: 0, held: 0n, oldestAt: undefined })
    expect(await alerts.oldHolds(now() + 1)).toEqual({ count: 3, held: 1_450n, oldestAt: now() })
    await ledger.apply(settle(1n, node, 500n, { upstream: 'main', upstreamCost: 499n }))
    await ledger.apply(settle(2n, node, 500n, { upstream: 'main', upstreamCost: 600n }))
    await elapse(1)
    expect(await alerts.oldHolds(now())).toMatchObject({ count: 1, held: 50n })
    const hour = now() - (now() % (60 * MINUTE))
    expect(await alerts.losses(hour, 99n, 10)).toEqual([{ model: 'dear', charged: 500n, upstreamCost: 600n }])
    expect(await alerts.losses(hour, 100n, 10)).toEqual([])
    expect(await alerts.losses(hour + 60 * MINUTE, 0n, 10)).toEqual([])
  })
}
