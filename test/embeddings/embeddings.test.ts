// Embeddings through a running gateway: both protocols on both sides, every outcome that costs or must not, and the official SDKs.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { type EmbeddingUpstream, LARGE, startEmbeddingUpstream } from './upstream.ts'

let upstream: EmbeddingUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = startEmbeddingUpstream()
  const at = (path: string) => `base_url: "http://127.0.0.1:${upstream.port}/${path}", keys: [k], breaker: false`
  const model = (id: string, ...routes: [upstream: string, model: string][]) => {
    const written = routes.map(
      ([to, name], index) => `{ upstream: ${to}, model: ${name}, priority: ${index + 1}, same_vectors: true }`,
    )
    return `  - { id: ${id}, type: embedding, price: { input: 0.123456 }, routes: [${written.join(', ')}] }`
  }
  const plain = [
    'good',
    'base64-only',
    'float-only',
    'reversed',
    'broken',
    'error-inside',
    'few',
    'silent',
    'boasting',
    'slow',
    'large',
  ]
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: open, dialect: chat, ${at('v1')} }`,
      `  - { id: gem, dialect: generate-content, ${at('v1beta')} }`,
      `  - { id: voy, kind: voyage, ${at('v1')} }`,
      'models:',
      ...plain.map((name) => model(name, ['open', name])),
      model('renamed', ['open', 'good']),
      model('second', ['open', 'busy'], ['open', 'good']),
      model('gemini', ['gem', 'gem-1']),
      model('voyage', ['voy', 'float-only']),
      model('either', ['gem', 'busy'], ['open', 'good']),
      '  - { id: small, type: embedding, price: { input: 1 }, limits: { inputs: 2, tokens: 9, dimensions: 8 }, routes: [{ upstream: open, model: good }] }',
    ].join('\n'),
  })
})
beforeEach(() => {
  upstream.asked.length = 0
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop()
})

type More = RequestInit & { headers?: Record<string, string> }
const post = (path: string, secret: string, body: unknown, more: More = {}) =>
  fetch(gateway.url + path, {
    method: 'POST',
    ...more,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...more.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const embed = (secret: string, body: unknown, more?: More) => post('/v1/embeddings', secret, body, more)
const embedContent = (secret: string, model: string, body: unknown) =>
  post(
    `/v1beta/models/${model}:${'requests' in (body as object) ? 'batchEmbedContents' : 'embedContent'}`,
    secret,
    body,
  )
const openai = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const google = (apiKey: string, apiVersion = 'v1beta') =>
  new GoogleGenAI({ apiKey, apiVersion, httpOptions: { baseUrl: gateway.url } })

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, each, index) => sum + each * (other[index] ?? 0), 0)
const base64 = (...vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString('base64')
const content = (...texts: string[]) => ({ parts: texts.map((text) => ({ text })) })

test('the embedded model: cosine follows the words that texts share, in both official SDKs and all forms of input', async () => {
  const { secret, settled } = await newKey(gateway)
  const input = ['the cat sat on the mat', 'The cat sat on a mat!', 'stock prices fell sharply today']
  const client = openai(secret)
  const model = 'sandbox-embedding'
  const { data, usage } = await client.embeddings.create({ model, input, dimensions: 512, user: 'u' })
  const [cat = [], same = [], stocks = []] = data.map(({ embedding }) => embedding)
  expect([cat.length, usage.prompt_tokens]).toEqual([512, 20])
  expect(dot(cat, cat)).toBeCloseTo(1, 5)
  expect(dot(cat, same)).toBeGreaterThan(0.7)
  expect(Math.abs(dot(cat, stocks))).toBeLessThan(0.3)
  const floats = await client.embeddings.create({
    model,
    input: input[0] ?? '',
    dimensions: 512,
    encoding_format: 'float',
  })
  expect(dot(floats.data[0]?.embedding ?? [], cat)).toBeCloseTo(1, 5)
  const tokens = await client.embeddings.create({ model, input: [[1, 2, 3], [4]] })
  expect([tokens.data.length, tokens.usage.total_tokens]).toEqual([2, 4])
  const { embeddings = [] } = await google(secret, 'v1alpha').models.embedContent({
    model,
    contents: input,
    config: { outputDimensionality: 512, taskType: 'SEMANTIC_SIMILARITY' },
  })
  expect([embeddings.length, dot(embeddings[0]?.values ?? [], cat)]).toEqual([3, expect.closeTo(1, 5)])
  const [, , , first] = await settled()
  // 20 tokens at 0.02 USD per million; what is held are the bytes of the body, and 16 for each text.
  expect(first).toMatchObject({ outcome: 'completed', cost_usd: '0.0000004', receipt: { units: { input: 20 } } })
})

test.each([
  ['good', 'float', false],
  ['good', 'base64', true],
  ['base64-only', 'float', false],
  ['float-only', 'base64', true],
])('model %s asked for %s answers with that form', async (model, encoding, isBase64) => {
  const { secret, settled } = await newKey(gateway)
  const response = await embed(secret, { model, input: ['ab', 'abc'], encoding_format: encoding })
  const expected = [
    [0.5, -0.125],
    [0.75, -0.125],
  ].map((vector) => (isBase64 ? base64(...vector) : vector))
  const { data, usage } = (await response.json()) as { data: { embedding: unknown; index: number }[]; usage: unknown }
  expect([data.map(({ embedding }) => embedding), data.map(({ index }) => index)]).toEqual([expected, [0, 1]])
  expect(usage).toEqual({ prompt_tokens: 14, total_tokens: 14 })
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.000001729' }])
})

test('bytes pass through in both directions but for the name of the model and the end user', async () => {
  const { secret } = await newKey(gateway)
  const body = '{ "input":["a"] ,"task":"x",  "model": "renamed","user":"ada", "dimensions":2 }'
  const text = await (await embed(secret, body)).text()
  expect(upstream.asked[0]?.text.replace(/"user":"[^"]+"/, '"user":"*"')).toBe(
    '{ "input":["a"] ,"task":"x",  "model": "good","user":"*", "dimensions":2 }',
  )
  expect(upstream.asked[0]?.body.user).not.toBe('ada')
  expect(text).toBe(
    '{"object":"list","data":[{"object": "embedding", "index":0, "embedding" :[ 0.25 , -0.125 ]}],\n"model":"renamed","extra":{"kept":[1.10]},"usage":{"prompt_tokens":7,"total_tokens":7}}',
  )
})

test.each<[model: string, input: unknown, sent: object]>([
  ['good', [{ text: 'ab' }, 'abc'], { input: ['ab', 'abc'], task: 'x' }],
  ['good', [{ text: 'ab', image: null }, { text: 'abc' }], { input: ['ab', 'abc'], task: 'x' }],
  ['gemini', [{ text: 'ab' }, 'abc'], { requests: [{ content: content('ab') }, { content: content('abc') }] }],
])('inputs that are objects with a text are texts: %s %j', async (model, input, sent) => {
  const { secret, settled } = await newKey(gateway)
  expect((await embed(secret, { model, input, task: 'x' })).status).toBe(200)
  expect(upstream.asked).toMatchObject([{ body: sent }])
  expect(await settled()).toMatchObject([{ outcome: 'completed' }])
})

test('megabytes of numbers pass through as they came, and become base64 if that was asked for', async () => {
  const { secret, settled } = await newKey(gateway)
  const input = Array.from({ length: 256 }, () => 'a')
  const passed = await (await embed(secret, { model: 'large', input })).text()
  expect(Bun.hash(passed)).toBe(Bun.hash(LARGE))
  const { data } = await openai(secret).embeddings.create({ model: 'large', input })
  expect([data.length, data[255]?.embedding]).toEqual([256, JSON.parse(LARGE).data[255].embedding])
  expect(await settled()).toMatchObject([{ receipt: { units: { input: 1_024 } } }, { cost_usd: '0.000126419' }])
})

test('an upstream that calls fields by other names, or lacks them', async () => {
  const { secret } = await newKey(gateway)
  const asked = { model: 'voyage', input: ['ab'], dimensions: 2, encoding_format: 'base64', user: 'u' }
  const response = await embed(secret, asked)
  expect(upstream.asked[0]?.body).toEqual({ model: 'float-only', input: ['ab'], output_dimension: 2 })
  expect(response.headers.get('x-trivium-warnings')).toBe('user;dropped')
  expect(await response.json()).toMatchObject({ data: [{ embedding: base64(0.5, -0.125) }] })
  await embedContent(secret, 'voyage', { content: content('ab'), outputDimensionality: 2 })
  expect(upstream.asked[1]?.body).toEqual({ model: 'float-only', input: 'ab', output_dimension: 2 })
})

test.each([
  'float',
  'base64',
])('an upstream that ignores dimensions is found out by its vectors of %s', async (form) => {
  const { secret } = await newKey(gateway)
  const warningsFor = async (dimensions: number, model = 'good') => {
    const response = await embed(secret, { model, input: ['ab', 'abc'], encoding_format: form, dimensions })
    return [response.status, response.headers.get('x-trivium-warnings')]
  }
  expect(await warningsFor(1)).toEqual([200, 'dimensions;ignored'])
  expect(await warningsFor(2)).toEqual([200, null])
  expect(await warningsFor(3, 'second')).toEqual([200, 'dimensions;ignored'])
})

test('a request of the OpenAI protocol for a Gemini model', async () => {
  const { secret, settled } = await newKey(gateway)
  const body = { model: 'gemini', input: ['ab', 'abc'], dimensions: 2, encoding_format: 'base64', user: 'u', task: 'x' }
  const response = await embed(secret, body)
  expect(upstream.asked).toMatchObject([
    {
      path: '/v1beta/models/gem-1:batchEmbedContents',
      body: {
        requests: [
          { model: 'models/gem-1', content: content('ab'), outputDimensionality: 2 },
          { model: 'models/gem-1', content: content('abc'), outputDimensionality: 2 },
        ],
      },
    },
  ])
  expect(response.headers.get('x-trivium-warnings')).toBe('user;dropped, task;dropped')
  expect(await response.json()).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: base64(0.5, -0.125) },
      { object: 'embedding', index: 1, embedding: base64(0.75, -0.125) },
    ],
    model: 'gemini',
    usage: { prompt_tokens: 2, total_tokens: 2 },
  })
  // It reports no usage: two texts of about one token each are counted.
  expect(await settled()).toMatchObject([{ receipt: { units: { input: 2 }, counted: 'usage was missing' } }])
})

test('requests of the Gemini protocol for models of both, single and in a batch', async () => {
  const { secret } = await newKey(gateway)
  const single = { content: content('ab', 'c'), taskType: 'RETRIEVAL_DOCUMENT', title: 'T', output_dimensionality: '2' }
  const toOpen = await embedContent(secret, 'renamed', single)
  expect(await toOpen.json()).toEqual({ embedding: { values: [1, -0.125] }, usageMetadata: { promptTokenCount: 7 } })
  expect(toOpen.headers.get('x-trivium-warnings')).toBe('taskType;dropped, title;dropped')
  expect(upstream.asked[0]).toMatchObject({
    path: '/v1/embeddings',
    body: { model: 'good', input: 'ab\nc', dimensions: 2 },
  })
  const toGemini = await embedContent(secret, 'gemini', single)
  expect(await toGemini.json()).toEqual({
    embedding: { values: [0.5, -0.125] },
    usageMetadata: { promptTokenCount: 5 },
  })
  expect(upstream.asked[1]).toEqual(
    expect.objectContaining({ path: '/v1beta/models/gem-1:embedContent', body: { ...single, model: 'models/gem-1' } }),
  )
  const requests = ['ab', 'abc'].map((text) => ({ model: 'models/reversed', content: content(text) }))
  const batch = await embedContent(secret, 'reversed', { requests })
  expect(await batch.json()).toMatchObject({ embeddings: [{ values: [0.5, -0.125] }, { values: [0.75, -0.125] }] })
})

test.each([
  ['second', 2],
  ['either', 2],
])('model %s: the next route is called for what was not billed', async (model, calls) => {
  const { secret, settled } = await newKey(gateway)
  const response = await embed(secret, { model, input: 'ab' })
  expect([response.status, upstream.asked.length]).toEqual([200, calls])
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.000000865' }])
})

test('no more tokens are charged than the request can have', async () => {
  const { secret, settled } = await newKey(gateway)
  const body = JSON.stringify({ model: 'boasting', input: 'abc' })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  expect((await fetch(`${gateway.url}/v1/embeddings`, { method: 'POST', headers, body })).status).toBe(200)
  // A token for each byte, and 16 that models add to an input.
  expect(await settled()).toMatchObject([{ outcome: 'completed', receipt: { units: { input: body.length + 16 } } }])
})

test.each(['broken', 'error-inside', 'few'])('a failure is free: %s', async (model) => {
  const { secret, settled } = await newKey(gateway)
  const response = await embed(secret, { model, input: ['a', 'b'] })
  expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'upstream_error' } }])
  expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
})

test('a client that disconnects pays once for what the upstream made, and its key replays it', async () => {
  const { secret, settled } = await newKey(gateway)
  const client = new AbortController()
  const headers = { 'idempotency-key': 'one' }
  const body = { model: 'slow', input: 'ab' }
  const response = embed(secret, body, { headers, signal: client.signal }).catch(() => 'aborted')
  while (upstream.asked.length === 0) await Bun.sleep(5)
  client.abort()
  expect(await response).toBe('aborted')
  await caughtUp(gateway)
  upstream.release()
  expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.000000865' }])
  const again = await embed(secret, body, { headers })
  expect([again.status, upstream.asked.length, (await settled()).length]).toEqual([200, 1, 1])
})

test('a greedy account waits for itself alone', async () => {
  const [greedy, polite] = [await newKey(gateway, '10', { concurrent: '2' }), await newKey(gateway)]
  const waiting = Array.from({ length: 4 }, () => embed(greedy.secret, { model: 'slow', input: 'ab' }))
  while (upstream.asked.length < 2) await Bun.sleep(5)
  const response = await embed(polite.secret, { model: 'good', input: 'ab' })
  expect(response.status).toBe(200)
  // Those beyond its limit are rejected, and no more than two were sent.
  expect(upstream.asked.filter(({ body }) => body.model === 'slow')).toHaveLength(2)
  upstream.release()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 200, 429, 429])
})

const many = (length: number, of = 'a') => Array.from({ length }, () => of)
test.each([
  [{ model: 'good' }, 'input', 'input is required'],
  [{ input: 'a' }, 'model', 'model is required'],
  [{ model: 'good', input: [] }, 'input', 'must not be empty'],
  [{ model: 'good', input: ['a', ''] }, 'input[1]', 'must not be empty'],
  [{ model: 'good', input: ['a', 1] }, 'input[1]', 'is not like the others'],
  [{ model: 'good', input: [[1], 'a'] }, 'input[1]', 'is not like the others'],
  [{ model: 'good', input: [1, 2.5] }, 'input', 'token ids'],
  [{ model: 'good', input: [[1], []] }, 'input[1]', 'must not be empty'],
  [{ model: 'good', input: { image: 'a' } }, 'input', 'media cannot be embedded here'],
  [{ model: 'good', input: ['a', { text: 'a', image: 'b' }] }, 'input[1]', 'media cannot be embedded here'],
  [{ model: 'good', input: [{ text: 1 }] }, 'input[0]', 'is not like the others'],
  [{ model: 'good', input: { text: '' } }, 'input', 'must not be empty'],
  [{ model: 'good', input: true }, 'input', 'input must be a string'],
  [{ model: 'good', input: 'a', dimensions: 0 }, 'dimensions', 'whole number'],
  [{ model: 'good', input: 'a', encoding_format: 'int8' }, 'encoding_format', 'float, base64'],
  [{ model: 'good', input: 'a', Model: 'x' }, 'Model', 'Write model'],
  [{ model: 'good', input: many(2_049) }, 'input', '2049 inputs, and at most 2048'],
  [{ model: 'good', input: [Array(300_001).fill(1)] }, 'input', 'more than 300000 tokens'],
  [{ model: 'good', input: many(3, 'ab '.repeat(110_000)) }, 'input', 'more than 300000 tokens'],
  [{ model: 'small', input: many(3) }, 'input', 'at most 2'],
  [{ model: 'small', input: 'a', dimensions: 9 }, 'dimensions', 'at most 8 dimensions'],
  [{ model: 'gemini', input: [1, 2] }, 'input', 'Send strings'],
  [{ model: 'sandbox-text', input: 'a' }, 'model', 'Use POST /v1/chat/completions'],
])('rejected and free: %#', async (body, param, message) => {
  const { secret, rows } = await newKey(gateway)
  const response = await embed(secret, body)
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { param, message: expect.stringContaining(message) } },
  ])
  expect([await rows(), upstream.asked]).toEqual([[], []])
})

test.each([
  ['gemini', { content: content() }, 'content.parts must have text'],
  ['gemini', { content: { parts: [{ inlineData: {} }] } }, 'content.parts[0] must be text'],
  ['gemini', { requests: [] }, 'at least one request'],
  ['gemini', { requests: [{ model: 'models/good', content: content('a') }] }, 'must be the model of the path'],
  [
    'good',
    { requests: [1, 2].map((outputDimensionality) => ({ content: content('a'), outputDimensionality })) },
    'requests[1].outputDimensionality',
  ],
  ['sandbox-text', { content: content('a') }, 'generates text'],
])('rejected in the Gemini protocol: %#', async (model, body, message) => {
  const { secret, rows } = await newKey(gateway)
  const response = await embedContent(secret, model, body)
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) } },
  ])
  expect([await rows(), upstream.asked]).toEqual([[], []])
})

test.each([
  ['text/plain', 415],
  ['application/json', 413],
])('a body of %s that is too large or of another type: %i', async (type, status) => {
  const { secret } = await newKey(gateway)
  const input = status === 413 ? 'a'.repeat(33 * 1024 * 1024) : 'a'
  const response = await embed(secret, { model: 'good', input }, { headers: { 'content-type': type } })
  expect(response.status).toBe(status)
})

test('a model of vectors is rejected where text is generated, and is listed', async () => {
  const { secret } = await newKey(gateway)
  const asked = { model: 'good', messages: [{ role: 'user', content: 'a' }] }
  const response = await post('/v1/chat/completions', secret, asked)
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Use POST /v1/embeddings')])
  const headers = { authorization: `Bearer ${secret}` }
  const show = async (path: string) => (await fetch(gateway.url + path, { headers })).json()
  expect(await show('/v1/models/small')).toMatchObject({
    type: 'embedding',
    price: { input: '1.00' },
    limits: { inputs: 2, tokens: 9, dimensions: 8 },
  })
  expect(await show('/v1beta/models/good')).toMatchObject({
    supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
  })
})

test('without the funds nothing is sent', async () => {
  const { secret, rows } = await newKey(gateway, '0.0000001')
  const response = await embed(secret, { model: 'good', input: 'Hello world' })
  expect([response.status, upstream.asked, await rows()]).toEqual([402, [], []])
})
