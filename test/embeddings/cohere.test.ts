// Cohere's form of embeddings: as it is at Cohere, in the form of others elsewhere, and every guard that embeddings have.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

let sent: { path: string; body: Record<string, unknown> }[] = []
const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const body = (await request.json()) as Record<string, unknown>
    sent.push({ path: pathname, body })
    if (pathname.endsWith('/embed'))
      return Response.json({
        id: 'theirs',
        embeddings: { float: [[0.5, -0.125]] },
        texts: ['a'],
        meta: { billed_units: { input_tokens: 40 } },
      })
    if (pathname.includes(':batchEmbedContents')) return Response.json({ embeddings: [{ values: [0.5, -0.125] }] })
    const data = [{ index: 0, embedding: [0.5, -0.125] }]
    return Response.json({ data, model: body.model, usage: { prompt_tokens: 30, total_tokens: 30 } })
  },
})

let gateway: Gateway
let secret = ''
beforeAll(async () => {
  const { origin } = upstream.url
  const model = (id: string, more = '') =>
    `  - { id: ${id}, type: embedding, price: { input: 1 }, routes: [{ upstream: ${id}, model: theirs }]${more} }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: cohere, kind: cohere, base_url: "${origin}/cohere", keys: [k], breaker: false }`,
      `  - { id: open, dialect: chat, base_url: "${origin}/open/v1", keys: [k], breaker: false }`,
      `  - { id: google, dialect: generate-content, base_url: "${origin}/google/v1beta", keys: [k], breaker: false }`,
      'models:',
      model('cohere'),
      model('open', ', limits: { inputs: 2, dimensions: 8 }'),
      model('google'),
    ].join('\n'),
  })
  secret = (await newKey(gateway)).secret
})
beforeEach(() => {
  sent = []
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop(true)
})

const embed = (body: object, path = '/v2/embed', headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
/** As Cohere's SDKs send it. */
const ASKED = { texts: ['a'], input_type: 'search_query', embedding_types: ['float'], truncate: 'END' }
const VECTORS = { float: [[0.5, -0.125]] }

test('an upstream of Cohere gets the request as it is', async () => {
  const response = await embed({ model: 'cohere', output_dimension: 2, ...ASKED })
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, null])
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^req_/),
    response_type: 'embeddings_by_type',
    embeddings: VECTORS,
    texts: ['a'],
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 40 } },
  })
  expect(sent).toEqual([{ path: '/cohere/v2/embed', body: { model: 'theirs', output_dimension: 2, ...ASKED } }])
})

test.each([
  ['open', '/open/v1/embeddings', { model: 'theirs', input: ['a'], encoding_format: 'float' }],
  ['google', '/google/v1beta/models/theirs:batchEmbedContents', {}],
])('%s: others get the texts, with a warning of what they do not know', async (model, path, body) => {
  const response = await embed({ model, ...ASKED })
  expect(response.headers.get('x-trivium-warnings')).toBe('input_type;dropped, truncate;dropped')
  expect(await response.json()).toMatchObject({ embeddings: VECTORS, meta: { billed_units: {} } })
  expect(sent).toMatchObject([{ path, body }])
})

test('version 1 without types has a list of vectors', async () => {
  const response = await embed({ model: 'open', texts: ['a'] }, '/v1/embed')
  expect(await response.json()).toMatchObject({
    response_type: 'embeddings_floats',
    embeddings: [[0.5, -0.125]],
    meta: { api_version: { version: '1' } },
  })
  expect(await (await embed({ model: 'open', ...ASKED }, '/v1/embed')).json()).toMatchObject({ embeddings: VECTORS })
})

test('base64, and inputs of parts', async () => {
  const inputs = [{ content: [{ type: 'text', text: 'a' }] }]
  const response = await embed({ model: 'open', inputs, embedding_types: ['base64'] })
  expect(await response.json()).toMatchObject({ embeddings: { base64: ['AAAAPwAAAL4='] }, texts: ['a'] })
})

test('the embedded model answers', async () => {
  const body = { model: 'sandbox-embedding', texts: ['tall tower', 'a low house'], output_dimension: 8 }
  const { embeddings } = (await (await embed(body)).json()) as { embeddings: { float: number[][] } }
  expect(embeddings.float.map(({ length }) => length)).toEqual([8, 8])
})

test('a charge, its receipt, and a repeated request', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = await embed({ model: 'cohere', ...ASKED }, '/v2/embed', headers)
  const id = first.headers.get('x-request-id') ?? ''
  const again = await embed({ model: 'cohere', ...ASKED }, '/v2/embed', headers)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toBe(await first.text())
  expect((await embed({ model: 'cohere', ...ASKED }, '/v1/embed', headers)).status).not.toBe(200)
  expect(sent).toHaveLength(1)
  const receipt = await fetch(`${gateway.url}/v1/usage/${id}`, { headers: { authorization: `Bearer ${secret}` } })
  // More than the request can have is not charged: one byte, the marks around it, and the JSON of the request.
  expect(await receipt.json()).toMatchObject({ model: 'cohere', cost_usd: '0.00004', units: { input: 40 } })
})

test.each([
  [{}, 'texts'],
  [{ texts: [] }, 'texts'],
  [{ texts: 'a' }, 'texts'],
  [{ texts: ['a', 7] }, 'texts[1]'],
  [{ texts: ['a', ''] }, 'texts[1]'],
  [{ texts: ['a', 'b', 'c'] }, 'texts'],
  [{ texts: ['a'], output_dimension: 9 }, 'output_dimension'],
  [{ texts: ['a'], output_dimension: 'many' }, 'output_dimension'],
  [{ texts: ['a'], embedding_types: ['int8'] }, 'embedding_types'],
  [{ texts: ['a'], embedding_types: ['float', 'base64'] }, 'embedding_types'],
  [{ images: ['data:image/png;base64,AA=='] }, 'images'],
  [{ inputs: [{ content: [{ type: 'image_url', image_url: { url: 'https://example.com' } }] }] }, 'inputs[0].content'],
])('bad input: %j', async (body, param) => {
  for (const path of ['/v1/embed', '/v2/embed']) {
    const response = await embed({ model: 'open', ...body }, path)
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
  }
  expect(sent).toEqual([])
})
