// Limits of upstreams and routes that several nodes keep together, whose load differs.
import { expect, test } from 'bun:test'
import type { LimitKind, LimitQuestion, Storage } from '../../../src/storage/storage.ts'
import { createLimits } from '../../../src/upstreams/limits/limits.ts'
import { NO_DEMAND, Reservation, roomFor } from '../../../src/upstreams/limits/reservation.ts'
import type { Use } from '../harness.ts'
import { randomness } from '../random-verbs.ts'

const QUESTION: LimitQuestion = {
  name: 'upstream a',
  kind: 'rpm',
  limit: 100,
  want: 0,
  uses: [],
  slotMs: 5_000,
  slots: 13,
  holdsForMs: 65_000,
}
const slotOf = (now: number, slotMs = 5_000): number => Math.floor(now / slotMs)

/** A node, with a limit on one thing. */
function nodeOf(storage: Storage, nodeId: number, kind: LimitKind, limit: number, now: () => number) {
  const limits = createLimits()
  let asking: Promise<unknown> = Promise.resolve()
  const ask: Storage['upstreamLimits']['ask'] = (id, questions) => {
    const answers = storage.upstreamLimits.ask(id, questions)
    asking = answers.catch(() => {})
    return answers
  }
  const failed = (error: unknown) => {
    throw error
  }
  const kept = limits.keep({ store: { ask }, nodeId: () => nodeId, now, freed() {}, failed })
  /** What asks is a step behind, and takes the answer over a step later. */
  const asked = async () => {
    await new Promise(setImmediate)
    await asking
    await new Promise(setImmediate)
  }
  const shares = limits.of('upstream a', { [kind]: limit }) ?? []
  const take = (demand = NO_DEMAND, account = 1n): Reservation | undefined =>
    roomFor(shares, demand, account, now()) === 'open' ? new Reservation(shares, demand, account, now()) : undefined
  return {
    shares,
    take,
    /** Waits for what the store is asked, as requests do. */
    async taken(demand = NO_DEMAND, account = 1n): Promise<Reservation | undefined> {
      const atOnce = take(demand, account)
      if (atOnce) return atOnce
      await asked()
      return take(demand, account)
    },
    async tick(): Promise<void> {
      kept.tick()
      await asked()
    },
    stop: () => kept.stop(),
  }
}

/** The most that was used within any period of so many milliseconds. */
function mostWithin(uses: readonly { at: number; used: number }[], periodMs: number): number {
  let [most, sum, first] = [0, 0, 0]
  for (const { at, used } of uses) {
    sum += used
    for (; (uses[first]?.at ?? 0) <= at - periodMs; first++) sum -= uses[first]?.used ?? 0
    most = Math.max(most, sum)
  }
  return most
}

