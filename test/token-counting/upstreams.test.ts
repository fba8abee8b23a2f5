// Token counts over upstreams of the network: what they are sent, and what becomes of their answers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { headersIn } from '../support/requests/dialect-calls.ts'

type Received = { path: string; headers: Record<string, string>; body: Record<string, unknown> }

let received: Received[] = []
let respond: (received: Received) => Response | Promise<Response>
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const body = (await request.json()) as Record<string, unknown>
    const got = { path: new URL(request.url).pathname, headers: request.headers.toJSON(), body }
    received.push(got)
    return respond(got)
  },
})

let gateway: Gateway
let secret: string
const price = 'price: { input: 1, output: 4 }'
const NAMES = ['messages', 'second', 'third', 'generate-content', 'responses', 'chat', 'both']
beforeAll(async () => {
  const { origin } = upstream.url
  const upstreams = [
    ...['messages', 'second', 'third'].map(
      (id) => `{ id: ${id}, dialect: messages, base_url: "${origin}", keys: [k] }`,
    ),
    `{ id: generate-content, dialect: generate-content, base_url: "${origin}/v1beta", keys: [k] }`,
    `{ id: responses, dialect: responses, base_url: "${origin}/v1", keys: [k] }`,
    `{ id: chat, dialect: chat, base_url: "${origin}/v1", keys: [k] }`,
    `{ id: both, kind: openai, base_url: "${origin}/v1", keys: [k] }`,
  ]
  const models = NAMES.map((id) => `{ id: m-${id}, routes: [{ upstream: ${id}, model: inner }], ${price} }`)
  const config = `upstreams:\n  - ${upstreams.join('\n  - ')}\nmodels:\n  - ${models.join('\n  - ')}\n`
  gateway = await startGateway({ config })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  await upstream.stop(true)
})
beforeEach(() => {
  received = []
  respond = ({ path }) => Response.json(path.includes('countTokens') ? { totalTokens: 77 } : { input_tokens: 77 })
})

const TOOL = { name: 'f', description: 'does', input_schema: { type: 'object' } }
const MESSAGES = [{ role: 'user', content: 'Hello there.' }]
const BODY = { messages: MESSAGES, system: 'Be kind.', tools: [TOOL] }

async function count(model: string, more: object = BODY, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { ...headersIn('messages', secret), ...headers },
    body: JSON.stringify({ model, ...more }),
  })
  const body = (await response.json()) as { input_tokens: number }
  return { status: response.status, tokens: body.input_tokens, source: response.headers.get('x-trivium-token-count') }
}

const ASKED = { status: 200, tokens: 77, source: 'upstream' }

describe('an upstream of the same dialect', () => {
  test('gets the fields that decide the count, and nothing else of the caller', async () => {
    const more = { ...BODY, metadata: { user_id: 'ann' }, max_tokens: 7, temperature: 1, stream: true }
    expect(await count('m-messages', more, { 'anthropic-beta': 'b-1', cookie: 'c' })).toEqual(ASKED)
    const [got] = received
    expect(got?.path).toBe('/v1/messages/count_tokens')
    expect(got?.body).toEqual({ model: 'inner', ...BODY })
    expect(got?.headers).toMatchObject({ 'x-api-key': 'k', 'anthropic-beta': 'b-1', 'anthropic-version': '2023-06-01' })
    expect(got?.headers.cookie).toBeUndefined()
  })

  test('gets a whole request of generate-content in its own field', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    const ask = (body: object) =>
      fetch(`${gateway.url}/v1beta/models/m-generate-content:countTokens`, {
        method: 'POST',
        headers: headersIn('generate-content', secret),
        body: JSON.stringify(body),
      }).then((response) => response.json())
    const system_instruction = { parts: [{ text: 'Be kind.' }] }
    expect(await ask({ contents })).toEqual({ totalTokens: 77 })
    expect(await ask({ contents, system_instruction })).toEqual({ totalTokens: 77 })
    expect(received.map(({ path }) => path)).toEqual(Array(2).fill('/v1beta/models/inner:countTokens'))
    expect(received.map(({ body }) => body)).toEqual([
      { contents },
      { generateContentRequest: { model: 'models/inner', contents, system_instruction } },
    ])
  })
})

