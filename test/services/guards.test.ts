// What no endpoint lets through: private URLs in fields that it does not know, and fields that change the vendor's price.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { QUICK } from '../support/gateway/video-gateway.ts'
import { wavOf } from '../support/requests/audio.ts'

/** The texts of bodies. */
let sent: string[] = []
/** The model that answers at the marketplace. */
let answering = ''
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const REPLIES: Record<string, object> = {
  '/v1/chat/completions': {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
    usage: USAGE,
  },
  '/v1/completions': {
    object: 'text_completion',
    choices: [{ index: 0, text: 'a', finish_reason: 'stop' }],
    usage: USAGE,
  },
  '/v1/embeddings': { data: [{ index: 0, embedding: [1, 2] }], usage: USAGE },
  '/v1/rerank': { results: [{ index: 0, relevance_score: 1 }] },
  '/v1/moderations': { results: [{ flagged: false }] },
  '/v1/audio/transcriptions': { text: 'a' },
  '/v1/audio/translations': { text: 'a' },
  '/v1beta/models/theirs:embedContent': { embedding: { values: [1, 2] } },
  '/v1/images/generations': { created: 1, data: [{ b64_json: PNG }] },
  '/v1/images/edits': { created: 1, data: [{ b64_json: PNG }] },
}
const TASKS = '/api/v3/contents/generations/tasks'
const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const body = await request.text()
    const asked = pathname.replace('/market', '')
    if (asked !== pathname) return Response.json({ ...REPLIES[asked], model: answering })
    if (request.method === 'GET') return Response.json({ id: pathname.slice(TASKS.length + 1), status: 'failed' })
    sent.push(body)
    if (pathname === TASKS) return Response.json({ id: `cgt-${crypto.randomUUID()}` })
    if (pathname === '/v1/audio/speech') return new Response('audio', { headers: { 'content-type': 'audio/mpeg' } })
    return Response.json(REPLIES[pathname] ?? {}, { status: REPLIES[pathname] ? 200 : 404 })
  },
})

const MODELS = {
  text: '{ input: 1, output: 1 }',
  embedding: '{ input: 1 }',
  rerank: '{ per_search: 1 }',
  moderation: '{ per_request: 1 }',
  speech: '{ per_million_characters: 1 }',
  transcription: '{ per_minute: 1 }',
}
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    taskTiming: QUICK,
    config: [
      'upstreams:',
      `  - { id: a, dialect: chat, base_url: "http://127.0.0.1:${upstream.port}/v1", keys: [k], breaker: false }`,
      `  - { id: g, dialect: generate-content, base_url: "http://127.0.0.1:${upstream.port}/v1beta", keys: [k] }`,
      `  - { id: i, dialect: images, base_url: "http://127.0.0.1:${upstream.port}/v1", keys: [k], breaker: false }`,
      `  - { id: v, dialect: video-tasks, base_url: "http://127.0.0.1:${upstream.port}/api/v3", keys: [k], breaker: false }`,
      `  - { id: o, kind: openrouter, base_url: "http://127.0.0.1:${upstream.port}/market/v1", keys: [k], breaker: false }`,
      'models:',
      ...Object.entries(MODELS).map(
        ([type, price]) =>
          `  - { id: ${type}, type: ${type}, price: ${price}, routes: [{ upstream: a, model: theirs }] }`,
      ),
      ...['embedding', 'rerank'].map(
        (type) =>
          `  - { id: o-${type}, type: ${type}, price: ${MODELS[type as 'rerank']}, routes: [{ upstream: o, model: ven/small }] }`,
      ),
      '  - { id: image, type: image, price: { per_image: 0.01 }, routes: [{ upstream: i, model: theirs }] }',
      '  - { id: video, type: video, price: { per_second: 0.01 }, limits: { seconds: [4, 12], default_seconds: 5 },',
      '      routes: [{ upstream: v, model: theirs }] }',
      '  - { id: gemini, type: embedding, price: { input: 1 }, routes: [{ upstream: g, model: theirs }] }',
    ].join('\n'),
  })
})
afterAll(async () => {
  // Until the videos are known to have failed.
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop(true)
})

