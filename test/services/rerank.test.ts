// Rankings through a running gateway: the embedded model, each shape of upstreams, and every outcome that costs or must not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

type Sent = { path: string; authorization: string | null; body: Record<string, unknown> }
let sent: Sent[] = []
let answer: (call: Sent) => Response | Promise<Response> = () => Response.json({})
const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    const { headers } = request
    const body = (await request.json()) as Record<string, unknown>
    const call = { path: new URL(request.url).pathname, authorization: headers.get('authorization'), body }
    sent.push(call)
    return answer(call)
  },
})

let gateway: Gateway
beforeAll(async () => {
  const at = `base_url: "http://127.0.0.1:${upstream.port}`
  const model = (id: string, price: string, routes: string, more = '') =>
    `  - { id: ${id}, type: rerank, price: { ${price} }, routes: [${routes}]${more} }`
  const route = (id: string, more = '') => `{ upstream: ${id}, model: theirs${more} }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'server: { limits: { memory: 24MiB, body: 8MiB } }',
      'upstreams:',
      `  - { id: custom, dialect: chat, ${at}/v1", keys: [k], breaker: false }`,
      `  - { id: second, dialect: chat, ${at}/second/v1", keys: [k], breaker: false }`,
      `  - { id: narrow, dialect: chat, ${at}/v1", keys: [k], breaker: false, max_concurrency: 4 }`,
      `  - { id: cohere, kind: cohere, ${at}", keys: [k], breaker: false }`,
      `  - { id: voyage, kind: voyage, ${at}/v1", keys: [k], breaker: false }`,
      `  - { id: tei, kind: tei, ${at}", breaker: false }`,
      `  - { id: infinity, kind: infinity, ${at}", breaker: false }`,
      'models:',
      model('custom', 'input: 0.02', route('custom', ', cost: { input: 0.01 }')),
      model('retried', 'input: 0.02', `${route('custom')}, ${route('second', ', priority: 2')}`),
      model('few', 'per_thousand_documents: 0.1', route('custom'), ', limits: { documents: 2 }'),
      model('narrow', 'per_search: 0.002', route('narrow')),
      model('cohere', 'per_search: 0.002', route('cohere')),
      model('voyage', 'input: 0.05', route('voyage')),
      model('tei', 'input: 0.02', route('tei')),
      model('infinity', 'per_thousand_documents: 0.123456', route('infinity')),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop(true)
})

const QUERY = 'tall towers'
const DOCUMENTS = ['a low house', 'two tall towers', 'a tall tree']

type More = RequestInit & { headers?: Record<string, string>; path?: string }
const rerank = (secret: string, body: object, { path = '/v1/rerank', ...more }: More = {}) =>
  fetch(gateway.url + path, {
    method: 'POST',
    ...more,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({ query: QUERY, documents: DOCUMENTS, ...body }),
  })
const rankedBy = (key: string, value: string, more: object = {}) => {
  answer = () =>
    Response.json({ [key]: [2, 0, 1].map((index) => ({ index, [value]: index === 1 ? 0.9 : index / 10 })), ...more })
}
const RESULTS = [
  { index: 1, relevance_score: 0.9 },
  { index: 2, relevance_score: 0.2 },
  { index: 0, relevance_score: 0 },
]
type Ranking = { id: string; results: { index: number; relevance_score: number; document?: unknown }[] }

test.each([
  ['/v1/rerank', '1'],
  ['/v2/rerank', '2'],
  ['/rerank', '1'],
])('%s: the embedded model, by the words in common', async (path, version) => {
  const { secret, settled } = await newKey(gateway)
  const documents = [{ text: 'a low house', source: 1 }, 'two tall towers']
  const response = await rerank(secret, { model: 'sandbox-rerank', documents, return_documents: true }, { path })
  expect(response.headers.get('x-sandbox')).toBe('true')
  expect((await response.json()) as unknown).toMatchObject({
    id: expect.any(String),
    model: 'sandbox-rerank',
    results: [
      { index: 1, relevance_score: expect.closeTo(0.816, 3), document: { text: 'two tall towers' } },
      { index: 0, relevance_score: 0, document: { text: 'a low house', source: 1 } },
    ],
    meta: { api_version: { version }, billed_units: { search_units: 1 } },
    usage: { total_tokens: expect.any(Number) },
  })
  expect(await settled()).toMatchObject([
    { outcome: 'completed', cost_usd: '0.002', held_usd: '0.002', receipt: { units: { searches: 1 } } },
  ])
})

const HAS = { query: QUERY, documents: DOCUMENTS, model: 'theirs' }

describe('shapes of upstreams', () => {
  test.each<[string, () => void, string, object, string, object]>([
    [
      'custom',
      () => rankedBy('results', 'relevance_score', { usage: { total_tokens: 40 } }),
      '/v1/rerank',
      { ...HAS, top_n: 2, return_documents: false },
      '0.0000008',
      { input: 40 },
    ],
    [
      'infinity',
      () => rankedBy('results', 'relevance_score', { usage: { total_tokens: 40 } }),
      '/rerank',
      { ...HAS, top_n: 2, return_documents: false },
      '0.000370368',
      { documents: 3 },
    ],
    [
      'cohere',
      () => rankedBy('results', 'relevance_score', { id: 'theirs', meta: { billed_units: { search_units: 1 } } }),
      '/v2/rerank',
      { ...HAS, top_n: 2, max_tokens_per_doc: 512 },
      '0.002',
      { searches: 1 },
    ],
    [
      'voyage',
      () => rankedBy('data', 'relevance_score', { usage: { total_tokens: 33 } }),
      '/v1/rerank',
      { ...HAS, top_k: 2 },
      '0.00000165',
      { input: 33 },
    ],
    [
      'tei',
      () => {
        answer = () => Response.json(RESULTS.map(({ index, relevance_score: score }) => ({ index, score })))
      },
      '/rerank',
      { query: QUERY, texts: DOCUMENTS, truncate: true },
      // 33 bytes of queries and 37 of documents, four to a token.
      '0.00000036',
      { input: 18 },
    ],
  ])('%s', async (model, script, path, body, cost, units) => {
    script()
    sent = []
    const { secret, settled } = await newKey(gateway)
    const response = await rerank(secret, { model, top_n: 2, max_tokens_per_doc: 512 })
    const found = (await response.json()) as Ranking
    expect(found).toMatchObject({ model })
    expect(found.results).toEqual(RESULTS.slice(0, 2))
    expect(sent).toMatchObject([{ path }])
    expect(sent[0]?.body).toEqual(body as never)
    const warning = model === 'cohere' ? null : 'max_tokens_per_doc;dropped'
    expect(response.headers.get('x-trivium-warnings')).toBe(warning)
    const [row] = await settled()
    expect(row).toMatchObject({ outcome: 'completed', cost_usd: cost, receipt: { units } })
    expect(row?.receipt?.counted).toBe(model === 'tei' ? 'usage was missing' : undefined)
    expect(Number(row?.held_usd)).toBeGreaterThanOrEqual(Number(cost))
  })

  test('fields of vendors are passed on, and several fields of a document are one text, each once', async () => {
    rankedBy('results', 'relevance_score', { usage: { total_tokens: 1 } })
    sent = []
    const { secret } = await newKey(gateway)
    const documents = DOCUMENTS.map((text) => ({ text, title: 'On houses' }))
    const body = { model: 'custom', documents, rank_fields: ['title', 'text', 'title'], instruction: 'Towers first' }
    await (await rerank(secret, body)).arrayBuffer()
    expect(sent[0]?.body).toMatchObject({ instruction: 'Towers first' })
    expect(sent[0]?.body.documents).toEqual(DOCUMENTS.map((text) => `title: On houses\ntext: ${text}`))
    expect(Object.keys(sent[0]?.body ?? {})).not.toContain('rank_fields')
  })
})

test('more than a request can have is not charged', async () => {
  rankedBy('results', 'relevance_score', {
    usage: { total_tokens: 9e15 },
    meta: { billed_units: { search_units: 900 } },
  })
  const { secret, settled } = await newKey(gateway)
  for (const model of ['custom', 'cohere']) await (await rerank(secret, { model })).arrayBuffer()
  const rows = await settled()
  for (const { cost_usd, held_usd } of rows) expect(cost_usd).toBe(held_usd)
  expect(rows).toHaveLength(2)
})

test('long documents and many of them are more searches, which are held', async () => {
  rankedBy('results', 'relevance_score', { meta: { billed_units: { search_units: 2 } } })
  const { secret, settled } = await newKey(gateway)
  const documents = Array.from({ length: 101 }, () => 'x'.repeat(1_000))
  await (await rerank(secret, { model: 'cohere', documents })).arrayBuffer()
  // Three parts of 500 tokens at most for each document, with the query.
  expect(await settled()).toMatchObject([{ cost_usd: '0.004', held_usd: '0.008' }])
})

test.each([
  ['an error that is not billed', () => Response.json({ error: { message: 'busy' } }, { status: 503 }), 200],
  ['no ranking of these documents', () => Response.json({ results: [{ index: 3, relevance_score: 1 }] }), 502],
  ['the same document twice', () => Response.json({ results: [0, 0].map((index) => ({ index, score: 1 })) }), 502],
  ['a score that is no number', () => new Response('{"results":[{"index":0,"relevance_score":1e999}]}'), 502],
  ['something that is not JSON', () => new Response('<html>'), 502],
])('%s', async (_, failure, status) => {
  const { secret, settled } = await newKey(gateway)
  sent = []
  answer = ({ path }) => (path.startsWith('/second') ? Response.json({ results: [{ index: 0, score: 1 }] }) : failure())
  const response = await rerank(secret, { model: 'retried' })
  expect([response.status, sent.length]).toEqual([status, status === 200 ? 2 : 1])
  await response.arrayBuffer()
  expect(await settled()).toMatchObject([{ outcome: status === 200 ? 'completed' : 'failed' }])
  if (status !== 200) expect(await settled()).toMatchObject([{ cost_usd: '0.00' }])
})

test('a client that disconnects pays for what the upstream bills, once, and gets it with its idempotency key', async () => {
  const { secret, settled } = await newKey(gateway)
  sent = []
  const arrived = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  answer = async () => {
    arrived.resolve()
    await mayAnswer.promise
    return Response.json({ results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 50 } })
  }
  const client = new AbortController()
  const headers = { 'idempotency-key': 'once' }
  const asked = rerank(secret, { model: 'custom' }, { signal: client.signal, headers })
  await arrived.promise
  client.abort()
  await expect(asked).rejects.toThrow()
  mayAnswer.resolve()
  expect(await settled()).toMatchObject([{ outcome: expect.any(String), cost_usd: '0.000001' }])
  const again = await rerank(secret, { model: 'custom' }, { headers })
  expect([again.headers.get('idempotent-replayed'), ((await again.json()) as Ranking).results.length]).toEqual([
    'true',
    1,
  ])
  expect([sent.length, (await settled()).length]).toEqual([1, 1])
})

