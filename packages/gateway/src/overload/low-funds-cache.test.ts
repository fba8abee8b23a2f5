import { expect, test } from 'bun:test'
import { testRequest } from '../../../http/test-support/serve.ts'
import { createTestDependencies } from '../../test-support/dependencies.ts'
import { createApp } from '../app.ts'
import { createLowFundsCache, type LowFunds } from './low-funds-cache.ts'

const ANN = { key: 1n, account: 7n }
const ANNS_OTHER_KEY = { key: 2n, account: 7n }
const BOB = { key: 7n, account: 1n }
const NO_BALANCE: LowFunds = { code: 'insufficient_balance', available: 5n, before: 'Too low.', after: '' }

test('is remembered for half a second, per account and model, for requests that cost more than is available', () => {
  let now = 0
  const cache = createLowFundsCache(() => now)
  cache.note(ANN, 'expensive', NO_BALANCE)
  expect([cache.knows(ANN), cache.knows(ANNS_OTHER_KEY), cache.knows(BOB)]).toEqual([true, true, false])
  expect([cache.find(ANN, 'expensive', 6n), cache.find(ANNS_OTHER_KEY, 'expensive', 6n)]).toEqual([
    NO_BALANCE,
    NO_BALANCE,
  ])
  expect([cache.find(ANN, 'expensive', 5n), cache.find(ANN, 'other', 6n), cache.find(BOB, 'expensive', 6n)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  now = 499
  expect(cache.find(ANN, 'expensive', 6n)).toBeDefined()
  now = 500
  expect(cache.find(ANN, 'expensive', 6n)).toBeUndefined()
})

test('the cap of a key is separate from its account; the end of a request, or a change, clears it', () => {
  const cache = createLowFundsCache(() => 0)
  cache.note(ANN, 'expensive', { ...NO_BALANCE, code: 'key_quota_exceeded' })
  expect([cache.find(ANN, 'expensive', 6n) !== undefined, cache.find(ANNS_OTHER_KEY, 'expensive', 6n)]).toEqual([
    true,
    undefined,
  ])
  cache.ended(ANN)
  expect(cache.find(ANN, 'expensive', 6n)).toBeUndefined()
  cache.note(ANN, 'expensive', NO_BALANCE)
  cache.clear()
  expect(cache.knows(ANN)).toBe(false)
})

test('a bounded number of accounts is remembered, the latest', () => {
  const cache = createLowFundsCache(() => 0, 2)
  for (const account of [1n, 2n, 3n]) cache.note({ account, key: account }, 'expensive', NO_BALANCE)
  expect([1n, 2n, 3n].map((account) => cache.knows({ account, key: account }))).toEqual([false, true, true])
})

test('a request that cannot be paid for is rejected before it is parsed, and where the model is in the path before it is read', async () => {
  const { deps } = createTestDependencies({ send: () => Promise.reject(new Error('nothing is sent')) })
  let [asked, read] = [0, 0]
  deps.settler.open = async () => {
    asked++
    return { verdict: 'no_balance', available: 0n }
  }
  const app = createApp(deps, { ready: () => true, accepting: () => true })
  const post = async (path: string, body: object, more = {}) => {
    const headers = { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json', ...more }
    const request = testRequest(path, headers, JSON.stringify(body))
    const { body: sent } = request
    const counting = {
      received: 0,
      read() {
        read++
        return sent.read()
      },
    }
    return (await app({ ...request, body: counting })).status
  }
  const CHAT = '/v1/chat/completions'
  const whole = { model: 'same', messages: [{ role: 'user', content: 'x' }] }
  const parsedWrong = { model: 'same', messages: 'none' }
  expect([await post(CHAT, parsedWrong), await post(CHAT, whole), asked]).toEqual([400, 402, 1])
  // Parsing it would have ended in a 400.
  expect([await post(CHAT, parsedWrong), await post(CHAT, whole), asked]).toEqual([402, 402, 1])
  expect(await post(CHAT, { ...parsedWrong, model: 'other' })).toBe(400)
  read = 0
  const addressed = '/v1beta/models/same:generateContent'
  expect([await post(addressed, { contents: [] }), read]).toEqual([402, 0])
  deps.rateLimitCache.clear()
  expect(await post(CHAT, parsedWrong)).toBe(400)
  deps.ticker.stop()
})