describe('an upstream of another dialect', () => {
  test('that counts gets the request in translation', async () => {
    expect(await count('m-generate-content')).toEqual(ASKED)
    expect(await count('m-responses')).toEqual(ASKED)
    const [google, openai] = received
    expect(google?.body.generateContentRequest).toMatchObject({ contents: [{ parts: [{ text: 'Hello there.' }] }] })
    expect(openai?.path).toBe('/v1/responses/input_tokens')
    expect(Object.keys(openai?.body ?? {})).not.toContain('max_output_tokens')
    expect(JSON.stringify(openai?.body)).toContain('Be kind.')
  })

  test('is asked at another of its endpoints, where that counts', async () => {
    expect(await count('m-both')).toEqual(ASKED)
    expect(received.map(({ path }) => path)).toEqual(['/v1/responses/input_tokens'])
  })

  test('that cannot count is not asked', async () => {
    expect(await count('m-chat', { messages: MESSAGES })).toEqual({ status: 200, tokens: 3 + 7, source: 'tokenizer' })
    expect(received).toEqual([])
  })
})

describe('the gateway counts', () => {
  const LOCAL = { status: 200, tokens: 3 + 8, source: 'tokenizer' }

  test('where the endpoint is missing, which is remembered', async () => {
    respond = () => Response.json({ error: {} }, { status: 404 })
    expect(await count('m-second', { messages: MESSAGES })).toEqual(LOCAL)
    expect(await count('m-second', { messages: MESSAGES })).toEqual(LOCAL)
    expect(received).toHaveLength(1)
  })

  test.each<[string, () => Response]>([
    ['an error', () => Response.json({}, { status: 500 })],
    ['a rejected key', () => Response.json({}, { status: 401 })],
    ['no JSON', () => new Response('<html>')],
    ['no count', () => Response.json({ tokens: 7 })],
    ['a negative count', () => Response.json({ input_tokens: -1 })],
    ['a count that is text', () => Response.json({ input_tokens: '7' })],
    ['a count beyond belief', () => Response.json({ input_tokens: 1e300 })],
    ['a fraction', () => Response.json({ input_tokens: 1.5 })],
    ['a megabyte', () => new Response(`{"input_tokens":7,"padding":"${'x'.repeat(1_000_000)}"}`)],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302)],
  ])('where the answer is %s', async (_, answer) => {
    respond = answer
    expect(await count('m-third', { messages: MESSAGES })).toEqual(LOCAL)
    expect(received).toHaveLength(1)
    respond = () => Response.json({ input_tokens: 77 })
    expect(await count('m-third', { messages: MESSAGES })).toEqual(ASKED)
  })
})

test('counts of the gateway approach what the model bills', async () => {
  const content = 'The harbour was quiet when the first boats came in that morning. '.repeat(60)
  const real = o200k(content) + 7
  const billed = Math.round(real * 1.5)
  const usage = { prompt_tokens: billed, completion_tokens: 1, total_tokens: billed + 1 }
  const message = { role: 'assistant', content: 'Yes.' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  respond = () => Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'inner', choices, usage })
  const messages = [{ role: 'user', content }]
  const counts: number[] = []
  for (let turn = 0; turn < 12; turn++) {
    counts.push((await count('m-chat', { messages })).tokens)
    const body = JSON.stringify({ model: 'm-chat', max_tokens: 10, messages })
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: headersIn('messages', secret),
      body,
    })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
  expect(counts[0]).toBe(real)
  expect(counts.at(-1)).toBeWithin(Math.floor(billed * 0.97), billed + 1)
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
})
