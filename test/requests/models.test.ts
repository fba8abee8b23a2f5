// Model lists through the three official SDKs, and unknown paths.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { ENDPOINTS } from '../../packages/gateway/src/endpoints/index.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

let gateway: Gateway
let all: string
let small: string
let restricted: string
beforeAll(async () => {
  gateway = await startGateway({
    config: `
upstreams:
  - { id: own, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [k] }
  - { id: films, dialect: video-tasks, base_url: "http://127.0.0.1:1/api/v3", keys: [k] }
models:
  - { id: plain, routes: [{ upstream: own }], price: { input: 1, output: 4 }, limits: { context: 128000, max_output: 4096 }, capabilities: [tools, images] }
  - { id: maker/with-slash, routes: [{ upstream: own }], price: { input: 1, output: 4 } }
  - { id: "colon:70b", routes: [{ upstream: own }], price: { input: 0, output: 0 } }
  - { id: unpriced, routes: [{ upstream: own }] }
  - { id: film, type: video, routes: [{ upstream: films }], price: { per_second: 0.05 }, limits: { seconds: [4, 12] } }
groups:
  - { id: default, models: ["*"] }
  - { id: small, models: [plain, unpriced] }
`,
  })
  all = (await newKey(gateway)).secret
  small = (await newKey(gateway, '0', { group: 'small' })).secret
  restricted = (await newKey(gateway, '0', { models: 'film,plain' })).secret
})
afterAll(() => gateway.stop())

const TEXT_IDS = ['plain', 'maker/with-slash', 'colon:70b']
const IDS = [...TEXT_IDS, 'film']

const openai = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
const anthropic = (apiKey: string) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
const google = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })

async function collect<T>(pages: AsyncIterable<T>, name: (entry: T) => string | undefined): Promise<string[]> {
  const names: string[] = []
  for await (const entry of pages) names.push(name(entry) ?? '')
  return names
}

/** The SDKs' promises start when they are awaited. */
async function rejectedWith(call: () => Promise<unknown>): Promise<number | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    return (error as { status?: number }).status
  }
}

test('a video model is listed with its type, price, limits and protocols; other endpoints name the right one', async () => {
  const headers = { authorization: `Bearer ${all}`, 'content-type': 'application/json' }
  const entry = await (await fetch(`${gateway.url}/v1/models/film`, { headers })).json()
  expect(entry).toMatchObject({
    type: 'video',
    price: { per_second: '0.05', variants: {} },
    limits: { seconds: [4, 12], default_seconds: null, resolutions: null },
    protocols: ['video-tasks'],
    capabilities: null,
  })
  const body = JSON.stringify({ model: 'film', messages: [{ role: 'user', content: 'x' }], prompt: 'x' })
  for (const path of ['/v1/chat/completions', '/v1/images/generations']) {
    const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('POST /api/v3/contents/generations/tasks')
  }
})

describe('lists contain exactly the models of the key’s group', () => {
  test.each([
    ['openai', async (key: string) => collect(await openai(key).models.list(), ({ id }) => id)],
    ['anthropic', async (key: string) => collect(await anthropic(key).models.list(), ({ id }) => id)],
    [
      'anthropic, page by page',
      async (key: string) => collect(await anthropic(key).models.list({ limit: 1 }), ({ id }) => id),
    ],
    [
      'google',
      async (key: string) => collect(await google(key).models.list(), ({ name }) => name?.replace('models/', '')),
    ],
  ])('%s', async (_, list) => {
    expect(await list(all)).toEqual(IDS)
    expect(await list(small)).toEqual(['plain'])
  })
})

test.each([
  ['/v1/models', () => all],
  ['/v1/models?limit=2', () => all],
  ['/v1/models', () => small],
  ['/v1beta/models', () => all],
  ['/v1/models', () => restricted],
])('%s: a client that has the list gets 304 and no body', async (path, key) => {
  const get = (headers: Record<string, string> = {}) =>
    fetch(gateway.url + path, { headers: { authorization: `Bearer ${key()}`, ...headers } })
  const first = await get()
  const tag = first.headers.get('etag') ?? ''
  expect(tag).toMatch(/^"[0-9a-z]+"$/)
  const again = await get({ 'if-none-match': `"other", ${tag}` })
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, ''])
  const other = await get({ 'if-none-match': '"other"' })
  expect([other.status, await other.text()]).toEqual([200, await first.text()])
})

