// What large requests cost the main thread is charged to their account, which cannot take it from others; and what is free is limited.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { countIn, scrape } from '../support/metrics.ts'
import { type GreedyRequest, greedyRequests } from '../support/requests/greedy-requests.ts'

const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    await request.arrayBuffer()
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/moderations')) return Response.json({ id: 'm', model: 'm', results: [{ flagged: false }] })
    if (pathname.endsWith('/embeddings'))
      return Response.json({ object: 'list', model: 'e', data: [{ object: 'embedding', index: 0, embedding: [0.5] }] })
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }]
    return Response.json({ id: 'c', object: 'chat.completion', model: 'c', choices })
  },
})
let gateway: Gateway
beforeAll(async () => {
  const model = (id: string, type: string, price: string) =>
    `  - { id: ${id}, type: ${type}, price: { ${price} }, routes: [{ upstream: a, model: theirs }] }`
  gateway = await startGateway({
    config: [
      'server: { limits: { free_requests: 3 } }',
      'sandbox: true',
      'upstreams:',
      `  - { id: a, dialect: chat, base_url: "http://127.0.0.1:${upstream.port}/v1", keys: [k], breaker: false }`,
      'models:',
      model('free-moderation', 'moderation', 'per_request: 0'),
      model('free-text', 'text', 'input: 0, output: 0'),
      model('free-embedding', 'embedding', 'input: 0'),
      'groups:',
      '  - { id: default, models: ["*"] }',
      '  - { id: guests, models: [free-moderation] }',
      '  - { id: staff, models: [sandbox-text], multiplier: 0 }',
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop(true)
})

const send = (secret: string, { path, body, headers }: Omit<GreedyRequest, 'name'>) =>
  fetch(gateway.url + path, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${secret}`, ...headers },
  })
const post = (secret: string, path: string, value: unknown, headers: Record<string, string> = {}) =>
  send(secret, {
    path,
    body: new TextEncoder().encode(JSON.stringify(value)),
    headers: { 'content-type': 'application/json', ...headers },
  })
const hello = { model: 'sandbox-text', max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] }
const chargedSeconds = async () => countIn(await (await scrape(gateway)).text(), 'trivium_large_request_seconds_total')

describe('the time of the main thread', () => {
  test.each(greedyRequests(false))('that it takes is charged: $name', async (request) => {
    const { secret } = await newKey(gateway)
    const before = await chargedSeconds()
    const response = await send(secret, request)
    await response.arrayBuffer()
    // A scrape shows what the one of the second before has found.
    await eventually(async () => (await chargedSeconds()) > before)
  })

  test('that stored responses take is charged: continued, counted with their history, and listed', async () => {
    const { secret } = await newKey(gateway)
    const long = { model: 'sandbox-text', input: 'a word '.repeat(20_000), max_output_tokens: 16 }
    const { id } = (await (await post(secret, '/v1/responses', long)).json()) as { id: string }
    const next = { model: 'sandbox-text', previous_response_id: id, input: 'go on' }
    const headers = { authorization: `Bearer ${secret}` }
    const reads: (() => Promise<Response>)[] = [
      () => post(secret, '/v1/responses', { ...next, max_output_tokens: 16 }),
      () => post(secret, '/v1/responses/input_tokens', next),
      () => fetch(`${gateway.url}/v1/responses/${id}/input_items`, { headers }),
    ]
    for (const read of reads) {
      const before = await chargedSeconds()
      const response = await read()
      await response.arrayBuffer()
      expect(response.status).toBe(200)
      await eventually(async () => (await chargedSeconds()) > before)
    }
  })

  test('that a small request takes is not measured', async () => {
    const { secret } = await newKey(gateway)
    const before = await chargedSeconds()
    expect((await post(secret, '/v1/chat/completions', hello)).status).toBe(200)
    expect(await chargedSeconds()).toBe(before)
  })

  test('is shared: while an account sends many large requests, another one is always served', async () => {
    const [greedy, polite] = [await newKey(gateway, '100'), await newKey(gateway)]
    const request = {
      path: '/v1/responses',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(
        JSON.stringify({
          model: 'sandbox-text',
          store: false,
          max_output_tokens: 16,
          input: Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'a' })),
        }),
      ),
    }
    const statuses: number[] = []
    let isOver = false
    const flood = Array.from({ length: 48 }, async () => {
      const response = await send(greedy.secret, request)
      await response.arrayBuffer()
      statuses.push(response.status)
      // How many are rejected depends on the machine; thread-time.test.ts has a clock for that.
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    })
    const all = Promise.all(flood).finally(() => {
      isOver = true
    })
    while (!isOver) expect((await post(polite.secret, '/v1/chat/completions', hello)).status).toBe(200)
    await all
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
    expect(statuses).toContain(200)
  })
})

const FREE: [string, string, object][] = [
  ['a moderation', '/v1/moderations', { model: 'free-moderation', input: 'hi' }],
  ['a chat', '/v1/chat/completions', { ...hello, model: 'free-text' }],
  ['a text completion', '/v1/completions', { model: 'free-text', prompt: 'hi' }],
  ['embeddings', '/v1/embeddings', { model: 'free-embedding', input: 'hi' }],
  ["embeddings in Cohere's form", '/v2/embed', { model: 'free-embedding', texts: ['hi'] }],
]

describe('requests at price 0', () => {
  test.each(FREE)('are limited for each account: %s', async (_, path, body) => {
    const [{ secret }, other] = [await newKey(gateway), await newKey(gateway)]
    for (let calls = 0; calls < 3; calls++) expect((await post(secret, path, body)).status).toBe(200)
    const rejected = await post(secret, path, body)
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeWithin(1, 62)
    expect(await rejected.text()).toContain('3 free requests per minute')
    expect((await post(secret, '/v1/chat/completions', hello)).status).toBe(200)
    expect((await post(other.secret, path, body)).status).toBe(200)
  })

  test('are limited in a group without charges, where replays of stored responses are not counted', async () => {
    const { secret } = await newKey(gateway, '0', { group: 'staff' })
    const call = (key: string) => post(secret, '/v1/chat/completions', hello, { 'idempotency-key': key })
    for (const key of ['a', 'b', 'c']) expect((await call(key)).status).toBe(200)
    expect((await call('a')).headers.get('idempotent-replayed')).toBe('true')
    expect((await call('d')).status).toBe(429)
  })

  test('are rejected before their body is read where the account has no other models', async () => {
    const { secret } = await newKey(gateway, '0', { group: 'guests' })
    const [, path, body] = FREE[0] ?? fail()
    for (let calls = 0; calls < 3; calls++) expect((await post(secret, path, body)).status).toBe(200)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const invalid = { path, headers, body: new TextEncoder().encode('not gzip') }
    expect((await send(secret, invalid)).status).toBe(429)
    expect((await send((await newKey(gateway, '0', { group: 'guests' })).secret, invalid)).status).toBe(400)
  })
})

describe('a rejected body is never inflated: one that is not even gzip', () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const invalid = (path: string) => ({ path, headers, body: new TextEncoder().encode('not gzip') })

  test('is a rejected token count beyond the limit of the key', async () => {
    const { secret } = await newKey(gateway, '0', { rpm: '1' })
    const path = '/v1/responses/input_tokens'
    expect((await post(secret, path, { model: 'sandbox-text', input: 'hi' })).status).toBe(200)
    expect((await send(secret, invalid(path))).status).toBe(429)
    expect((await send((await newKey(gateway)).secret, invalid(path))).status).toBe(400)
  })

  test('is a rejected request of a key that was rate-limited a moment ago', async () => {
    const { secret } = await newKey(gateway, '10', { rpm: '1' })
    const path = '/v1/chat/completions'
    const statuses: number[] = []
    for (let calls = 0; calls < 2; calls++) statuses.push((await post(secret, path, hello)).status)
    statuses.push((await send(secret, invalid(path))).status)
    expect(statuses).toEqual([200, 429, 429])
  })
})

describe('a body that is compressed to less than a hundredth', () => {
  const compressed = (path: string, value: object) => ({
    path,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(value)),
  })
  const long = 'a'.repeat(2 * 1024 ** 2)
  const count = compressed('/v1/responses/input_tokens', { model: 'sandbox-text', input: long })
  const chat = compressed('/v1/chat/completions', { ...hello, messages: [{ role: 'user', content: long }] })

  test('is rejected where nobody pays for it', async () => {
    const guest = await newKey(gateway, '0', { group: 'guests' })
    const poor = await newKey(gateway, '0')
    const moderation = compressed('/v1/moderations', { model: 'free-moderation', input: long })
    expect((await send(guest.secret, moderation)).status).toBe(413)
    // The gateway knows for a moment that the account lacks funds, which may be over on a busy machine.
    for (const request of [count, chat])
      await eventually(async () => {
        expect((await post(poor.secret, '/v1/chat/completions', hello)).status).toBe(402)
        const response = await send(poor.secret, request)
        return response.status === 413 && (await response.text()).includes('100th')
      })
  })

  test('is read where it is paid for', async () => {
    const { secret } = await newKey(gateway, '100')
    const response = await send(secret, chat)
    expect(await response.text()).not.toContain('100th')
    expect([200, 400]).toContain(response.status)
  })
})

function fail(): never {
  throw new Error('there are none')
}
