// Text completions and code in the middle: passed on to upstreams that serve such a path, expressed as a chat at all others, and
// rejected where a chat would say something else.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

type Sent = { path: string; body: Record<string, unknown> }
let sent: Sent[] = []
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const TEXT = {
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'theirs',
  choices: [{ index: 0, text: ' there', logprobs: null, finish_reason: 'stop' }],
  usage: USAGE,
}
const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'theirs',
  choices: [{ index: 0, message: { role: 'assistant', content: ' there' }, finish_reason: 'stop' }],
  usage: USAGE,
}

const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const body = (await request.json()) as Sent['body']
    sent.push({ path: pathname, body })
    const isChat = !pathname.endsWith('/completions') || /chat|fim/.test(pathname)
    const whole = isChat ? CHAT : TEXT
    if (body.stream !== true) return Response.json(whole)
    const [choice] = whole.choices
    const chunk = isChat
      ? {
          ...CHAT,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta: { content: ' there' }, finish_reason: null }],
        }
      : { ...TEXT, choices: [{ ...choice, finish_reason: null }] }
    const last = isChat
      ? { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
      : { ...TEXT, choices: [{ ...choice, text: '' }] }
    const events = [
      { ...chunk, usage: undefined },
      { ...last, usage: undefined },
      { ...last, choices: [], usage: USAGE },
    ]
    const text = [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  },
})

