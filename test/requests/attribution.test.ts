// Whom and what a request is for: read from headers and bodies of every dialect, kept with its row and in the sums of both engines, shown
// on its receipt, and no vendor's business.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'
import { BASE_PATH, bodyIn, CLIENTS, headersIn, pathIn } from '../support/requests/dialect-calls.ts'
import { respondInDialect, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

const DIALECTS = Object.keys(BASE_PATH) as TextDialectId[]
let upstream: Upstream
/** Keeps end users as they are. */
let plain: Gateway
let key: Awaited<ReturnType<typeof newKey>>

const configOf = (origin: string, more = '') => `
sandbox: true
upstreams:
${DIALECTS.map((id) => `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], breaker: false }`).join('\n')}
models:
${DIALECTS.map((id) => `  - { id: ${id}-model, routes: [{ upstream: ${id} }], price: { input: 1, output: 4 } }`).join('\n')}
${more}`

beforeAll(async () => {
  upstream = await startUpstream()
  plain = await startGateway({ config: configOf(new URL(upstream.url).origin, 'attribution: { end_users: plain }\n') })
  key = await newKey(plain)
})
afterAll(async () => {
  await plain.stop()
  upstream.stop()
})
beforeEach(() => upstream.behave(respondInDialect))

type Said = { headers?: Record<string, string>; more?: Record<string, unknown> }
type Options = { at?: Gateway; secret?: string; model?: string }

async function send(dialect: TextDialectId, { headers = {}, more = {} }: Said, options: Options = {}) {
  const { at = plain, secret = key.secret, model = `${dialect}-model` } = options
  const call = { model, more }
  const response = await fetch(at.url + pathIn(dialect, call), {
    method: 'POST',
    headers: { ...headersIn(dialect, secret), ...headers },
    body: JSON.stringify(bodyIn(dialect, call)),
  })
  return {
    status: response.status,
    id: response.headers.get('x-request-id') ?? '',
    headers: response.headers,
    body: await response.json(),
  }
}

async function receiptOf(id: string, at = plain, secret = key.secret) {
  const response = await fetch(`${at.url}/v1/usage/${id}`, { headers: { authorization: `Bearer ${secret}` } })
  const { tags, end_user, session } = (await response.json()) as Record<string, unknown>
  return { tags, end_user, session }
}

const NOTHING = { tags: [], end_user: null, session: null }
const USER_ID = 'user_ab12_account_cd34_session_0f9e-11'
const DESCRIPTION = JSON.stringify({ device_id: 'd', account_uuid: '', session_id: '5e55' })

const HEADERS: [string, Said, object][] = [
  ['nothing', {}, {}],
  [
    'our headers',
    { headers: { 'x-trivium-tags': 'b=2, a=1,b=2,', 'x-trivium-user': ' ada ', 'x-trivium-session': 's-1' } },
    { tags: ['a=1', 'b=2'], end_user: 'ada', session: 's-1' },
  ],
  [
    "LiteLLM's headers",
    { headers: { 'x-litellm-tags': 'x,y', 'x-litellm-customer-id': 'ada', 'x-litellm-session-id': 's-2' } },
    { tags: ['x', 'y'], end_user: 'ada', session: 's-2' },
  ],
  ["LiteLLM's other name of an end user", { headers: { 'x-litellm-end-user-id': 'bob' } }, { end_user: 'bob' }],
  ["OpenRouter's session", { headers: { 'x-session-id': 's-3' } }, { session: 's-3' }],
  [
    'ours before others',
    {
      headers: {
        'x-litellm-tags': 'other',
        'x-litellm-customer-id': 'other',
        'x-session-id': 'other',
        'x-trivium-tags': 'mine',
        'x-trivium-user': 'mine',
        'x-trivium-session': 'mine',
      },
    },
    { tags: ['mine'], end_user: 'mine', session: 'mine' },
  ],
]

describe.each(CLIENTS)('%s, by headers', (dialect) => {
  test.each(HEADERS)('%s', async (_, said, expected) => {
    const before = upstream.received.length
    const { status, id } = await send(dialect, said)
    expect(status).toBe(200)
    expect(await receiptOf(id)).toEqual({ ...NOTHING, ...expected })
    for (const { head } of upstream.received.slice(before))
      expect(head).not.toMatch(/x-trivium-(tags|user|session)|x-litellm|x-session-id/i)
  })
})