/** `inChat`: fields are those of a chat, wherever it is sent. */
type Endpoint = { path: string; body: object; isForm?: true; inChat?: true }
const SPEECH = { model: 'speech', input: 'a', voice: 'v' }
const ENDPOINTS: Record<string, Endpoint> = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'text', messages: [{ role: 'user', content: 'a' }] },
    inChat: true,
  },
  completions: { path: '/v1/completions', body: { model: 'text', prompt: 'a' }, inChat: true },
  'completions at their own path': {
    path: '/v1/completions',
    body: { model: 'text', prompt: 'a', suffix: 'b' },
    inChat: true,
  },
  'code in the middle': {
    path: '/v1/fim/completions',
    body: { model: 'text', prompt: 'a', suffix: 'b' },
    inChat: true,
  },
  embeddings: { path: '/v1/embeddings', body: { model: 'embedding', input: 'a' } },
  'embed of version 1': { path: '/v1/embed', body: { model: 'embedding', texts: ['a'] } },
  'embed of version 2': { path: '/v2/embed', body: { model: 'embedding', texts: ['a'] } },
  embedContent: { path: '/v1beta/models/gemini:embedContent', body: { content: { parts: [{ text: 'a' }] } } },
  rerank: { path: '/v1/rerank', body: { model: 'rerank', query: 'a', documents: ['a'] } },
  'rerank of version 2': { path: '/v2/rerank', body: { model: 'rerank', query: 'a', documents: ['a'] } },
  moderations: { path: '/v1/moderations', body: { model: 'moderation', input: 'a' } },
  speech: { path: '/v1/audio/speech', body: SPEECH },
  transcriptions: { path: '/v1/audio/transcriptions', body: { model: 'transcription' }, isForm: true },
  translations: { path: '/v1/audio/translations', body: { model: 'transcription' }, isForm: true },
  images: { path: '/v1/images/generations', body: { model: 'image', prompt: 'a' } },
  'image edits': { path: '/v1/images/edits', body: { model: 'image', prompt: 'a' }, isForm: true },
  'image edits in JSON': {
    path: '/v1/images/edits',
    body: { model: 'image', prompt: 'a', images: [{ image_url: `data:image/png;base64,${PNG}` }] },
  },
  videos: {
    path: TASKS,
    body: { model: 'video', content: [{ type: 'text', text: 'a' }] },
  },
}

async function send({ path, body, isForm }: Endpoint, more: object): Promise<Response> {
  sent = []
  const { secret } = await newKey(gateway)
  const headers = { authorization: `Bearer ${secret}` }
  if (!isForm) {
    const json = { ...headers, 'content-type': 'application/json' }
    return fetch(gateway.url + path, { method: 'POST', headers: json, body: JSON.stringify({ ...body, ...more }) })
  }
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...body, ...more }))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  if (path.includes('images')) form.set('image', new Blob([Buffer.from(PNG, 'base64')]), 'a.png')
  else form.set('file', new Blob([wavOf(1)]), 'a.wav')
  return fetch(gateway.url + path, { method: 'POST', headers, body: form })
}

const METADATA = 'http://169.254.169.254/latest/meta-data/'
const nested = (depth: number): object => (depth === 0 ? { fileUri: METADATA } : { a: [nested(depth - 1)] })

