import { expect, test } from 'bun:test'
import { ERRORS, type ReachedLimit } from '@trivium/protocol/canonical/error.ts'
import type { Limited } from '../money/ledger.ts'
import { rateLimitError, tokenLimitOf } from './rate-limit-errors.ts'

const limits = (requestsPerMinute?: number, tokensPerMinute?: number, concurrent?: number) => ({
  requestsPerMinute,
  tokensPerMinute,
  concurrent,
})
const CALLER = { limits: limits(60, 1_000, 2), accountLimits: limits(600, 5_000, 20) }
const NOW = Date.UTC(2026, 0, 1)
const reset = (afterMs: number) => ({ afterMs, at: NOW + afterMs })

const ROWS: [Limited, waitMs: number, says: string, seconds: number, limit: ReachedLimit][] = [
  [
    ...(['key_requests', 11_250] as const),
    'This key has reached its limit of 60 requests per minute. Retry in 12 s.',
    ...([12, { of: 'requests', limit: 60, remaining: 0, reset: reset(11_250) }] as const),
  ],
  [
    ...(['account_requests', 500] as const),
    'This account has reached its limit of 600 requests per minute. Retry in 1 s.',
    ...([1, { of: 'requests', limit: 600, remaining: 0, reset: reset(500) }] as const),
  ],
  [
    ...(['key_tokens', 30_000] as const),
    'This key has too little left of its limit of 1000 tokens per minute for this request. Retry in 30 s.',
    ...([30, { of: 'tokens', limit: 1_000, remaining: 0, reset: reset(30_000) }] as const),
  ],
  [
    ...(['account_concurrent', 0] as const),
    'This account has reached its limit of 20 concurrent requests. Retry when one of them has ended.',
    ...([1, { of: 'concurrent', limit: 20, remaining: 0, reset: undefined }] as const),
  ],
]

test.each(
  ROWS,
)('%s says whose limit, which, what it is and when there is room', (verdict, waitMs, says, seconds, limit) => {
  const { info } = rateLimitError(CALLER, { verdict, waitMs }, 900, NOW)
  expect(info).toEqual({ code: 'rate_limit_exceeded', message: says, retryAfter: seconds, limit })
  expect(ERRORS[info.code].status).toBe(429)
})

test('a request that exceeds the limit by itself gets no time to wait', () => {
  const { info } = rateLimitError(CALLER, { verdict: 'key_tokens', waitMs: 60_000 }, 1_001, NOW)
  expect(info.message).toContain("at least 1001 tokens, which is more than this key's limit of 1000 tokens per minute.")
  expect(info.limit?.reset).toBe('never')
})

test('a limit that was removed meanwhile still rejects, without its figure', () => {
  const caller = { limits: limits(), accountLimits: limits() }
  const { info } = rateLimitError(caller, { verdict: 'account_tokens', waitMs: 3_000 }, 1, NOW)
  expect(info).toMatchObject({ code: 'rate_limit_exceeded', retryAfter: 3 })
  expect(info).not.toHaveProperty('limit')
})

test.each([
  [limits(), limits(), undefined],
  [limits(1, 5), limits(), 5],
  [limits(), limits(1, 5), 5],
  [limits(1, 5), limits(1, 3), 3],
])('the tightest limit on tokens', (own, shared, tightest) => {
  expect(tokenLimitOf({ limits: own, accountLimits: shared })).toBe(tightest)
})