const BODIES: [TextDialectId, Record<string, unknown>, object][] = [
  ['chat', { user: 'ada' }, { end_user: 'ada' }],
  ['chat', { safety_identifier: 'eve', user: 'ada' }, { end_user: 'eve' }],
  ['chat', { session_id: 's-4', metadata: { tags: ['b', 'a'] } }, { tags: ['a', 'b'], session: 's-4' }],
  ['chat', { metadata: { tags: 'b,a', session_id: 's-5' } }, { tags: ['a', 'b'], session: 's-5' }],
  ['chat', { session_id: null, metadata: null, user: null }, {}],
  ['responses', { user: 'ada', session_id: 's-6' }, { end_user: 'ada', session: 's-6' }],
  ['responses', { metadata: { tags: 'team=search', session_id: 's-7' } }, { tags: ['team=search'], session: 's-7' }],
  ['responses', { safety_identifier: 'eve' }, { end_user: 'eve' }],
  ['messages', { metadata: { user_id: 'ada' } }, { end_user: 'ada' }],
  ['messages', { metadata: { user_id: USER_ID } }, { end_user: 'user_ab12_account_cd34', session: '0f9e-11' }],
  ['messages', { metadata: { user_id: DESCRIPTION } }, { end_user: 'd', session: '5e55' }],
  ['messages', { session_id: 's-8' }, { session: 's-8' }],
  ['generate-content', { session_id: 's-9' }, { session: 's-9' }],
]

describe('by the body', () => {
  test.each(BODIES)('%s: %j', async (dialect, more, expected) => {
    const before = upstream.received.length
    const { status, id } = await send(dialect, { more })
    expect(status).toBe(200)
    expect(await receiptOf(id)).toEqual({ ...NOTHING, ...expected })
    for (const { body } of upstream.received.slice(before))
      expect(Object.keys(JSON.parse(body.toString()))).not.toContain('session_id')
  })

  test.each(
    CLIENTS,
  )('%s to an upstream of another dialect: no vendor gets session_id, and nobody is warned', async (dialect) => {
    const model = dialect === 'chat' ? 'messages-model' : 'chat-model'
    const before = upstream.received.length
    const { status, id, headers } = await send(dialect, { more: { session_id: 's-10' } }, { model })
    expect(status).toBe(200)
    expect((await receiptOf(id)).session).toBe('s-10')
    expect(headers.get('x-trivium-warnings') ?? '').not.toContain('session_id')
    for (const { body } of upstream.received.slice(before)) expect(body.toString()).not.toContain('s-10')
  })

  test('a long chat, which is not parsed', async () => {
    const messages = [{ role: 'user', content: 'word '.repeat(40_000) }]
    const { id } = await send('chat', {
      more: { messages, session_id: 's-11', metadata: { tags: ['long'] }, user: 'ada' },
    })
    expect(await receiptOf(id)).toEqual({ tags: ['long'], end_user: 'ada', session: 's-11' })
    expect(upstream.received.at(-1)?.body.toString()).not.toContain('s-11')
  })

  test('headers come before it', async () => {
    const more = { user: 'other', session_id: 'other', metadata: { tags: ['other'] } }
    const headers = { 'x-trivium-tags': 'mine', 'x-trivium-user': 'mine', 'x-session-id': 'mine' }
    const { id } = await send('chat', { more, headers })
    expect(await receiptOf(id)).toEqual({ tags: ['mine'], end_user: 'mine', session: 'mine' })
  })

  test.each<[string, object, string | undefined]>([
    ['/v1/embeddings', { model: 'sandbox-embedding', input: 'a' }, 'ada'],
    ['/v1/moderations', { model: 'sandbox-moderation', input: 'a' }, 'ada'],
    ['/v1/rerank', { model: 'sandbox-rerank', query: 'a', documents: ['a', 'b'] }, 'ada'],
    ['/v1/audio/speech', { model: 'sandbox-speech', input: 'a', voice: 'alloy' }, undefined],
    ['/v1/images/generations', { model: 'sandbox-image', prompt: 'a cat' }, 'ada'],
  ])('%s', async (path, body, user) => {
    const response = await fetch(plain.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', 'x-trivium-tags': 'kind' },
      body: JSON.stringify({ ...body, user, session_id: 's-12' }),
    })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    expect(response.headers.get('x-trivium-warnings') ?? '').not.toContain('session_id')
    const receipt = await receiptOf(response.headers.get('x-request-id') ?? '')
    expect(receipt).toEqual({ tags: ['kind'], end_user: user ?? null, session: 's-12' })
  })
})

