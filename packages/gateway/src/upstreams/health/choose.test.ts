import { expect, test } from 'bun:test'
import { type Choosable, choose, tiersOf } from './choose.ts'
import { KeyHealth } from './key-health.ts'

type Named = Choosable & { name: string }
const member = (name: string, priority = 1, weight = 1): Named => ({ name, priority, weight, health: new KeyHealth() })

/** Repeatable draws. */
function dice(seed = 1): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
const everybody = () => true

function counts(members: Named[], draws: number, isUsable: (member: Named) => boolean = everybody) {
  const tiers = tiersOf(members)
  const random = dice()
  const result: Record<string, number> = {}
  for (let draw = 0; draw < draws; draw++) {
    const chosen = choose(tiers, { isUsable, random, sticky: () => undefined })?.name ?? 'none'
    result[chosen] = (result[chosen] ?? 0) + 1
  }
  return result
}

test('only the lowest priority number is used while a candidate there is usable', () => {
  const members = [member('second', 2), member('first', 1), member('also first', 1)]
  expect(Object.keys(counts(members, 200)).sort()).toEqual(['also first', 'first'])
  expect(counts(members, 10, ({ priority }) => priority > 1)).toEqual({ second: 10 })
})

test('candidates of equal load share by weight', () => {
  const { large = 0, small = 0 } = counts([member('large', 1, 9), member('small', 1, 1)], 10_000)
  expect(large / (large + small)).toBeGreaterThan(0.85)
  expect(small).toBeGreaterThan(500)
})

test('the less loaded of two wins', () => {
  const [busy, idle] = [member('busy'), member('idle')]
  for (let calls = 0; calls < 5; calls++) busy.health.startAttempt(0)
  const { busy: toBusy = 0, idle: toIdle = 0 } = counts([busy, idle], 1_000)
  // Only when both draws name the busy one.
  expect(toBusy / (toBusy + toIdle)).toBeCloseTo(0.25, 1)
})

test.each([1, 2, 10, 30])('candidates share by weight with %p requests in flight', (atOnce) => {
  const [large, small] = [member('large', 1, 3), member('small', 1, 1)]
  const tiers = tiersOf([large, small])
  const random = dice()
  const underWay: { health: KeyHealth; endsAt: number; latencyMs: number }[] = []
  let toSmall = 0
  for (let call = 0; call < 4_000; call++) {
    if (underWay.length === atOnce) {
      underWay.sort((one, other) => one.endsAt - other.endsAt)
      const { health, endsAt, latencyMs } = underWay.shift() ?? { health: large.health, endsAt: 0, latencyMs: 0 }
      health.record('m', { is: 'good', latencyMs }, endsAt)
      health.endAttempt()
    }
    const { health } = choose(tiers, { isUsable: everybody, random, sticky: () => undefined }) ?? large
    if (health === small.health) toSmall++
    health.startAttempt(0)
    const latencyMs = 20 + 10 * random()
    underWay.push({ health, endsAt: call * (20 / atOnce) + latencyMs, latencyMs })
  }
  expect(toSmall / 4_000).toBeGreaterThan(0.2)
  expect(toSmall / 4_000).toBeLessThan(0.32)
})

test('the share of an unusable candidate is distributed by weight', () => {
  const members = [member('out', 1, 8), member('small', 1, 1), member('large', 1, 3)]
  const { small = 0, large = 0 } = counts(members, 4_000, ({ name }) => name !== 'out')
  expect(small / (small + large)).toBeCloseTo(0.25, 1)
})

test('no usable candidate; one usable candidate among fifty', () => {
  const many = Array.from({ length: 50 }, (_, index) => member(`m${index}`))
  expect(counts(many, 5, () => false)).toEqual({ none: 5 })
  expect(counts(many, 20, ({ name }) => name === 'm37')).toEqual({ m37: 20 })
})

test('a sticky number keeps its candidate whatever the load; another while that one is unusable, then back', () => {
  const many = Array.from({ length: 20 }, (_, index) => member(`m${index}`))
  const tiers = tiersOf(many)
  const at = (sticky: number, isUsable: (member: Named) => boolean = everybody) =>
    choose(tiers, { isUsable, random: dice(), sticky: () => sticky })
  for (let sticky = 0; sticky < 100; sticky++) {
    const home = at(sticky)
    home?.health.startAttempt(0)
    expect(at(sticky)).toBe(home)
    const away = at(sticky, (member) => member !== home)
    expect(away).toBeDefined()
    expect(away).not.toBe(home)
    expect(at(sticky, (member) => member !== home)).toBe(away)
    expect(at(sticky)).toBe(home)
  }
})

test('sticky numbers are spread by weight', () => {
  const tiers = tiersOf([member('large', 1, 3), member('small', 1, 1)])
  let large = 0
  for (let sticky = 0; sticky < 4_000; sticky++)
    if (choose(tiers, { isUsable: everybody, random: () => 0, sticky: () => sticky })?.name === 'large') large++
  expect(large / 4_000).toBeCloseTo(0.75, 1)
})
