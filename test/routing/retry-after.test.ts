// Where requests go while an upstream cools down or lacks the model.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import {
  head,
  reply,
  respondInDialect,
  respondWith,
  respondWithError,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

const STATUSES = [404, 503, 529]
let one: Upstream
let two: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  ;[one, two] = [await startUpstream(), await startUpstream(respondWith(reply()))]
  const upstreams = STATUSES.flatMap((status) => [
    `  - { id: alone-${status}, dialect: chat, base_url: "${one.url}", keys: [key-of-alone-${status}] }`,
    `  - { id: first-${status}, dialect: chat, base_url: "${one.url}", keys: [key-of-first-${status}] }`,
    `  - { id: second-${status}, dialect: chat, base_url: "${two.url}", keys: [key-of-second-${status}] }`,
  ])
  const price = 'price: { input: 1, output: 4 }'
  const models = STATUSES.flatMap((status) => [
    `  - { id: alone-${status}, routes: [{ upstream: alone-${status} }], ${price} }`,
    `  - { id: pair-${status}, routes: [{ upstream: first-${status} }, { upstream: second-${status}, priority: 2 }], ${price} }`,
  ])
  upstreams.push(
    `  - { id: strait, dialect: chat, base_url: "${one.url}", keys: [strait], max_concurrency_per_key: 1 }`,
  )
  models.push(`  - { id: strait, routes: [{ upstream: strait }], ${price} }`)
  upstreams.push(`  - { id: keeper, dialect: responses, base_url: "${one.url}", keys: [key-of-keeper] }`)
  models.push(`  - { id: items, routes: [{ upstream: keeper }], fallbacks: [pair-503], ${price} }`)
  upstreams.push(`  - { id: mute, dialect: chat, base_url: "${one.url}", keys: [mute] }`)
  models.push(`  - { id: unspoken, routes: [{ upstream: mute }, { upstream: second-503, priority: 2 }], ${price} }`)
  gateway = await startGateway({ config: ['upstreams:', ...upstreams, 'models:', ...models, ''].join('\n') })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  one.stop()
  two.stop()
})

/** The response when the first upstream rejects with `status`, and how many requests each upstream received. */
async function ask(model: string, status: number, headers: Record<string, string> = {}) {
  one.behave(respondWithError(status, headers, 'no such model'))
  return await asked(model)
}

async function asked(model: string) {
  const before = [one.received.length, two.received.length] as const
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
  const response = await chat(gateway.url, secret, body)
  await response.text()
  const calls = [one.received.length - before[0], two.received.length - before[1]]
  return { status: response.status, asked: calls, retryAfter: response.headers.get('retry-after') }
}

test.each([503, 529])('%p from the only upstream: retried once, unless it sent retry-after', async (status) => {
  expect((await ask(`alone-${status}`, status)).asked).toEqual([2, 0])
  const told = { status: expect.any(Number), asked: [1, 0], retryAfter: '20' }
  expect(await ask(`alone-${status}`, status, { 'retry-after': '20' })).toEqual(told)
  // An occasional failure must not become an outage for every caller.
  expect(await ask(`alone-${status}`, status, { 'retry-after': '20' })).toEqual(told)
})

test.each([
  ['503 with a time', 503, { 'retry-after': '20' }],
  ['529 with a time', 529, { 'retry-after': '20' }],
  ['404', 404, {}],
])('%s: other candidates go first from then on', async (_, status, headers) => {
  expect(await ask(`pair-${status}`, status, headers)).toMatchObject({ status: 200, asked: [1, 1] })
  for (let call = 0; call < 5; call++) {
    expect(await ask(`pair-${status}`, status, headers)).toMatchObject({ status: 200, asked: [0, 1] })
  }
})

test('a model that the only upstream lacks is still requested', async () => {
  for (let call = 0; call < 3; call++) expect((await ask('alone-404', 404)).asked).toEqual([1, 0])
})

test('a retry with the same key takes a slot of that key, and releases it', async () => {
  let calls = 0
  one.behave((socket, request) => (++calls === 1 ? respondWithError(503) : respondWith(reply()))(socket, request))
  expect(await asked('strait')).toMatchObject({ status: 200, asked: [2, 0] })
  expect(await asked('strait')).toMatchObject({ status: 200, asked: [1, 0] })
})

test('an unknown item of one caller does not affect the routing of others', async () => {
  const error = { message: "Item with id 'rs_1' not found.", type: 'invalid_request_error', param: 'input', code: null }
  one.behave(respondWith({ error }, 404))
  const body = {
    model: 'items',
    input: [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'user', content: 'hi' },
    ],
  }
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { message: error.message, param: 'input' } },
  ])
  one.behave(respondInDialect)
  const before = two.received.length
  expect(
    (await chat(gateway.url, secret, { model: 'items', messages: [{ role: 'user', content: 'hi' }] })).status,
  ).toBe(200)
  expect(two.received.length).toBe(before)
})

test('a rejection whose body never arrives is still a rejection', async () => {
  one.behave((socket) => void socket.write(head(503, 100)))
  expect(await asked('unspoken')).toMatchObject({ status: 200, asked: [1, 1] })
})
