import { expect, test } from 'bun:test'
import { createClaimLimit } from './claim-limit.ts'

const DAY = 24 * 3_600_000
const GREEDY = 1n
const POLITE = 2n

test('an account that has stored its keys gets 429 until they have expired, and another one stores more', () => {
  let now = 0
  const limit = createClaimLimit(() => now, { account: 3, all: 100 })
  for (let index = 0; index < 3; index++) {
    expect(limit.rejection(GREEDY, DAY)).toBeUndefined()
    limit.count(GREEDY)
  }
  expect(limit.rejection(GREEDY, DAY)?.info).toMatchObject({ code: 'rate_limit_exceeded', param: 'Idempotency-Key' })
  expect(limit.rejection(POLITE, DAY)).toBeUndefined()
  // The keys of this period may still be stored until the next one has ended.
  now = DAY
  expect(limit.rejection(GREEDY, DAY)?.info.code).toBe('rate_limit_exceeded')
  now = 2 * DAY
  expect(limit.rejection(GREEDY, DAY)).toBeUndefined()
})

test('all accounts together have a limit, too: then the gateway is what is unavailable', () => {
  let now = 0
  const limit = createClaimLimit(() => now, { account: 3, all: 4 })
  for (const account of [1n, 2n, 3n, 4n]) limit.count(account)
  expect(limit.rejection(POLITE, DAY)?.info).toMatchObject({ code: 'service_unavailable' })
  now = 5 * DAY
  expect(limit.rejection(POLITE, DAY)).toBeUndefined()
})