test('an account that takes all it can at an upstream leaves others their place', async () => {
  const [greedy, polite] = [await newKey(gateway), await newKey(gateway)]
  const mayAnswer = Promise.withResolvers<void>()
  const isFull = Promise.withResolvers<void>()
  sent = []
  answer = async ({ body }) => {
    if (sent.length === 2) isFull.resolve()
    if (body.query === 'slow') await mayAnswer.promise
    return Response.json({ results: [{ index: 0, relevance_score: 1 }] })
  }
  const many = Array.from({ length: 12 }, () => rerank(greedy.secret, { model: 'narrow', query: 'slow' }))
  await isFull.promise
  expect((await rerank(polite.secret, { model: 'narrow' })).status).toBe(200)
  mayAnswer.resolve()
  await Promise.all(many)
  expect(await polite.settled()).toHaveLength(1)
})

describe('bad input costs nothing', () => {
  test.each<[title: string, object, number, string, string]>([
    ['no query', { query: undefined }, 400, 'query', 'query is required'],
    ['no documents', { documents: undefined }, 400, 'documents', 'at least one'],
    ['an empty list', { documents: [] }, 400, 'documents', 'at least one'],
    ['a document that is a number', { documents: ['a', 7] }, 400, 'documents[1]', 'a string or an object'],
    ['an object without text', { documents: [{ title: 'a' }] }, 400, 'documents[0].text', 'must be a string'],
    ['too many documents', { documents: Array(10_001).fill('a') }, 400, 'documents', 'more than 10000'],
    ['more documents than the model takes', { model: 'few' }, 400, 'documents', 'more than 2 documents'],
    [
      'a long query for many documents',
      { model: 'custom', query: 'x'.repeat(1_000_000), documents: Array(1_001).fill('a') },
      400,
      'query',
      'too long for so many documents',
    ],
    ['top_n 0', { top_n: 0 }, 400, 'top_n', 'whole number'],
    ['a field of another service', { texts: ['a'] }, 400, 'texts', 'Use documents'],
    ['return_documents as text', { return_documents: 'yes' }, 400, 'return_documents', 'true or false'],
    ['a name in another case', { Model: 'few' }, 400, 'Model', 'Write model'],
    ['no model', { model: undefined }, 400, 'model', 'model is required'],
    ['a text model', { model: 'sandbox-text' }, 400, 'model', 'generates text'],
    ['an unknown model', { model: 'none' }, 404, 'model', 'does not exist'],
  ])('%s', async (_, body, status, param, message) => {
    const { secret, rows } = await newKey(gateway)
    const response = await rerank(secret, { model: 'sandbox-rerank', ...body })
    const error = { param, message: expect.stringContaining(message) }
    expect([response.status, await response.json()]).toMatchObject([status, { error }])
    expect(await rows()).toEqual([])
  })

  test('another content type is 415, a body that is too large 413, and a ranking model has another endpoint than chat', async () => {
    const { secret, rows } = await newKey(gateway)
    const text = await rerank(secret, {}, { headers: { 'content-type': 'text/plain' } })
    const large = await rerank(secret, { model: 'sandbox-rerank', query: 'x'.repeat(9 * 1024 * 1024) })
    const chat = await rerank(
      secret,
      { model: 'sandbox-rerank', messages: [{ role: 'user', content: 'Hello' }] },
      { path: '/v1/chat/completions' },
    )
    // Small in bytes, and large once it is parsed.
    const wide = await rerank(secret, { model: 'sandbox-rerank', theirs: Array(240_000).fill(0) })
    expect([text.status, large.status, wide.status, chat.status]).toEqual([415, 413, 413, 400])
    expect(await chat.json()).toMatchObject({ error: { message: expect.stringContaining('POST /v1/rerank') } })
    expect(await rows()).toEqual([])
  })

  test('without the funds nothing is sent', async () => {
    const { secret, rows } = await newKey(gateway, '0.001')
    sent = []
    expect([(await rerank(secret, { model: 'cohere' })).status, sent, await rows()]).toEqual([402, [], []])
  })
})

test('models are listed with price and limits', async () => {
  const { secret } = await newKey(gateway)
  const headers = { authorization: `Bearer ${secret}` }
  expect(await (await fetch(`${gateway.url}/v1/models/sandbox-rerank`, { headers })).json()).toMatchObject({
    type: 'rerank',
    price: { per_search: '0.002' },
    limits: { documents: 1_000 },
  })
})
