// Reads are free of charge: one account that reads as fast as it can neither fills the gateway nor delays others.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

let gateway: Gateway
let greedy: string
let polite: string
beforeAll(async () => {
  gateway = await startGateway({})
  greedy = (await newKey(gateway)).secret
  polite = (await newKey(gateway)).secret
})
afterAll(() => gateway.stop())

/** More than an account may have in progress and queued. */
const MANY = 400
const READS = [
  ['/v1/usage?limit=100', {}, { error: { code: 'rate_limit_exceeded' } }],
  ['/v1/models', { 'anthropic-version': '2023-06-01' }, { type: 'error', error: { type: 'rate_limit_error' } }],
  ['/v1beta/models', {}, { error: { status: 'RESOURCE_EXHAUSTED' } }],
  ['/v1/responses/resp_1', {}, { error: { code: 'rate_limit_exceeded' } }],
  ['/api/v3/contents/generations/tasks', {}, { error: { code: 'RateLimitExceeded' } }],
] as const

test.each(READS)('many reads of %s at once: others are served meanwhile', async (path, headers, error) => {
  const read = (secret: string) =>
    fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}`, ...headers } })
  const all = Promise.all(
    Array.from({ length: MANY }, async () => {
      const response = await read(greedy)
      const body = await response.json()
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
    }),
  )
  const other = await read(polite)
  expect(other.status).not.toBe(429)
  const responses = await all
  const rejected = responses.filter(({ status }) => status === 429)
  expect(rejected.length).toBeGreaterThan(0)
  for (const { retryAfter, body } of rejected) {
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(body).toMatchObject(error)
  }
})