test('the list of another key is not that of the first: each has a version of its own', async () => {
  const tags = await Promise.all(
    [all, small, restricted].map(async (key) => {
      const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
      return answer.headers.get('etag')
    }),
  )
  expect(new Set(tags).size).toBe(3)
  expect(await collect(await openai(restricted).models.list(), ({ id }) => id)).toEqual(['plain', 'film'])
})

describe('one model by its id', () => {
  test.each(TEXT_IDS)('%s', async (id) => {
    expect(await openai(all).models.retrieve(id)).toMatchObject({ id, object: 'model' })
    expect(await anthropic(all).models.retrieve(id)).toMatchObject({ id, type: 'model' })
    expect(await google(all).models.get({ model: id })).toMatchObject({ name: `models/${id}` })
    const bare = await fetch(`${gateway.url}/v1/models/${id}`, { headers: { authorization: `Bearer ${all}` } })
    expect(await bare.json()).toMatchObject({ id })
  })

  test('limits and capabilities are listed where they are known', async () => {
    expect(await openai(all).models.retrieve('plain')).toMatchObject({ capabilities: ['images', 'tools'] } as object)
    expect(await anthropic(all).models.retrieve('plain')).toMatchObject({
      max_input_tokens: 128_000,
      max_tokens: 4_096,
    })
    expect(await google(all).models.get({ model: 'plain' })).toMatchObject({
      inputTokenLimit: 128_000,
      outputTokenLimit: 4_096,
    })
  })

  test.each([
    ['unknown', 404],
    ['unpriced', 404],
    ['maker/with-slash', 403],
  ])('%s for the small group: %d in every dialect', async (id, status) => {
    expect(await rejectedWith(async () => await openai(small).models.retrieve(id))).toBe(status)
    expect(await rejectedWith(async () => await anthropic(small).models.retrieve(id))).toBe(status)
    expect(await rejectedWith(async () => await google(small).models.get({ model: id }))).toBe(status)
  })

  test('an invalid percent-encoding is a 4xx', async () => {
    const response = await fetch(`${gateway.url}/v1/models/%E0%A4%A`, { headers: { authorization: `Bearer ${all}` } })
    expect(response.status).toBe(400)
  })

  test('without a key: 401 in every dialect', async () => {
    expect(await rejectedWith(async () => await openai('sk-none').models.list())).toBe(401)
    expect(await rejectedWith(async () => await anthropic('sk-none').models.list())).toBe(401)
    expect(await rejectedWith(async () => await google('sk-none').models.list())).toBe(401)
  })
})

/** The protocol of an error's format. */
function shapeOf(body: unknown): string {
  const { type, error } = body as { type?: string; error: Record<string, unknown> }
  if (type === 'error') return 'messages'
  if (typeof error.code === 'number') return 'generate-content'
  return Object.keys(error).join() === 'message,type,param,code' ? 'chat' : 'video-tasks'
}

