// How requests are distributed over healthy upstreams and keys, and how their latency is measured.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { type Received, reply, respondWith, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

/** Far below the resolution of the gateway's coarse clock. */
const ANSWERS_AFTER_MS = 10

let upstream: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  upstream = await startUpstream(async (socket, request) => {
    await Bun.sleep(ANSWERS_AFTER_MS)
    await respondWith(reply())(socket, request)
  })
  const entry = (id: string, keys: string) =>
    `  - { id: ${id}, dialect: chat, base_url: "${upstream.url}", keys: [${keys}] }`
  gateway = await startGateway({
    config: `
upstreams:
${entry('small', 'small-key')}
${entry('large', 'large-key')}
${entry('pool', 'key-1, key-2, key-3, key-4')}
models:
  - { id: weighed, routes: [{ upstream: small }, { upstream: large, weight: 3 }], price: { input: 0.01, output: 0.01 } }
  - { id: pooled, routes: [{ upstream: pool }], price: { input: 0.01, output: 0.01 } }
`,
  })
  secret = (await newKey(gateway)).secret
  // The first calls are slower than the rest, whichever upstream they go to.
  for (const model of ['weighed', 'pooled']) await askedWith(model, 40, 4)
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

/** How many requests the upstream received with each key. */
async function askedWith(model: string, calls: number, atOnce: number): Promise<Record<string, number>> {
  const before = upstream.received.length
  let left = calls
  const client = async () => {
    while (left-- > 0) {
      const response = await chat(gateway.url, secret, { model, messages: [{ role: 'user', content: 'hi' }] })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  const counts: Record<string, number> = {}
  for (const request of upstream.received.slice(before)) counts[keyOf(request)] = (counts[keyOf(request)] ?? 0) + 1
  return counts
}
const keyOf = ({ headers }: Received): string => headers.authorization?.replace('Bearer ', '') ?? ''

test('weights of 1 and 3: about a quarter and three quarters, also under load', async () => {
  const { 'small-key': small = 0, 'large-key': large = 0 } = await askedWith('weighed', 600, 12)
  expect(small + large).toBe(600)
  // A pause of the machine is latency of the upstream that was called last, and moves the share.
  expect(small / 600).toBeWithin(0.1, 0.4)
})

test('four keys get about a quarter each', async () => {
  const counts = await askedWith('pooled', 400, 2)
  expect(Object.keys(counts).sort()).toEqual(['key-1', 'key-2', 'key-3', 'key-4'])
  for (const count of Object.values(counts)) {
    expect(count).toBeGreaterThan(60)
    expect(count).toBeLessThan(150)
  }
})

test('latency is measured from the request to the response', async () => {
  const upstreams = await gateway.command<{ key_states: { latency_ms: number }[] }[]>('upstream', 'list')
  const latencies = upstreams.flatMap(({ key_states }) => key_states.map(({ latency_ms }) => latency_ms))
  expect(latencies).toHaveLength(6)
  for (const latency of latencies) {
    expect(latency).toBeGreaterThanOrEqual(ANSWERS_AFTER_MS - 1)
  }
})