export function upstreamLimitsContract(use: Use): void {
  test.each([
    ['rpm', 120, [12, 3, 0.2]],
    ['rpm', 10, [2, 1, 0.5]],
    ['tpm', 60_000, [9, 4, 1]],
  ] as const)(
    '%p %p: three nodes with unequal load never use more in any minute, and use nearly all',
    async (kind, limit, loads) => {
      const { storage, now, elapse } = use()
      const nodes = loads.map((_, at) => nodeOf(storage, at + 1, kind, limit, now))
      const { below } = randomness(7)
      const random = () => below(1_000_000) / 1_000_000
      const uses: { at: number; used: number }[] = []
      const stepMs = 200
      const steps = 900
      for (let step = 0; step < steps; step++) {
        await elapse(stepMs)
        for (const [at, node] of nodes.entries()) {
          await node.tick()
          // The load moves to the last node in the second half.
          const load = loads[step < steps / 2 ? at : loads.length - 1 - at] ?? 0
          for (let count = load * (stepMs / 1_000); count > random(); count--) {
            const tokens = Math.floor(500 + random() * 1_500)
            const reservation = await node.taken({ tokens, nanos: 0 })
            if (!reservation) continue
            const used = kind === 'rpm' ? 1 : Math.floor(tokens * (0.3 + random() * 0.7))
            uses.push({ at: now(), used })
            reservation.sent()
            reservation.used({ tokens: used })
            reservation.end(now())
          }
        }
      }
      for (const node of nodes) await node.stop()
      expect(mostWithin(uses, 60_000)).toBeLessThanOrEqual(limit)
      const total = uses.reduce((sum, { used }) => sum + used, 0)
      expect(total).toBeGreaterThan(0.8 * limit * Math.floor((steps * stepMs) / 65_000))
    },
    60_000,
  )

  test('nodes that ask at once are never given more than there is, and what one gives back another gets', async () => {
    const { storage, now, elapse } = use()
    const ask = async (nodeId: number, want: number, more: Partial<LimitQuestion> = {}) =>
      (await storage.upstreamLimits.ask(nodeId, [{ ...QUESTION, want, ...more }]))[0]
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => ask(at + 1, 30)))
    const held = answers.map((answer) => answer?.held ?? 0)
    expect(held.reduce((sum, each) => sum + each, 0)).toBe(100)
    expect(held.every((each) => each <= 30)).toBe(true)
    expect((await ask(9, 30))?.held).toBe(0)
    const [rich = 0, ...others] = held.map((each, at) => (each === 30 ? at + 1 : 0)).filter((node) => node > 0)
    // It has used 10 of its 30, and wants no more.
    await ask(rich, 0, { uses: [[slotOf(now()), 10]] })
    expect(await ask(9, 100)).toMatchObject({ held: 20, others: 70 })
    expect(others.length).toBeGreaterThan(0)
    // What nodes hold that no longer ask counts for as long as what they may have used.
    await elapse(65_001)
    expect(await ask(9, 100)).toMatchObject({ held: 100, others: 0, nodes: 1, uses: [] })
  })

  test('what was used counts in its slot until that is over; a correction takes back what was not used', async () => {
    const { storage, now, elapse } = use()
    const ask = async (want: number, used: LimitQuestion['uses']) =>
      (await storage.upstreamLimits.ask(1, [{ ...QUESTION, want, uses: used }]))[0]
    const first = slotOf(now())
    expect((await ask(100, [[first, 60]]))?.held).toBe(40)
    await elapse(5_000)
    expect(
      await ask(100, [
        [first, -20],
        [first + 1, 10],
      ]),
    ).toMatchObject({
      held: 50,
      uses: [
        [first, 40],
        [first + 1, 10],
      ],
    })
    await elapse(60_000)
    expect(await ask(100, [])).toMatchObject({ held: 90, uses: [[first + 1, 10]] })
    // Nothing of a slot that is over is kept.
    expect((await ask(0, [[first - 20, 5]]))?.uses).toEqual([[first + 1, 10]])
    await elapse(5_000)
    expect((await ask(100, []))?.held).toBe(100)
  })

  test('the slots of calls that run are shared, and those of a node that has ended come back', async () => {
    const { storage, now, elapse } = use()
    const [one, two] = [1, 2].map((id) => nodeOf(storage, id, 'concurrent', 8, now)) as [Node, Node]
    const taken: Reservation[] = []
    const takeAll = async (node: Node, accounts: number) => {
      let count = 0
      for (let account = 1n; account <= accounts; account++) {
        const reservation = await node.taken(NO_DEMAND, account)
        if (reservation) taken.push(reservation)
        if (reservation) count++
      }
      return count
    }
    const [first, second] = [await takeAll(one, 20), await takeAll(two, 20)]
    expect(first + second).toBeLessThanOrEqual(8)
    expect(first).toBeGreaterThan(0)
    // The first node is gone with its calls.
    for (let second = 0; second < 12; second++) {
      await elapse(1_000)
      await two.tick()
    }
    for (const reservation of taken.slice(first)) reservation.end(now())
    expect(await takeAll(two, 20)).toBe(8)
    for (const node of [one, two]) await node.stop()
  })

  test('a limit of a day is of the day of the store, in whole nano-USD', async () => {
    const { storage, now, elapse } = use()
    const day = 24 * 3_600_000
    const one = nodeOf(storage, 1, 'usd_per_day', 1_000_000_000_000_000, now)
    await elapse(day - (now() % day))
    const cost = { tokens: 0, nanos: 600_000_000_000_001 }
    const reservation = await one.taken(cost)
    reservation?.sent()
    expect(await one.taken(cost)).toBeUndefined()
    reservation?.used({ nanos: 500_000_000_000_001 })
    reservation?.end(now())
    await elapse(1_000)
    await one.tick()
    expect(one.shares[0]?.report(now())).toMatchObject({ used: 500_000_000_000_001 })
    expect(await one.taken({ tokens: 0, nanos: 499_999_999_999_999 })).toBeDefined()
    expect(await one.taken({ tokens: 0, nanos: 1 })).toBeUndefined()
    await elapse(day)
    await one.tick()
    expect(await one.taken(cost)).toBeDefined()
    await one.stop()
  })

  test('what nobody asks for any more is swept', async () => {
    const { storage, now, elapse } = use()
    await storage.upstreamLimits.ask(1, [{ ...QUESTION, want: 5, uses: [[slotOf(now()), 3]] }])
    expect(await storage.upstreamLimits.sweep(now())).toBe(0)
    await elapse(10)
    expect(await storage.upstreamLimits.sweep(now())).toBe(2)
    expect((await storage.upstreamLimits.ask(1, [{ ...QUESTION, want: 100 }]))[0]).toMatchObject({
      held: 100,
      uses: [],
    })
  })
}

type Node = ReturnType<typeof nodeOf>
