// Token counts that are rejected, or that the gateway makes itself because an upstream does not: in the caller's dialect.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { errorIn, headersIn, sandboxConfig } from '../support/requests/dialect-calls.ts'

const DIALECTS = ['messages', 'generate-content', 'responses'] as const
type Counting = (typeof DIALECTS)[number]

let gateway: Gateway
let secret: string
beforeAll(async () => {
  const more = `
  - { id: slow, routes: [{ upstream: over-messages, model: "sandbox-text:hang" }], price: { input: 1, output: 4 } }
  - { id: broken, routes: [{ upstream: over-messages, model: "sandbox-text:status=500" }], price: { input: 1, output: 4 } }
  - { id: garbled, routes: [{ upstream: over-messages, model: "sandbox-text:html" }], price: { input: 1, output: 4 } }
groups:
  - { id: default, models: ["*"], multiplier: 1 }
  - { id: few, models: [over-chat], multiplier: 1 }
`
  gateway = await startGateway({ config: sandboxConfig('server: { limits: { body: 12MiB } }') + more })
  secret = (await newKey(gateway)).secret
})
afterAll(() => gateway.stop())

const pathOf = (dialect: Counting, model: string): string => {
  if (dialect === 'messages') return '/v1/messages/count_tokens'
  return dialect === 'responses' ? '/v1/responses/input_tokens' : `/v1beta/models/${model}:countTokens`
}

const bodyOf = (dialect: Counting, model: string): Record<string, unknown> => {
  if (dialect === 'messages') return { model, messages: [{ role: 'user', content: 'Hello there.' }] }
  if (dialect === 'responses') return { model, input: 'Hello there.' }
  return { contents: [{ role: 'user', parts: [{ text: 'Hello there.' }] }] }
}

function count(
  dialect: Counting,
  body: object | string,
  { model = 'over-chat', key = secret } = {},
): Promise<Response> {
  return fetch(gateway.url + pathOf(dialect, model), {
    method: 'POST',
    headers: headersIn(dialect, key),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function rejection(dialect: Counting, response: Promise<Response>) {
  const { status, json } = await response.then(async (each) => ({ status: each.status, json: await each.json() }))
  return { status, ...errorIn(dialect, json) }
}

const tokensIn = (body: unknown): number =>
  Number(Object.values(body as object).find((each) => typeof each === 'number'))

describe.each(DIALECTS)('%s', (dialect) => {
  test('without a valid key: 401', async () => {
    const { status } = await rejection(
      dialect,
      count(dialect, bodyOf(dialect, 'over-chat'), { key: `sk-${'x'.repeat(40)}` }),
    )
    expect(status).toBe(401)
  })

  test('an unknown model is 404, and one that the key may not use 403', async () => {
    const unknown = await rejection(dialect, count(dialect, bodyOf(dialect, 'nope'), { model: 'nope' }))
    expect(unknown).toMatchObject({ status: 404, message: expect.stringContaining("The model 'nope' does not exist") })
    const { secret: key } = await newKey(gateway, '1', { group: 'few' })
    const model = 'over-messages'
    const forbidden = await rejection(dialect, count(dialect, bodyOf(dialect, model), { model, key }))
    expect(forbidden).toMatchObject({ status: 403, message: expect.stringContaining('over-messages') })
    expect((await count(dialect, bodyOf(dialect, 'over-chat'), { key })).status).toBe(200)
  })

  test('the limit of a key is 429 with the time to wait, apart from paid requests', async () => {
    const { secret: key } = await newKey(gateway, '1', { rpm: '2' })
    for (let calls = 0; calls < 2; calls++)
      expect((await count(dialect, bodyOf(dialect, 'over-chat'), { key })).status).toBe(200)
    const response = await count(dialect, bodyOf(dialect, 'over-chat'), { key })
    expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 62)
    const limited = await rejection(dialect, Promise.resolve(response))
    expect(limited).toMatchObject({
      status: 429,
      message: expect.stringContaining('limit of 2 token counts per minute'),
    })
    const paid = { model: 'over-chat', messages: [{ role: 'user', content: 'hi' }] }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const call = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(paid),
    })
    expect(call.status).toBe(200)
  })

  test.each([
    ['no JSON', '{"model":', undefined],
    ['no object', '[]', undefined],
    ['an empty body', '', undefined],
  ])('%s: 400', async (_, body) => {
    expect((await rejection(dialect, count(dialect, body))).status).toBe(400)
  })

  test('deep nesting is 400, and a body above the limit 413', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const nested = JSON.stringify(bodyOf(dialect, 'over-chat')).replace('"Hello there."', deep)
    expect((await rejection(dialect, count(dialect, nested))).status).toBe(400)
    const large = JSON.stringify(bodyOf(dialect, 'over-chat')).replace('Hello', 'a'.repeat(13 * 1024 * 1024))
    expect((await rejection(dialect, count(dialect, large))).status).toBe(413)
  })
})

test.each<[Counting, object, string]>([
  ['messages', { messages: [{ role: 'user', content: 'x' }] }, 'model'],
  ['messages', { model: 'over-chat' }, 'messages'],
  ['messages', { model: 'over-chat', messages: [] }, 'messages'],
  ['messages', { model: 'over-chat', messages: [{ role: 'nobody', content: 'x' }] }, 'messages[0].role'],
  ['messages', { model: 'over-chat', messages: [{ role: 'user', content: 'x' }], tools: [{}] }, 'tools[0].name'],
  ['messages', { model: 'over-chat', messages: [{ role: 'user', content: 'x' }], system: 7 }, 'system'],
  ['responses', { model: 'over-chat' }, 'input'],
  ['responses', { model: 'over-chat', input: 7 }, 'input'],
  ['responses', { model: 'over-chat', input: 'x', previous_response_id: 'resp_1' }, 'previous_response_id'],
  ['generate-content', {}, 'contents'],
  ['generate-content', { contents: [{ parts: [7] }] }, 'contents[0].parts[0]'],
  ['generate-content', { generateContentRequest: {} }, 'generateContentRequest.contents'],
  ['generate-content', { generateContentRequest: 7 }, 'generateContentRequest'],
  ['generate-content', { contents: [{ parts: [{ text: 'x' }] }], generateContentRequest: {} }, 'contents'],
])('%s %j: 400 that names %s', async (dialect, body, field) => {
  const { status, ...error } = await rejection(dialect, count(dialect, body))
  expect([status, error.field]).toEqual([400, field])
})

test('a private URL is rejected as in any request', async () => {
  const image = { type: 'image', source: { type: 'url', url: 'http://169.254.169.254/latest' } }
  const body = { model: 'over-messages', messages: [{ role: 'user', content: [image] }] }
  expect(await rejection('messages', count('messages', body))).toMatchObject({ status: 400 })
})

test.each(['broken', 'garbled', 'slow'])('the gateway counts where the upstream is %s', async (model) => {
  const response = await count('messages', bodyOf('messages', model))
  expect([response.status, response.headers.get('x-trivium-token-count')]).toEqual([200, 'tokenizer'])
  expect(tokensIn(await response.json())).toBe(3 + 8)
})
