import { expect, test } from 'bun:test'
import { createTicker } from '@trivium/http/ticker.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import type { AttemptedCall } from '../paid-call/paid-request.ts'
import { tiersOf } from '../upstreams/health/choose.ts'
import { KeyHealth, UNKNOWN } from '../upstreams/health/key-health.ts'
import { createUpstreamCalls } from '../upstreams/upstream-call.ts'
import type { RoutingDependencies } from './dependencies.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { findNext } from './next-attempt.ts'

const timeouts = { firstByteMs: 1_000, idleMs: 1_000, totalMs: 1_000, drainMs: 1_000 }
const candidate = (id: string): CandidateOf<'text'> => ({
  upstream: { id, baseUrl: `https://${id}.example/v1`, keys: ['k'], timeouts } as unknown as Upstream,
  key: 'k',
  health: new KeyHealth(),
  upstreamSwitch: { state: 'enabled' },
  priority: 1,
  weight: 1,
  route: { upstream: id, model: 'inner', priority: 1, weight: 1 } as CandidateOf<'text'>['route'],
})

test.each<[string, cover: () => Promise<1 | undefined>, outcome: unknown]>([
  ['are not there', async () => undefined, undefined],
  ['cannot be determined', () => Promise.reject(new Error('unknown')), 'unknown'],
])('an attempt whose funds %s leaves no slot taken', async (_, cover, outcome) => {
  const ticker = createTicker(10)
  const upstreamCalls = createUpstreamCalls(ticker)
  const [first, second] = [candidate('first'), candidate('second')]
  const offer = {
    model: { id: 'a' },
    candidates: [first, second],
    tiers: tiersOf([first, second]),
    fallbacks: [],
  } as unknown as OfferOf<'text'>
  const upstreamCall = upstreamCalls.start(first.upstream, 1n)
  const call = { client: { isDisconnected: false }, upstreamCall, owner: { slot: 1, epoch: 1n }, tried: [] }
  const deps = {
    upstreamCalls,
    ticker,
    random: () => 0,
    retryBudget: { take: () => true },
    node: { identity: () => ({ slot: 1, epoch: 1n }), mayDispatch: () => true },
  } as unknown as RoutingDependencies
  const failed = { unbilled: true, verdict: UNKNOWN } as FailedAttempt
  const caller = { account: 1n, restrictions: { models: undefined } }
  const last = { caller, wanted: offer, offer, candidate: first } as never
  const steps = { prepare: () => ({}), cover }
  try {
    upstreamCall.releaseSlot()
    const next = findNext(call as unknown as AttemptedCall, failed, last, steps, deps)
    expect(await next.catch((error: Error) => error.message)).toEqual(outcome as never)
    expect([second.health.inFlight, upstreamCalls.size]).toEqual([0, 0])
  } finally {
    upstreamCall.stop()
    ticker.stop()
  }
})
