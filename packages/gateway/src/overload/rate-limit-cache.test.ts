import { expect, test } from 'bun:test'
import type { Limited } from '../money/ledger.ts'
import { createRateLimitCache } from './rate-limit-cache.ts'

const ANN = { key: 1n, account: 7n }
const ANNS_OTHER_KEY = { key: 2n, account: 7n }
/** Another caller, whose key has the number of Ann's account. */
const BOB = { key: 7n, account: 1n }

function setUp(limit?: number) {
  const time = { now: 0 }
  const cache = createRateLimitCache(() => time.now, limit)
  const note = (verdict: Limited, waitMs: number, tokens = 0, caller = ANN) =>
    cache.note(caller, { verdict, waitMs }, tokens)
  return { time, cache, note }
}

test('a rejection lasts until its reset, and reports the remaining time', () => {
  const { time, cache, note } = setUp()
  expect(cache.find(ANN)).toBeUndefined()
  note('key_requests', 12_000)
  time.now = 5_000
  expect(cache.find(ANN)).toEqual({ verdict: 'key_requests', waitMs: 7_000 })
  cache.ended(ANN)
  expect(cache.find(ANN)).toBeDefined()
  time.now = 12_000
  expect(cache.find(ANN)).toBeUndefined()
})

test('the rejection of a key is not that of its account, and vice versa', () => {
  const { cache, note } = setUp()
  note('key_requests', 1_000)
  expect([ANN, ANNS_OTHER_KEY, BOB].map((caller) => cache.find(caller)?.verdict)).toEqual([
    'key_requests',
    undefined,
    undefined,
  ] as (Limited | undefined)[])
  cache.clear()
  note('account_requests', 1_000)
  expect([ANN, ANNS_OTHER_KEY, BOB].map((caller) => cache.find(caller)?.verdict)).toEqual([
    'account_requests',
    'account_requests',
    undefined,
  ] as (Limited | undefined)[])
})

test('a smaller request than the rejected one may still be sent, and so may one of unknown size', () => {
  const { cache, note } = setUp()
  note('key_tokens', 500, 300)
  note('key_tokens', 500, 200)
  note('key_tokens', 500, 900)
  expect(cache.find(ANN)).toBeUndefined()
  expect(cache.find(ANN, 199)).toBeUndefined()
  expect(cache.find(ANN, 200)).toMatchObject({ verdict: 'key_tokens' })
})

test('tokens are released before their reset: the store is queried again after a second, and when a request has ended', () => {
  const { time, cache, note } = setUp()
  note('account_tokens', 40_000, 10)
  time.now = 999
  expect(cache.find(ANN, 10)).toEqual({ verdict: 'account_tokens', waitMs: 39_001 })
  time.now = 1_000
  expect(cache.find(ANN, 10)).toBeUndefined()
  note('account_tokens', 40_000, 10)
  cache.ended(ANNS_OTHER_KEY)
  expect(cache.find(ANN, 10)).toBeUndefined()
})

test('concurrency: until a request ends, and for a quarter of a second at most', () => {
  const { time, cache, note } = setUp()
  note('key_concurrent', 0)
  time.now = 249
  expect(cache.find(ANN)).toEqual({ verdict: 'key_concurrent', waitMs: 0 })
  cache.ended(BOB)
  expect(cache.find(ANN)).toBeDefined()
  cache.ended(ANN)
  expect(cache.find(ANN)).toBeUndefined()
  note('key_concurrent', 0)
  time.now = 499
  expect(cache.find(ANN)).toBeUndefined()
})

test('the end of a request does not clear what it cannot release', () => {
  const { cache, note } = setUp()
  note('key_requests', 1_000)
  note('key_tokens', 1_000, 1)
  cache.ended(ANN)
  expect(cache.find(ANN, 1)).toMatchObject({ verdict: 'key_requests' })
})

test('a change clears the cache', () => {
  const { cache, note } = setUp()
  note('key_requests', 1_000)
  note('account_requests', 1_000)
  cache.clear()
  expect(cache.find(ANN)).toBeUndefined()
})

test('the number of entries is bounded: the oldest is evicted', () => {
  const { cache, note } = setUp(2)
  for (const key of [1n, 2n, 1n, 3n]) note('key_requests', 1_000, 0, { key, account: 1n })
  expect([1n, 2n, 3n].map((key) => cache.find({ key, account: 1n }) !== undefined)).toEqual([true, false, true])
})
