// All upstreams of a model reject everything: retries must not multiply the load. Counted with several keys each.
import { expect, test } from 'bun:test'
import { type Rejection, storm } from '../../test/support/upstreams/retry-storm.ts'

const everywhere = (rejection: Rejection): Rejection[] => [rejection, rejection, rejection]

test.each<[string, Rejection[]]>([
  ['429', everywhere({ status: 429 })],
  ['429, come back at once', everywhere({ status: 429, retryAfter: '0' })],
  ['503', everywhere({ status: 503 })],
  ['some this, some that', [{ status: 429 }, { status: 503 }, { status: 529 }]],
])('a storm of %s: at most 1.2 attempts per request', async (_, rejections) => {
  const { attempts, requests, statuses } = await storm({ rejections, keysEach: 2, requests: 200, clients: 8 })
  expect(attempts / requests).toBeLessThanOrEqual(1.2)
  // Every caller is told to retry later; none gets an error of the gateway.
  expect(Object.keys(statuses).filter((status) => status !== '429' && status !== '503')).toEqual([])
  expect(attempts).toBeGreaterThan(0)
})
