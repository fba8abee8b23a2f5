// Limits of upstreams and routes in running gateways: what is full is skipped, what is not used does not count, and two nodes keep one limit.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES, homeOnSameDatabase } from '../support/gateway/home.ts'
import { CLIENTS, callIn, errorIn } from '../support/requests/dialect-calls.ts'
import {
  reply,
  respondWith,
  respondWithError,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

const PRICE = 'price: { input: 1, output: 4 }'
let upstream: Upstream
let configuration: string
let gateway: Gateway

const entry = (id: string, limits: string) =>
  `  - { id: ${id}, dialect: chat, base_url: "${upstream.url}", keys: [key-of-${id}], limits: ${limits} }`

beforeAll(async () => {
  upstream = await startUpstream(respondWith(reply()))
  const upstreams = [
    entry('small', '{ rpm: 2 }'),
    entry('large', '{ rpm: 100000, tpm: 1000000000, concurrent: 1000 }'),
    entry('alone', '{ rpm: 1 }'),
    entry('tokens', '{ tpm: 6000 }'),
    entry('money', '{ usd_per_day: 30 }'),
    entry('poor', '{ rpm: 3 }'),
    entry('failing', '{ rpm: 4, tpm: 6000 }'),
    entry('shared', '{ rpm: 8 }'),
    entry('both', '{ rpm: 6 }'),
  ]
  const cost = 'cost: { input: 1000, output: 1000 }'
  const models = [
    `  - { id: pair, routes: [{ upstream: small }, { upstream: large, priority: 2 }], ${PRICE} }`,
    `  - { id: alone, routes: [{ upstream: alone }], ${PRICE} }`,
    `  - { id: fallen, routes: [{ upstream: alone }], fallbacks: [pair], ${PRICE} }`,
    ...['tokens', 'poor', 'shared', 'both'].map((id) => `  - { id: ${id}, routes: [{ upstream: ${id} }], ${PRICE} }`),
    `  - { id: money, routes: [{ upstream: money, ${cost} }], ${PRICE} }`,
    `  - { id: of-route, routes: [{ upstream: large, limits: { rpm: 1 } }, { upstream: large, model: other, priority: 2 }], ${PRICE} }`,
    `  - { id: failing, routes: [{ upstream: failing, ${cost} }], ${PRICE} }`,
  ]
  configuration = `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
  gateway = await startGateway({ config: configuration })
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const body = (model: string, content = 'hi') => ({ model, max_tokens: 100, messages: [{ role: 'user', content }] })

type Preview = { candidates: { upstream: string; reason: string | null; key_states: { until: string | null }[] }[] }
type State = { limits: { model: string | null; limit: string; most: string; used: string; until: string | null }[] }

async function statuses(model: string, secret: string, count: number, at = gateway): Promise<number[]> {
  const all: number[] = []
  for (let call = 0; call < count; call++) {
    const response = await chat(at.url, secret, body(model))
    await response.text()
    all.push(response.status)
  }
  return all
}
const limitsOf = async (id: string) => (await gateway.command<[State]>('upstream', 'state', id))[0].limits

test('a full upstream is skipped, and shown as full until it has room again', async () => {
  const { secret } = await newKey(gateway)
  const before = upstream.received.length
  for (let call = 0; call < 5; call++) {
    const response = await chat(gateway.url, secret, body('pair'))
    expect([response.status, await response.json()]).toEqual([200, expect.anything()])
  }
  const answered = upstream.received
    .slice(before)
    .map(({ headers }) => headers.authorization?.slice('Bearer key-of-'.length))
  expect(answered).toEqual(['small', 'small', 'large', 'large', 'large'])
  const preview = await gateway.command<Preview>('model', 'route-preview', 'pair')
  expect(preview.candidates.map(({ upstream, reason }) => [upstream, reason])).toEqual([
    ['small', 'limit_reached'],
    ['large', null],
  ])
  expect(Date.parse(preview.candidates[0]?.key_states[0]?.until ?? '')).toBeGreaterThan(Date.now())
  expect(await limitsOf('small')).toEqual([
    { model: null, limit: 'rpm', most: '2', used: '2', until: expect.any(String) },
  ])
  expect((await limitsOf('large')).map(({ limit, used }) => [limit, used])).toContainEqual(['rpm', '3'])
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(metrics).toMatch(/trivium_upstream_limit_used\{upstream="small",model="",limit="rpm"\} 1\n/)
})

test('a full route is skipped for the next route to the same upstream', async () => {
  const { secret } = await newKey(gateway)
  const before = upstream.received.length
  expect(await statuses('of-route', secret, 3)).toEqual([200, 200, 200])
  const asked = upstream.received.slice(before).map((each) => JSON.parse(each.body.toString()).model)
  expect(asked).toEqual(['of-route', 'other', 'other'])
  expect(await limitsOf('large')).toContainEqual(
    expect.objectContaining({ model: 'of-route', limit: 'rpm', most: '1', used: '1' }),
  )
})

describe('where all are full', () => {
  test.each(CLIENTS)('the error and its retry-after are those of %s', async (dialect) => {
    const { secret } = await newKey(gateway)
    await (await callIn(dialect, gateway.url, secret, { model: 'alone' })).text()
    const response = await callIn(dialect, gateway.url, secret, { model: 'alone' })
    expect(response.status).toBe(429)
    const { message } = errorIn(dialect, await response.json())
    expect(message).toMatch(/^The operator's limits of the upstreams of 'alone' are reached\. Retry in \d+ s\.$/)
    const seconds = Number(response.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(66)
  })

  test('a fallback answers at once', async () => {
    const { secret } = await newKey(gateway)
    await statuses('alone', secret, 1)
    const response = await chat(gateway.url, secret, body('fallen'))
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'model;answered-by-pair'])
  })
})

test('tokens are estimated before, and corrected by what was used: 30 for each of these requests', async () => {
  const { secret } = await newKey(gateway)
  // An estimate is above 100 tokens, so that the limit would be reached after 50 of them at most.
  expect(new Set(await statuses('tokens', secret, 80))).toEqual(new Set([200]))
  expect(await limitsOf('tokens')).toMatchObject([{ limit: 'tpm', most: '6000', used: '2400' }])
  upstream.behave(
    respondWith(reply({ usage: { prompt_tokens: 5_000, completion_tokens: 1_000, total_tokens: 6_000 } })),
  )
  const [first, second] = await statuses('tokens', secret, 2)
  upstream.behave(respondWith(reply()))
  expect([first, second]).toEqual([200, 429])
})

test('the money of a day is what the upstream charges', async () => {
  const { secret } = await newKey(gateway, '100')
  expect(await statuses('money', secret, 10)).toEqual(Array(10).fill(200))
  expect(await limitsOf('money')).toMatchObject([{ limit: 'usd_per_day', most: '30.00', used: '0.30' }])
  upstream.behave(
    respondWith(reply({ usage: { prompt_tokens: 20_000, completion_tokens: 9_700, total_tokens: 29_700 } })),
  )
  const [first] = await statuses('money', secret, 1)
  upstream.behave(respondWith(reply()))
  const response = await chat(gateway.url, secret, body('money'))
  expect([first, response.status]).toEqual([200, 429])
  // Until midnight.
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  // A rejected request makes the process ask the store, which says until when.
  await eventually(async () => (await limitsOf('money'))[0]?.until !== null)
  const [reached] = await limitsOf('money')
  expect(reached?.used).toBe('30.00')
  // The clocks of store and process differ a little.
  const DAY = 86_400_000
  const until = Date.parse(reached?.until ?? '') + 5_000
  expect([until % DAY < 10_000, Math.floor(until / DAY) - Math.floor(Date.now() / DAY)]).toEqual([true, 1])
})

test('a request that is never sent uses nothing', async () => {
  const poor = await newKey(gateway, '0.000001')
  const rich = await newKey(gateway)
  expect(new Set(await statuses('poor', poor.secret, 6))).toEqual(new Set([402]))
  expect(await statuses('poor', rich.secret, 3)).toEqual([200, 200, 200])
})

test('an attempt that fails counts as a request, and uses no tokens', async () => {
  const { secret } = await newKey(gateway)
  upstream.behave(respondWithError(400, {}, 'no'))
  expect(await statuses('failing', secret, 3)).toEqual([400, 400, 400])
  upstream.behave(respondWith(reply()))
  expect((await limitsOf('failing')).map(({ limit, used }) => [limit, used])).toEqual([
    ['rpm', '3'],
    ['tpm', '0'],
  ])
  expect(await statuses('failing', secret, 2)).toEqual([200, 429])
})

test('an account that sends without end leaves half to the others, as soon as there are others', async () => {
  const [polite, greedy] = [await newKey(gateway), await newKey(gateway)]
  expect(await statuses('shared', polite.secret, 1)).toEqual([200])
  const many = await statuses('shared', greedy.secret, 20)
  expect(many.filter((status) => status === 200)).toHaveLength(4)
  expect(await statuses('shared', polite.secret, 3)).toEqual([200, 200, 200])
})

test.each(ENGINES)('an account that is alone may use all: on %s', async (engine) => {
  const first = await startGateway({ engine, config: configuration })
  const home = homeOnSameDatabase(first.home, configuration)
  const nodes = engine === 'postgres' ? [first, await startGateway({ home })] : [first]
  try {
    const { secret } = await newKey(first)
    const before = upstream.received.length
    const all: number[] = []
    for (let round = 0; round < 6; round++)
      for (const node of nodes) all.push(...(await statuses('both', secret, round < 2 ? 1 : 2, node)))
    expect(all.filter((status) => status === 200)).toHaveLength(6)
    expect(upstream.received.length - before).toBe(6)
  } finally {
    for (const node of nodes.toReversed()) await node.stop()
  }
})