describe.each(Object.entries(ENDPOINTS))('%s', (name, endpoint) => {
  const URLS: [string, object][] = [
    ['a URL', { image_url: METADATA }],
    ['a name in another case', { Callback_URL: METADATA }],
    ['a URI in another spelling', { fileURI: 'http://127.1/x' }],
    ['a list', { reference_urls: ['https://example.com/a', 'http://[::1]/x'] }],
    ['an object', { extra: { image: { url: METADATA } } }],
    ['deep inside', { extra: nested(20) }],
    ['another scheme', { audio_url: 'file:///etc/passwd' }],
  ]
  // Any field of a service may be one that its upstream fetches; of chat these are known.
  const ANY: [string, object][] = [
    ['a name that says nothing', { reference: METADATA }],
    ['white space in a URL', { reference: 'ht\ttp://10.0.0.1/' }],
    ['without a scheme', { sample: '//10.0.0.1/a.wav' }],
  ]
  const OWN: Record<string, [string, object][]> = {
    embeddings: [
      ['media as input', { modality: 'image', input: METADATA }],
      ['messages', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: METADATA } }] }] }],
    ],
    embedContent: [['a file beside a text', { content: { parts: [{ text: 'a', fileData: { fileUri: METADATA } }] } }]],
    speech: [['a sample as voice', { voice: METADATA }]],
    transcriptions: [
      ['a public URL, since nobody knows how long that audio is', { input_url: 'https://example.com/a.mp3' }],
      ['a sample of a voice', { 'known_speaker_references[]': METADATA }],
      ['a member of a field', { 'extra[url]': METADATA }],
      ['a file at the vendor', { file_id: 'file-1' }],
    ],
  }
  test.each([...URLS, ...(endpoint.inChat ? [] : ANY), ...(OWN[name] ?? [])])('%s is not sent', async (_, fields) => {
    const response = await send(endpoint, fields)
    expect([response.status, await response.json()]).toMatchObject([400, { error: {} }])
    expect(sent).toEqual([])
  })

  const PRICED: [string, unknown][] = [
    ['models', ['dear/model']],
    ['fallbacks', [{ model: 'dear/model' }]],
    ['provider', { order: ['dear'] }],
    ['service_tier', 'priority'],
  ]
  const PRICED_IN_CHAT: [string, unknown][] = [
    ['plugins', [{ id: 'web' }]],
    ['serving_speed', 'fast'],
    ['enable_search', true],
  ]
  test.each([
    ...PRICED,
    ...(name === 'embedContent' ? [] : PRICED_IN_CHAT),
  ])('%s has no price', async (field, value) => {
    const response = await send(endpoint, { [field]: value })
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([
      200,
      `${inWords(name, field)};no-price`,
    ])
    expect(sent).toHaveLength(1)
    expect(sent[0]).not.toContain(`"${field}"`)
  })

  // Some services merge these members into the request, after all that was checked.
  test.each<[object]>([
    [{ models: ['dear/model'], service_tier: 'priority' }],
    [{ n: 100 }],
  ])('extra_body is read by nobody: %j', async (members) => {
    const response = await send(endpoint, { extra_body: members })
    const inChat = Object.keys(members).map((member) => `extra_body.${member};dropped`)
    const warnings = endpoint.inChat ? inChat : [`${inWords(name, 'extra_body')};no-price`]
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, warnings.join(', ')])
    for (const member of Object.keys(members)) expect(sent[0]).not.toContain(`"${member}"`)
    expect(sent).toHaveLength(1)
  })

  test('a field that costs nothing passes', async () => {
    // Tiers of images have no price, whichever they are.
    const tier = endpoint.path.includes('images') ? {} : { service_tier: 'default' }
    const fields = { own_setting: 'fine', provider: { data_collection: 'deny' }, ...tier }
    const response = await send(endpoint, fields)
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, null])
    for (const field of Object.keys(fields)) expect(sent[0]).toContain(field)
  })
})

/** Names in warnings of generateContent are those of its protocol. */
const inWords = (endpoint: string, field: string): string =>
  endpoint === 'embedContent' ? field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : field

test.each(['transcriptions', 'image edits'])('a form field of %s that is a list has no price either', async (name) => {
  const fields = { 'models[]': 'dear', 'provider[order][]': 'dear', 'extra_body[n]': '9' }
  const response = await send(ENDPOINTS[name] as Endpoint, fields)
  const names = name === 'transcriptions' ? ['models', 'provider', 'extra_body'] : Object.keys(fields)
  expect(response.headers.get('x-trivium-warnings')).toBe(names.map((each) => `${each};no-price`).join(', '))
  expect(sent[0]).not.toMatch(/models|provider|extra_body/)
})

test('a URL in a member of a form field of an edit is not sent', async () => {
  for (const name of ['extra[url]', 'reference_urls[0]']) {
    const response = await send(ENDPOINTS['image edits'] as Endpoint, { [name]: '127.1/x' })
    expect([name, response.status, sent]).toEqual([name, 400, []])
  }
})

test.each(['embeddings', 'rerank'])('%s: what another model of a marketplace answers is rejected', async (name) => {
  const { path, body } = ENDPOINTS[name] as Endpoint & { body: { model: string } }
  const { secret, email } = await newKey(gateway)
  const ask = () =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, model: `o-${body.model}` }),
    })
  answering = 'ven/small-20261101'
  expect((await ask()).status).toBe(200)
  answering = 'dear/large'
  expect((await ask()).status).toBe(502)
  const [last] = await gateway.command<{ outcome: string; cost_usd: string }[]>('usage', '--account', email)
  expect(last).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
})
