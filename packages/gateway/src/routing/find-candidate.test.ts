import { describe, expect, test } from 'bun:test'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import type { Caller } from '../storage/storage.ts'
import { affinityOf } from '../text/routing/affinity.ts'
import { createSeals } from '../text/translation/seals.ts'
import { tiersOf } from '../upstreams/health/choose.ts'
import { KeyHealth, type Verdict } from '../upstreams/health/key-health.ts'
import { findCandidate, noRouteError, obstacleTo, type Unrouted } from './find-candidate.ts'

const candidate = (id: string, priority = 1, weight = 1, perKey?: number): CandidateOf<'text'> => ({
  upstream: { id, maxConcurrencyPerKey: perKey } as Upstream,
  key: 'k',
  health: new KeyHealth(),
  upstreamSwitch: { state: 'enabled' },
  priority,
  weight,
  route: { upstream: id, model: 'inner', priority, weight },
})
const offerOf = (...candidates: CandidateOf<'text'>[]) =>
  ({ model: { id: 'a' }, candidates, tiers: tiersOf(candidates) }) as unknown as OfferOf<'text'>

const seals = createSeals('a secret of a test')
const partsWith = (random: () => number, full: readonly string[] = [], now = 0) =>
  ({
    random,
    ticker: { now: () => now, exactNow: () => now },
    upstreamCalls: { isFull: ({ id }: Upstream) => full.includes(id) },
  }) as unknown as Parameters<typeof findCandidate>[2]

const asking = (body = '{}', account = 1n, cacheKey?: string, opening?: string) => {
  const conversation = {
    body: Buffer.from(body),
    dialect: { id: 'chat' },
    parsed: { cacheKey, opening: () => opening },
  } as unknown as Parameters<typeof affinityOf>[0]
  const caller = { account } as Caller
  return { caller, affinity: affinityOf(conversation, caller, { seals }) } satisfies Unrouted
}

function judge({ health }: CandidateOf<'text'>, verdict: Verdict, times = 1): void {
  for (let count = 0; count < times; count++) health.record('inner', verdict, 0)
}

const three = () => [candidate('x', 1, 1), candidate('y', 1, 3), candidate('z', 2, 1)] as const

test('the lowest priority number, by weight', () => {
  const offer = offerOf(...three())
  const ids = [0, 0.24, 0.26, 0.99].map(
    (random) =>
      findCandidate(
        offer,
        asking(),
        partsWith(() => random),
      )?.upstream.id,
  )
  expect(ids).toEqual(['x', 'x', 'y', 'y'])
})

test('candidates that are full, tried or unhealthy are skipped', () => {
  const [x, y, z] = three()
  const offer = offerOf(x, y, z)
  const at = (full: string[], tried: CandidateOf<'text'>[]) =>
    findCandidate(
      offer,
      asking(),
      partsWith(() => 0, full),
      tried,
    )?.upstream.id
  expect(at(['x'], [])).toBe('y')
  expect(at([], [x, y])).toBe('z')
  expect(at(['x', 'y', 'z'], [])).toBeUndefined()
  judge(x, { is: 'failure' }, 10)
  expect(at([], [])).toBe('y')
  judge(y, { is: 'limited', waitMs: 1_000, all: false })
  expect(at([], [])).toBe('z')
  judge(z, { is: 'rejected', reason: '401' })
  expect(at(['y'], [])).toBe('z')
  judge(z, { is: 'failure' }, 10)
  expect(at(['y'], [])).toBeUndefined()
})

test.each([
  'disabled',
  'draining',
] as const)('an upstream that is %s gets no request, not even as a last resort', (state) => {
  const [x, y, z] = three()
  const offer = offerOf(x, y, z)
  const parts = partsWith(() => 0)
  const off = (candidate: CandidateOf<'text'>) => {
    candidate.upstreamSwitch = { state }
    return findCandidate(offer, asking(), parts)?.upstream.id
  }
  expect([off(x), off(y), off(z)]).toEqual(['y', 'z', undefined])
  expect(noRouteError(offer, asking(), parts).info).toMatchObject({
    code: 'service_unavailable',
    message: "The operator of this gateway has switched off every upstream of 'a'. Retry later.",
  })
  z.upstreamSwitch = { state: 'enabled' }
  judge(z, { is: 'limited', waitMs: 7_000, all: false })
  expect(noRouteError(offer, asking(), parts).info.code).toBe('rate_limit_exceeded')
  z.upstream = { ...z.upstream, breaker: false }
  expect(findCandidate(offer, asking(), parts)).toBe(z)
  expect([x, y, z].map((each) => obstacleTo(each, asking(), parts, 0))).toEqual([state, state, undefined])
})

test('a candidate that is cooling down is called if there is no other, but not as a retry', () => {
  const [x, y] = [candidate('x'), candidate('y')]
  const offer = offerOf(x, y)
  judge(x, { is: 'limited', waitMs: undefined, all: false })
  judge(y, { is: 'rejected', reason: '401' })
  expect(
    findCandidate(
      offer,
      asking(),
      partsWith(() => 0),
    ),
  ).toBe(x)
  expect(
    findCandidate(
      offer,
      asking(),
      partsWith(() => 0),
      [x],
    ),
  ).toBeUndefined()
})