describe('official SDKs', () => {
  const openai = () => new OpenAI({ baseURL: `${plain.url}/v1`, apiKey: key.secret, maxRetries: 0 })
  test('OpenAI: user and metadata', async () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const chat = await openai()
      .chat.completions.create({ model: 'chat-model', messages, user: 'ada', metadata: { tags: 'a,b' } })
      .withResponse()
    expect(await receiptOf(chat.request_id ?? '')).toEqual({ tags: ['a', 'b'], end_user: 'ada', session: null })
    const responses = await openai()
      .responses.create({
        model: 'responses-model',
        input: 'Hi',
        safety_identifier: 'eve',
        metadata: { session_id: 's' },
      })
      .withResponse()
    expect(await receiptOf(responses.request_id ?? '')).toEqual({ tags: [], end_user: 'eve', session: 's' })
  })

  test('Anthropic: metadata.user_id', async () => {
    const client = new Anthropic({ baseURL: plain.url, apiKey: key.secret, maxRetries: 0 })
    const { response } = await client.messages
      .create({
        model: 'messages-model',
        max_tokens: 50,
        metadata: { user_id: USER_ID },
        messages: [{ role: 'user', content: 'Hi' }],
      })
      .withResponse()
    const receipt = await receiptOf(response.headers.get('x-request-id') ?? '')
    expect(receipt).toEqual({ tags: [], end_user: 'user_ab12_account_cd34', session: '0f9e-11' })
  })

  test('Google: headers', async () => {
    const headers = { 'x-trivium-tags': 'google-sdk', 'x-trivium-user': 'gil' }
    const client = new GoogleGenAI({ apiKey: key.secret, httpOptions: { baseUrl: plain.url, headers } })
    const answer = await client.models.generateContent({ model: 'generate-content-model', contents: 'Hi' })
    const id = answer.sdkHttpResponse?.headers?.['x-request-id'] ?? ''
    expect(await receiptOf(id)).toEqual({ tags: ['google-sdk'], end_user: 'gil', session: null })
  })
})

const TOO_MANY = Array.from({ length: 17 }, (_, index) => `t${index}`)
const BAD: [string, Said, string, RegExp][] = [
  ['17 tags', { headers: { 'x-trivium-tags': TOO_MANY.join() } }, 'x-trivium-tags', /at most 16 tags; this one has 17/],
  ['a tag of 65 characters', { headers: { 'x-litellm-tags': 't'.repeat(65) } }, 'x-litellm-tags', /at most 64/],
  ['a tag without a name', { headers: { 'x-trivium-tags': '=prod' } }, 'x-trivium-tags', /has a name before its =/],
  ['a long end user', { headers: { 'x-trivium-user': 'u'.repeat(257) } }, 'x-trivium-user', /at most 256/],
  ['a long session', { headers: { 'x-session-id': 's'.repeat(257) } }, 'x-session-id', /at most 256/],
  ['a session that is no text', { more: { session_id: 7 } }, 'session_id', /must be a string/],
  ['a long session in the body', { more: { session_id: 's'.repeat(257) } }, 'session_id', /longer than 256/],
]

describe.each(CLIENTS)('%s rejects', (dialect) => {
  test.each(BAD)('%s', async (_, said, param, message) => {
    const before = upstream.received.length
    const { status, body } = await send(dialect, said)
    expect(status).toBe(400)
    const { error } = body as { error: { message: string; param?: string } }
    expect(error.message).toMatch(message)
    if (dialect === 'chat') expect(error.param).toBe(param)
    expect(upstream.received.length).toBe(before)
  })
})

test.each([
  [{ tags: 7 }],
  [{ tags: [7] }],
  [{ tags: ['a,b'] }],
  [{ tags: ['a\u0000'] }],
  [{ tags: TOO_MANY }],
])('metadata %j is rejected', async (metadata) => {
  const { status, body } = await send('chat', { more: { metadata } })
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: { param: 'metadata.tags' } })
})