let gateway: Gateway
let secret = ''
let openai: OpenAI
beforeAll(async () => {
  const { origin } = upstream.url
  const model = (id: string, upstream: string, name = 'theirs') =>
    `  - { id: ${id}, price: { input: 1, output: 2 }, routes: [{ upstream: ${upstream}, model: ${name} }] }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: custom, dialect: chat, base_url: "${origin}/custom/v1", keys: [k], breaker: false }`,
      `  - { id: vllm, kind: vllm, base_url: "${origin}/vllm/v1", keys: [k], breaker: false }`,
      `  - { id: mistral, kind: mistral, base_url: "${origin}/mistral/v1", keys: [k], breaker: false }`,
      `  - { id: deepseek, kind: deepseek, base_url: "${origin}/deepseek", keys: [k], breaker: false }`,
      `  - { id: openai, kind: openai, base_url: "${origin}/openai/v1", keys: [k], breaker: false }`,
      '  - { id: anthropic, kind: sandbox, dialect: messages }',
      'models:',
      model('custom', 'custom'),
      model('claude', 'anthropic', 'sandbox-text'),
      model('vllm', 'vllm'),
      model('codestral', 'mistral', 'codestral-latest'),
      model('mistral', 'mistral', 'mistral-large-latest'),
      model('deepseek', 'deepseek'),
      model('gpt', 'openai', 'gpt-5'),
      model('instruct', 'openai', 'gpt-3.5-turbo-instruct'),
      '  - id: mixed',
      '    price: { input: 1, output: 2 }',
      '    routes: [{ upstream: mistral, model: mistral-large-latest }, { upstream: custom, model: theirs, priority: 2 }]',
    ].join('\n'),
  })
  secret = (await newKey(gateway)).secret
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop(true)
})
beforeEach(() => {
  sent = []
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const errorOf = async (response: Response) => ((await response.json()) as { error: Record<string, unknown> }).error
const CODE = { prompt: 'def add(a, b):', suffix: 'print(add(1, 2))', max_tokens: 20 }

describe("OpenAI's SDK", () => {
  test('an upstream without the path is asked by chat', async () => {
    const completion = await openai.completions.create({ model: 'custom', prompt: 'Hello', max_tokens: 20, stop: '\n' })
    expect(completion).toMatchObject({
      object: 'text_completion',
      model: 'custom',
      choices: [{ index: 0, text: ' there', finish_reason: 'stop' }],
      usage: USAGE,
    })
    const [{ path, body } = { path: '', body: {} }] = sent
    expect(path).toBe('/custom/v1/chat/completions')
    expect(body).toMatchObject({ model: 'theirs', messages: [{ role: 'user', content: 'Hello' }], stop: '\n' })
    expect(Object.keys(body)).not.toContain('prompt')
  })

  test.each([
    ['custom', '/custom/v1/chat/completions'],
    ['vllm', '/vllm/v1/completions'],
  ])('a stream of %s', async (model, path) => {
    const stream = await openai.completions.create({
      model,
      prompt: 'Hello',
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.Completion[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(' there')
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['text_completion']))
    expect(chunks.find(({ choices }) => choices[0]?.finish_reason)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)?.usage).toMatchObject(USAGE)
    expect(sent.map((each) => each.path)).toEqual([path])
  })

  test('an upstream with the path gets the request as it is', async () => {
    const body = { prompt: ['a', 'b'], max_tokens: 20, echo: true, logprobs: 3, best_of: 2, n: 1, temperature: 0 }
    const completion = await openai.completions.create({ model: 'vllm', ...body })
    expect(completion).toMatchObject({ ...TEXT, model: 'vllm' })
    expect(sent).toEqual([{ path: '/vllm/v1/completions', body: { model: 'theirs', ...body } }])
  })

  test.each(['sandbox-text', 'custom'])('code in the middle of %s', async (model) => {
    const completion = await openai.completions.create({ model, ...CODE })
    expect(completion.object).toBe('text_completion')
    expect(completion.choices[0]?.text).not.toBe('')
    const user = expect.any(String)
    if (model === 'custom')
      expect(sent).toEqual([{ path: '/custom/v1/completions', body: { model: 'theirs', user, ...CODE } }])
  })
})

test.each([
  ['codestral', '/v1/fim/completions', '/mistral/v1/fim/completions', 'chat.completion'],
  ['codestral', '/v1/completions', '/mistral/v1/fim/completions', 'text_completion'],
  ['deepseek', '/beta/completions', '/deepseek/beta/completions', 'text_completion'],
  ['deepseek', '/v1/fim/completions', '/deepseek/beta/completions', 'chat.completion'],
  ['instruct', '/v1/completions', '/openai/v1/completions', 'text_completion'],
  ['mixed', '/v1/completions', '/custom/v1/completions', 'text_completion'],
])('%s at %s: code in the middle is asked for at %s', async (model, path, asked, object) => {
  const response = await post(path, { model, ...CODE })
  expect(response.status).toBe(200)
  const body = (await response.json()) as Record<string, unknown>
  const said = { text: ' there' }
  const choice = object === 'text_completion' ? said : { message: { role: 'assistant', content: ' there' } }
  expect(body).toMatchObject({ object, model, choices: [choice], usage: USAGE })
  expect(sent.map((each) => each.path)).toEqual([asked])
  expect(sent[0]?.body).toMatchObject(CODE)

  const stream = await post(path, { model, ...CODE, stream: true })
  const text = await stream.text()
  expect(text).toContain(
    object === 'text_completion' ? '"text":" there"' : '"delta":{"role":"assistant","content":" there"}',
  )
  expect(text).toEndWith('data: [DONE]\n\n')
})

test('what an upstream lacks is left out, with a warning', async () => {
  const response = await post('/v1/completions', { model: 'codestral', ...CODE, presence_penalty: 1, user: 'ada' })
  expect(response.headers.get('x-trivium-warnings')).toBe('user;dropped, presence_penalty;dropped')
  expect(sent[0]?.body).toEqual({ model: 'codestral-latest', ...CODE })
})

test('models of other dialects go on with a text, too', async () => {
  const response = await post('/v1/completions', { model: 'claude', prompt: 'Hello', max_tokens: 20 })
  expect(await response.json()).toMatchObject({
    object: 'text_completion',
    choices: [{ finish_reason: expect.any(String) }],
  })
})

test('a charge, its receipt, and a repeated request', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = await post('/v1/completions', { model: 'vllm', prompt: 'Hello' }, headers)
  const id = first.headers.get('x-request-id') ?? ''
  const again = await post('/v1/completions', { model: 'vllm', prompt: 'Hello' }, headers)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toBe(await first.text())
  expect((await post('/v1/fim/completions', { model: 'vllm', prompt: 'Hello' }, headers)).status).not.toBe(200)
  expect(sent).toHaveLength(1)
  const receipt = await fetch(`${gateway.url}/v1/usage/${id}`, { headers: { authorization: `Bearer ${secret}` } })
  // 10 tokens of input at 1 USD, 5 of output at 2 USD per million.
  expect(await receipt.json()).toMatchObject({ model: 'vllm', cost_usd: '0.00002', units: { input: 10, output: 5 } })
})

test.each([
  ['custom', { prompt: ['a', 'b'] }],
  ['custom', { prompt: [1, 2, 3] }],
  ['custom', { prompt: 'a', echo: true }],
  ['custom', { prompt: 'a', best_of: 3 }],
])('%s: what only such a path can express is sent there: %j', async (model, body) => {
  expect((await post('/v1/completions', { model, ...body })).status).toBe(200)
  const user = expect.any(String)
  expect(sent).toEqual([{ path: '/custom/v1/completions', body: { model: 'theirs', user, ...body } }])
})

test.each([
  ['mistral', CODE, 'suffix'],
  ['gpt', CODE, 'suffix'],
  ['vllm', CODE, 'suffix'],
  ['gpt', { prompt: 'a', echo: true }, 'echo'],
  ['gpt', { prompt: 'a', logprobs: 1 }, 'logprobs'],
  ['gpt', { prompt: ['a', 'b'] }, 'prompt'],
  ['codestral', { prompt: 'a', best_of: 2 }, 'best_of'],
])('%s: %j is rejected where no upstream can express it', async (model, body, param) => {
  const response = await post('/v1/completions', { model, ...body })
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ param, message: expect.stringContaining(param) })
  expect(sent).toEqual([])
})

test.each([
  [{}, 'prompt'],
  [{ prompt: null }, 'prompt'],
  [{ prompt: 7 }, 'prompt'],
  [{ prompt: [] }, 'prompt'],
  [{ prompt: ['a', 7] }, 'prompt'],
  [{ prompt: [-1] }, 'prompt'],
  [{ prompt: 'a', suffix: 7 }, 'suffix'],
  [{ prompt: 'a', echo: 'yes' }, 'echo'],
  [{ prompt: 'a', best_of: 0 }, 'best_of'],
  [{ prompt: 'a', max_tokens: 'many' }, 'max_tokens'],
  [{ prompt: 'a', messages: [{ role: 'user', content: 'a' }] }, 'messages'],
  [{ prompt: 'a', tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
])('bad input: %j', async (body, param) => {
  for (const path of ['/v1/completions', '/beta/completions', '/v1/fim/completions']) {
    const response = await post(path, { model: 'vllm', ...body })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ param, type: 'invalid_request_error' })
  }
  expect(sent).toEqual([])
})