describe('paths', () => {
  const call = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const init = { method, headers: { authorization: `Bearer ${all}`, 'content-type': 'application/json', ...headers } }
    const response = await fetch(gateway.url + path, method === 'POST' ? { ...init, body: '{}' } : init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  test.each([
    ['POST', '/v1/audio/voices', 'chat', 'Voices of your own are'],
    ['POST', '/v1/batches', 'chat', 'Batches are'],
    ['GET', '/v1/batches/batch_1', 'chat', 'Batches are'],
    ['POST', '/v1/messages/batches', 'messages', 'Batches are'],
    ['GET', '/v1/realtime', 'chat', 'The realtime API is'],
    ['GET', '/v1/files', 'chat', 'Files are'],
    ['POST', '/v1/complete', 'chat', 'Legacy completions of Anthropic are'],
    ['POST', '/v1/assistants', 'chat', 'The Assistants API is'],
    ['POST', '/v1/threads/t/runs', 'chat', 'The Assistants API is'],
    ['POST', '/v1/fine_tuning/jobs', 'chat', 'Fine-tuning is'],
    ['POST', '/v1/vector_stores', 'chat', 'Vector stores are'],
    ['POST', '/v1beta/models/plain:asyncBatchEmbedContent', 'generate-content', 'Batches are'],
    ['POST', '/v1/models/plain:predict', 'generate-content', 'Predictions are'],
    ['POST', '/v1beta/models/plain:predict', 'generate-content', 'Predictions are'],
    ['POST', '/v1beta/cachedContents', 'generate-content', 'Cached contents are'],
    ['POST', '/v1/cachedContents', 'chat', 'Cached contents are'],
    ['POST', '/upload/v1/files', 'chat', 'Files are'],
    ['POST', '/v1/interactions', 'chat', 'Interactions are'],
    ['POST', '/api/v3/chat/completions', 'video-tasks', 'This part of the Ark API is'],
    ['POST', '/v1/images/variations', 'chat', 'Image variations are'],
    ['POST', '/v1/responses/compact', 'chat', 'Compaction of responses is'],
  ])('%s %s: 404 that says what is not served, and what is', async (method, path, dialect, said) => {
    const { status, body } = await call(method, path)
    expect([status, shapeOf(body)]).toEqual([404, dialect])
    const { message } = (body as { error: { message: string } }).error
    expect(message).toStartWith(`${said} not available here. Available: chat completions,`)
    expect(message).toContain(' and token counting;')
    const words = Object.values(ENDPOINTS).flatMap(({ offered }): readonly string[] => offered)
    expect(words.filter((word) => !new RegExp(`[ ,]${word}[ ,]`).test(message))).toEqual([])
  })

  test("OpenAI's video API leads to the one that there is", async () => {
    const { status, body } = await call('POST', '/v1/videos')
    expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('/api/v3/contents/generations/tasks')])
  })

  test.each([
    ['POST', '/chat/completions', 'chat'],
    ['POST', '/v1/v1/chat/completions', 'chat'],
    ['POST', '/v1beta/chat/completions', 'generate-content'],
    ['GET', '/models', 'chat'],
    ['GET', '/v1/v1/models', 'chat'],
    ['POST', '/messages', 'messages'],
    ['POST', '/v1/v1/messages', 'messages'],
    ['POST', '/v1/messages/unknown', 'messages'],
    ['POST', '/models/plain:generateContent', 'generate-content'],
    ['POST', '/v1/models/plain:generateContent', 'generate-content'],
    ['POST', '/v1beta/v1beta/models/plain:streamGenerateContent', 'generate-content'],
    ['POST', '/v1/v1/responses', 'chat'],
    ['POST', '/api/v3/api/v3/contents/generations/tasks', 'video-tasks'],
    ['POST', '/contents/generations/tasks', 'video-tasks'],
    ['GET', '/v1', 'chat'],
    ['GET', '/..%2f..%2fetc/passwd', 'chat'],
    ['POST', `/${'x'.repeat(3000)}`, 'chat'],
  ])('%s %s: 404 in the shape of %s', async (method, path, shape) => {
    const { status, body, headers } = await call(method, path)
    expect([status, shapeOf(body)]).toEqual([404, shape])
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    expect(JSON.stringify(body)).toContain('base URL')
  })

  // Clients differ in what they add to a base URL: Anthropic's own SDK adds /v1, that of the AI SDK does not.
  test.each([
    ['/messages', '/v1/messages'],
    ['/v1/v1/messages', '/v1/messages'],
    ['/chat/completions', '/v1/chat/completions'],
    ['/models/plain:generateContent', '/v1beta/models/plain:generateContent'],
    ['/v1beta/v1beta/models/plain:streamGenerateContent', '/v1beta/models/plain:streamGenerateContent'],
    ['/contents/generations/tasks', '/api/v3/contents/generations/tasks'],
  ])('%s: the message names %s', async (path, meant) => {
    const { body } = await call('POST', path)
    const { message } = (body as { error: { message: string } }).error
    expect(message).toStartWith(
      `There is nothing at ${path}. Did you mean ${meant}? Check the base URL of your client.`,
    )
  })

  test('the message never proposes the path that was called', async () => {
    const { status, body } = await call('POST', '/v1beta/models/plain:embedText')
    const { message } = (body as { error: { message: string } }).error
    expect([status, message.includes('Did you mean')]).toEqual([404, false])
  })

  test.each([
    ['GET', '/v1/chat/completions', 'POST', 'chat'],
    ['PUT', '/v1/chat/completions', 'POST', 'chat'],
    ['DELETE', '/v1/models', 'GET', 'chat'],
    ['POST', '/v1/models/plain', 'GET', 'chat'],
    ['GET', '/v1/messages', 'POST', 'messages'],
    ['GET', '/v1beta/models/plain:generateContent', 'POST', 'generate-content'],
    ['POST', '/v1beta/models', 'GET', 'generate-content'],
    ['PATCH', '/api/v3/contents/generations/tasks', 'POST, GET', 'video-tasks'],
    ['POST', '/api/v3/contents/generations/tasks/cgt-1', 'GET, DELETE', 'video-tasks'],
    ['POST', '/health', 'GET, HEAD', 'chat'],
    ['POST', '/media/0123456789abcdef0123456789abcdef', 'GET, HEAD', 'chat'],
    ['OPTIONS', '/v1/chat/completions', 'POST', 'chat'],
  ])('%s %s: 405, allowed is %s', async (method, path, allow, shape) => {
    const { status, body, headers } = await call(method, path)
    expect([status, headers.get('allow'), shapeOf(body)]).toEqual([405, allow, shape])
  })

  // Codex tries this first. With any other status it retries six times before it falls back to plain HTTP.
  test('a WebSocket is rejected with the status that makes clients fall back to HTTP at once', async () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const headers = { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', authorization: `Bearer ${all}` }
    const answer = await fetch(`${gateway.url}/v1/responses`, { headers })
    expect(answer.status).toBe(426)
    expect(await answer.json()).toMatchObject({ error: { code: 'no_websocket' } })
  })

  test('paths that need no key', async () => {
    for (const path of ['/', '/health', '/ready']) {
      const [get, head] = await Promise.all([fetch(gateway.url + path), fetch(gateway.url + path, { method: 'HEAD' })])
      expect([get.status, head.status, await head.text()]).toEqual([200, 200, ''])
      expect(await get.json()).toBeObject()
    }
    const head = await fetch(`${gateway.url}/v1/models`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${all}` },
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each([
    [{}, 'anthropic-version: 2023-06-01 (or msg-version: 2023-06-01) is required'],
    [{ 'msg-version': '2023-06-01' }, 'passes'],
    [
      { 'msg-version': '2020-01-01' },
      "msg-version: '2020-01-01' is not a known version. Send msg-version: 2023-06-01.",
    ],
    [{ 'anthropic-version': '2023-06-01' }, 'passes'],
    [{ 'anthropic-version': '2026-10-21' }, 'passes'],
    [
      { 'anthropic-version': 'latest' },
      "anthropic-version: 'latest' is not a known version. Send anthropic-version: 2023",
    ],
    [{ 'msg-version': '2023-06-01', 'anthropic-version': 'latest' }, 'passes'],
  ])('the messages protocol with %j: %s', async (version, expected) => {
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const { status, body } = await call('POST', path, { 'x-api-key': all, ...version })
      const text = JSON.stringify(body)
      expect([status, shapeOf(body)]).toEqual([400, 'messages'])
      if (expected === 'passes') expect(text).not.toMatch(/-version:/)
      else expect(text).toContain(expected)
    }
  })

  test('the key of any protocol is read on every path, its own first', async () => {
    const path = `${gateway.url}/v1/models`
    const wrong = `sk-${'w'.repeat(43)}`
    const statusOf = async (address: string, headers: Record<string, string>) =>
      (await fetch(address, { headers })).status
    for (const name of ['x-api-key', 'x-gen-api-key', 'x-goog-api-key'])
      expect(await statusOf(path, { [name]: all })).toBe(200)
    expect(await statusOf(`${path}?key=${all}`, {})).toBe(200)
    expect(await statusOf(path, { authorization: `Bearer ${all}`, 'x-api-key': wrong })).toBe(200)
    expect(await statusOf(path, { authorization: `Bearer ${wrong}`, 'x-api-key': all })).toBe(401)
    const third = `${gateway.url}/v1beta/models`
    expect(await statusOf(third, { 'x-goog-api-key': all, authorization: `Bearer ${wrong}` })).toBe(200)
  })
})