describe.each(ENGINES)('%s', (engine) => {
  let gateway: Gateway
  let own: Awaited<ReturnType<typeof newKey>>
  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      config: `sandbox: true\nattribution: { required_tags: [team], allowed_tags: [env=prod, env=test] }\n`,
    })
    own = await newKey(gateway, '10', { tags: 'team=search' })
  })
  afterAll(() => gateway.stop())

  const ask = (said: Said, secret = own.secret) => send('chat', said, { at: gateway, secret, model: 'sandbox-text' })
  const tagsOf = async ({ id }: { id: string }, secret = own.secret) => (await receiptOf(id, gateway, secret)).tags

  test('rows and sums: hashed end users, the tags of the key beside those of the request', async () => {
    const said = { headers: { 'x-trivium-tags': 'env=prod', 'x-trivium-user': 'ada', 'x-trivium-session': 's-1' } }
    const { id, status } = await ask(said)
    expect(status).toBe(200)
    const { end_user } = await receiptOf(id, gateway, own.secret)
    expect(end_user).toMatch(/^u_[\w-]{22}$/)
    await own.settled()
    const [row] = await askStore(gateway.home, "SELECT tags, end_user, session FROM request WHERE session = 's-1'")
    expect(row).toEqual({ tags: 'env=prod,team=search', end_user, session: 's-1' })
    const sums = await askStore(
      gateway.home,
      'SELECT dimension, value, CAST(requests AS text) AS requests FROM daily_attribution_spending ORDER BY dimension, value',
    )
    expect(sums).toEqual([
      { dimension: 'end_user', value: end_user, requests: '1' },
      { dimension: 'tag', value: 'env=prod', requests: '1' },
      { dimension: 'tag', value: 'team=search', requests: '1' },
    ])
    const other = await newKey(gateway, '10', { tags: 'team=search' })
    const elsewhere = await ask(said, other.secret)
    expect((await receiptOf(elsewhere.id, gateway, other.secret)).end_user).not.toBe(end_user)
  })

  test('a request names another value than its key, unless the tags are locked', async () => {
    expect(await tagsOf(await ask({ headers: { 'x-trivium-tags': 'team=ads' } }))).toEqual(['team=ads'])
    const locked = await newKey(gateway, '10', { tags: 'team=search', 'tags-locked': 'true' })
    const rejected = await ask({ headers: { 'x-trivium-tags': 'team=ads' } }, locked.secret)
    expect(rejected.status).toBe(400)
    expect(rejected.body).toMatchObject({
      error: { param: 'x-trivium-tags', message: expect.stringContaining('team=search') },
    })
    const added = await ask({ headers: { 'x-trivium-tags': 'env=test' } }, locked.secret)
    expect(await tagsOf(added, locked.secret)).toEqual(['env=test', 'team=search'])
    await operate(gateway, 'key limit', { key: locked.keyId, tags: 'team=ads,x', 'tags-locked': 'false' })
    expect(await operate(gateway, 'key show', { key: locked.keyId })).toMatchObject({
      tags: ['team=ads', 'x'],
      tags_locked: false,
    })
  })

  test('required names and allowed values', async () => {
    const untagged = await newKey(gateway)
    const missing = await ask({}, untagged.secret)
    expect(missing.status).toBe(400)
    expect(missing.body).toMatchObject({ error: { message: expect.stringContaining('requires the tag team') } })
    expect((await ask({ headers: { 'x-trivium-tags': 'team=x' } }, untagged.secret)).status).toBe(200)
    const unknown = await ask({ headers: { 'x-trivium-tags': 'env=dev' } })
    expect(unknown.status).toBe(400)
    expect(unknown.body).toMatchObject({ error: { message: expect.stringContaining('env=prod, env=test') } })
  })

  test('a background response is attributed as it was sent', async () => {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${own.secret}`,
        'content-type': 'application/json',
        'x-trivium-tags': 'team=night',
        'x-trivium-session': 's-night',
      },
      body: JSON.stringify({ model: 'sandbox-text', input: 'Hi', background: true }),
    })
    expect(response.status).toBe(200)
    const { id } = (await response.json()) as { id: string }
    let status = ''
    while (status !== 'completed') {
      const found = await fetch(`${gateway.url}/v1/responses/${id}`, {
        headers: { authorization: `Bearer ${own.secret}` },
      })
      status = ((await found.json()) as { status: string }).status
      expect(['queued', 'in_progress', 'completed']).toContain(status)
    }
    const rows = await askStore(gateway.home, "SELECT tags, outcome FROM request WHERE session = 's-night'")
    expect(rows).toEqual([{ tags: 'team=night', outcome: 'completed' }])
  })
})
