// `retry-after` is a promise: a caller that waits exactly that long is not rejected again for the same reason. Each
// source of such a promise is tried with random histories on a clock of its own, through to the headers of every dialect.
import { describe, expect, test } from 'bun:test'
import { createTicker } from '@trivium/http/ticker.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { emptyRows, memoryBook, newAccountRow, newKeyRow } from '../../../../tools/simulation/memory-book.ts'
import { seeded } from '../../../../tools/simulation/random.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import { apply, type Limited, type Verb } from '../money/ledger.ts'
import { createRateLimitCache } from '../overload/rate-limit-cache.ts'
import type { Failure } from '../request/failure.ts'
import { findCandidate, noRouteError, type Unrouted } from '../routing/find-candidate.ts'
import { createAttemptCounter } from '../sharing/attempt-counter.ts'
import { tiersOf } from '../upstreams/health/choose.ts'
import { KeyHealth, type Verdict } from '../upstreams/health/key-health.ts'
import { isLimited, rateLimitError } from './rate-limit-errors.ts'

/** The waits in the headers of a rejection, in milliseconds: the whole seconds, and the exact figure. */
function waitsOf({ info }: Failure): number[] {
  return (['chat', 'messages', 'generate-content'] as const).flatMap((id) => {
    const { headers } = DIALECTS[id].encodeError(info, 'req')
    return [Number(headers['retry-after']) * 1_000, Number(headers['retry-after-ms'])]
  })
}

describe('limits of a key and of an account', () => {
  const LIMITS = { requestsPerMinute: 5, tokensPerMinute: 400, concurrent: undefined }
  const hold = (id: bigint, tokens: number): Verb => ({
    verb: 'hold',
    id,
    nodeId: 0,
    epoch: 1,
    account: 1n,
    key: 2n,
    revision: 0,
    extensible: false,
    amount: 1n,
    minimum: 0n,
    tokens,
    minimumTokens: tokens,
    model: 'm',
    upstream: 'u',
  })

  test.each(['key', 'account'] as const)('%s: there is room after the wait, and not only in the ledger', (whose) => {
    let longest = 0
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seeded(seed)
      const rows = emptyRows()
      const own = whose === 'account' ? { limits: LIMITS } : {}
      rows.accounts.set(1n, { ...newAccountRow(1n), balance: 1_000_000n, ...own })
      rows.keys.set(2n, { ...newKeyRow(2n, 1n), ...(whose === 'key' ? { limits: LIMITS } : {}) })
      let now = 1_700_000_000_000 + random.below(2_000)
      const run = (verb: Verb) => apply(memoryBook(rows, now), verb)
      run({ verb: 'join', nodeId: 0, config: '' })
      const caller = { limits: LIMITS, accountLimits: LIMITS, key: 2n, account: 1n }
      const remembered = createRateLimitCache(() => now)
      let id = 10n
      for (let step = 0; step < 40; step += 1) {
        now += random.chance(0.5) ? 0 : random.below(9_000)
        const tokens = random.between(1, 150)
        const { verdict, amount } = run(hold(id++, tokens))
        if (!isLimited(verdict as Limited)) continue
        const rejection = { verdict: verdict as Limited, waitMs: Number(amount) }
        remembered.note(caller, rejection, tokens)
        const rejectedAt = now
        for (const wait of waitsOf(rateLimitError(caller, rejection, tokens, now))) {
          longest = Math.max(longest, wait)
          now = rejectedAt + wait
          expect(remembered.find(caller, tokens)?.verdict).not.toBe(rejection.verdict)
          const again = apply(memoryBook(structuredClone(rows), now), hold(id++, tokens))
          expect([seed, again.verdict]).not.toEqual([seed, verdict])
        }
        now = rejectedAt
      }
    }
    // A window of whole seconds ends up to a second after the minute: this is the case that was a second short.
    expect(longest).toBe(61_000)
  })
})

describe('upstreams', () => {
  const TICK_MS = 250
  const unrouted = { caller: { account: 1n } } as unknown as Unrouted

  const VERDICTS: readonly (readonly [string, (seconds: number) => readonly Verdict[]])[] = [
    ['a 429 that names a wait', (seconds) => [{ is: 'limited', waitMs: seconds * 1_000, all: false }]],
    ['a 429 for every model', (seconds) => [{ is: 'limited', waitMs: seconds * 1_000, all: true }]],
    ['failures that open the breaker', () => Array.from({ length: 10 }, () => ({ is: 'failure' }) as const)],
  ]

  test.each(VERDICTS)('%s: after the wait the upstream is called again', (_, verdictsFor) => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed)
      // The coarse clock that routing uses lags behind the real one by up to a tick.
      let real = random.below(100_000)
      const ticker = createTicker(1e9, { clock: () => real })
      const lag = () => {
        real += random.below(TICK_MS)
      }
      const health = new KeyHealth()
      const upstream = { id: 'u' } as Upstream
      const inner = { upstream: 'u', model: 'inner', priority: 1, weight: 1, cost: undefined }
      const candidates: CandidateOf<'text'>[] = [
        { upstream, upstreamSwitch: { state: 'enabled' }, key: 'k', health, priority: 1, weight: 1, route: inner },
      ]
      const offer = { model: { id: 'a' }, candidates, tiers: tiersOf(candidates) } as unknown as OfferOf<'text'>
      const parts = { random: () => 0, seals: undefined, ticker, upstreamCalls: { isFull: () => false } }
      const routing = parts as unknown as Parameters<typeof findCandidate>[2]
      const seconds = random.between(1, 300)
      lag()
      const saidAt = real
      for (const verdict of verdictsFor(seconds)) health.record('inner', verdict, ticker.exactNow())
      lag()
      expect(findCandidate(offer, unrouted, routing)).toBeUndefined()
      const waits = waitsOf(noRouteError(offer, unrouted, routing))
      const rejectedAt = real
      for (const wait of waits) {
        real = rejectedAt + wait
        const isUpstreamsWord = verdictsFor(seconds)[0]?.is === 'limited'
        // Not before the time that the upstream has named, also where the gateway itself would ask earlier.
        if (isUpstreamsWord) expect(real).toBeGreaterThanOrEqual(saidAt + seconds * 1_000)
        ticker.exactNow()
        expect([seed, findCandidate(offer, unrouted, routing)?.upstream.id]).toEqual([seed, 'u'])
      }
      ticker.stop()
    }
  })
})

test('tries of a network', () => {
  const random = seeded(7)
  for (let round = 0; round < 200; round += 1) {
    let now = random.below(1e9)
    const tries = createAttemptCounter(
      () => now,
      () => 3,
      3_600_000,
    )
    let wait: number | undefined
    while (wait === undefined) {
      now += random.below(500_000)
      wait = tries.count('net')
      // A span that has ended begins anew: what is tried here is one that has not.
      if (wait === undefined) for (let more = 0; more < 3 && wait === undefined; more += 1) wait = tries.count('net')
    }
    now += wait * 1_000
    expect(tries.count('net')).toBeUndefined()
  }
})