test('an upstream without a circuit breaker is called however often it failed', () => {
  const stubborn = candidate('x')
  stubborn.upstream.breaker = false
  judge(stubborn, { is: 'failure' }, 50)
  expect(
    findCandidate(
      offerOf(stubborn),
      asking(),
      partsWith(() => 0),
    ),
  ).toBe(stubborn)
})

test('a key takes calls up to its concurrency limit, then the next key is used', () => {
  const [one, two] = [candidate('x', 1, 1, 2), candidate('x', 1, 1, 2)]
  const offer = offerOf(one, two)
  for (let calls = 0; calls < 2; calls++) one.health.startAttempt(0)
  expect(
    findCandidate(
      offer,
      asking(),
      partsWith(() => 0),
    ),
  ).toBe(two)
  for (let calls = 0; calls < 2; calls++) two.health.startAttempt(0)
  expect(
    findCandidate(
      offer,
      asking(),
      partsWith(() => 0),
    ),
  ).toBeUndefined()
})

describe('a conversation', () => {
  const many = Array.from({ length: 8 }, (_, index) => candidate(`u${index}`))
  const offer = offerOf(...many)
  const beginning = `{"messages":[{"role":"system","content":"${'You are. '.repeat(600)}"}`
  let draw = 0
  const parts = partsWith(() => (draw = (draw + 0.37) % 1))
  const home = (body: string, account = 1n, cacheKey?: string) =>
    findCandidate(offer, asking(body, account, cacheKey), parts)

  test('stays with its candidate as it grows', () => {
    const first = home(`${beginning}]}`)
    for (let turn = 1; turn < 20; turn++) expect(home(`${beginning}${',{"role":"user"}'.repeat(turn)}]}`)).toBe(first)
  })

  test('of another account, or with another cache key, has a candidate of its own', () => {
    const ways = new Set<unknown>()
    for (let account = 1n; account < 60n; account++) ways.add(home(`${beginning}]}`, account))
    expect(ways.size).toBe(8)
    const byKey = new Set<unknown>()
    for (let key = 0; key < 60; key++) byKey.add(home(`${beginning}]}`, 1n, `session ${key}`))
    expect(byKey.size).toBe(8)
  })

  test.each([
    '{}',
    `${beginning}]}`,
  ])('with reasoning is identified by its cache key, else by its first words', (body) => {
    const at = (cacheKey: string | undefined, opening: string) =>
      findCandidate(offer, asking(body, 1n, cacheKey, opening), parts)
    const byWords = new Set(Array.from({ length: 60 }, (_, talk) => at(undefined, `talk ${talk}`)))
    expect(byWords.size).toBe(8)
    const first = at('session', 'talk 0')
    for (let talk = 1; talk < 20; talk++) expect(at('session', `talk ${talk}`)).toBe(first)
  })

  test('that is short is routed freely', () => {
    const ways = new Set<unknown>()
    for (let calls = 0; calls < 60; calls++) ways.add(home('{"messages":[]}'))
    expect(ways.size).toBe(8)
  })

  test('with encrypted reasoning goes to the upstream that made it, while that one is healthy', () => {
    const sealed = seals.seal(1n, 'u5', 'thought')
    const body = `{"messages":[{"role":"assistant","reasoning":"${sealed}"}]}`
    for (let calls = 0; calls < 20; calls++) expect(home(body)?.upstream.id).toBe('u5')
    expect(new Set(Array.from({ length: 20 }, () => home(body, 2n)?.upstream.id)).size).toBeGreaterThan(1)
    judge(many[5] as CandidateOf<'text'>, { is: 'rejected', reason: '401' })
    expect(home(body)?.upstream.id).not.toBe('u5')
  })
})

describe('when no candidate can be called, the error says why and when to retry', () => {
  const told = (verdict: Verdict | undefined, times: number, full: readonly string[] = []) => {
    const only = candidate('x')
    if (verdict) judge(only, verdict, times)
    const { code, retryAfter } = noRouteError(
      offerOf(only),
      asking(),
      partsWith(() => 0, full, 400),
    ).info
    return [code as string, retryAfter]
  }
  test.each<[string, Verdict | undefined, number, string[], [string, number]]>([
    ['as busy as it may be', undefined, 0, ['x'], ['service_unavailable', 2]],
    ['limited, and busy', { is: 'limited', waitMs: undefined, all: false }, 1, ['x'], ['service_unavailable', 2]],
    ['told to wait', { is: 'limited', waitMs: 7_000, all: false }, 1, [], ['rate_limit_exceeded', 7]],
    ['broken', { is: 'failure' }, 10, [], ['service_unavailable', 1]],
  ])('%s', (_, verdict, times, full, expected) => {
    expect(told(verdict, times, full)).toEqual(expected)
  })
})

test('while a probe is under way the retry-after is short, not the timeout of the probe', () => {
  const alone = candidate('x')
  judge(alone, { is: 'failure' }, 10)
  judge(alone, { is: 'rejected', reason: 'wrong key' })
  const toldAt = (now: number) =>
    noRouteError(
      offerOf(alone),
      asking(),
      partsWith(() => 0, [], now),
    ).info.retryAfter
  expect(toldAt(0)).toBe(1)
  alone.health.startAttempt(1_000)
  expect(toldAt(1_100)).toBe(1)
})
