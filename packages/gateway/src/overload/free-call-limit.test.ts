import { describe, expect, test } from 'bun:test'
import { NO_LIMITS } from '../money/limits.ts'
import { createFreeCallLimit, freeCallFailure, MOST_MIB_PER_MINUTE, MOST_PER_MINUTE } from './free-call-limit.ts'

const caller = (key: bigint, account: bigint, own?: number, shared?: number) => ({
  key,
  account,
  limits: { ...NO_LIMITS, requestsPerMinute: own },
  accountLimits: { ...NO_LIMITS, requestsPerMinute: shared },
})

function opened(most?: number) {
  const time = { now: 1_000_000_000 }
  return { time, limit: createFreeCallLimit(() => time.now, most === undefined ? {} : { most }) }
}

describe('calls without a charge', () => {
  test('the limit of a key, and its end', () => {
    const { time, limit } = opened()
    const ann = caller(1n, 1n, 2)
    expect([limit.take(ann), limit.take(ann)]).toEqual([undefined, undefined])
    const rejection = limit.take(ann)
    expect(rejection).toMatchObject({ of: 'key', limit: 2 })
    expect(limit.take(caller(2n, 1n, 2))).toBeUndefined()
    time.now += (rejection?.waitMs ?? 0) - 1
    expect(limit.take(ann)).toMatchObject({ waitMs: 1 })
    time.now += 1
    expect(limit.take(ann)).toBeUndefined()
  })

  test('the limit of an account is shared by its keys', () => {
    const { limit } = opened()
    expect(limit.take(caller(1n, 7n, undefined, 2))).toBeUndefined()
    expect(limit.take(caller(2n, 7n, 10, 2))).toBeUndefined()
    expect(limit.take(caller(3n, 7n, 10, 2))).toMatchObject({ of: 'account', limit: 2 })
    expect(limit.take(caller(4n, 8n, 10, 2))).toBeUndefined()
  })

  test('an account without a limit has one, which rejected calls do not lengthen', () => {
    const { time, limit } = opened()
    const bob = caller(1n, 1n)
    for (let calls = 0; calls < MOST_PER_MINUTE; calls++) expect(limit.take(bob)).toBeUndefined()
    for (let calls = 0; calls < 10; calls++) expect(limit.take(bob)).toMatchObject({ limit: MOST_PER_MINUTE })
    time.now += 61_000
    expect(limit.take(bob)).toBeUndefined()
  })

  test('large calls are limited by what they weigh, whatever their number, and small ones are not', () => {
    const { time, limit } = opened()
    const [bob, eve] = [caller(1n, 1n), caller(2n, 2n)]
    for (let calls = 0; calls < MOST_MIB_PER_MINUTE / 32; calls++) {
      expect([limit.take(bob), limit.take(eve)]).toEqual([undefined, undefined])
      limit.weigh(bob, 32 * 1024 ** 2)
      limit.weigh(eve, 60_000)
    }
    const rejection = limit.full(bob)
    expect(rejection).toMatchObject({ of: 'account', unit: 'MiB', limit: MOST_MIB_PER_MINUTE })
    expect([limit.take(bob), limit.take(eve)]).toEqual([rejection, undefined])
    expect(rejection && freeCallFailure(rejection, 'token counts', time.now).info).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('256 MiB of token counts per minute'),
      retryAfter: expect.any(Number),
    })
    time.now += 61_000
    expect(limit.take(bob)).toBeUndefined()
  })

  test('a limit of none rejects every call', () => {
    const limit = createFreeCallLimit(() => 0, { perMinute: () => 0 })
    expect(limit.take(caller(1n, 1n))).toMatchObject({ of: 'account', limit: 0 })
  })

  test('remembers a bounded number of accounts: the latest', () => {
    const { limit } = opened(2)
    for (const account of [1n, 2n, 3n]) expect(limit.take(caller(account, account, undefined, 1))).toBeUndefined()
    expect(limit.take(caller(3n, 3n, undefined, 1))).toBeDefined()
    expect(limit.take(caller(1n, 1n, undefined, 1))).toBeUndefined()
  })
})
