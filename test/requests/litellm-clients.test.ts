// Clients that were made for LiteLLM, with its paths, its key header, and the headers that they read.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

const CONFIG = `
sandbox: true
models:
  - { id: "listed", routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 4 }, limits: { context: 1000, max_output: 500 } }
`
let gateway: Gateway
let plain: Gateway
let key: Awaited<ReturnType<typeof newKey>>
let plainKey: string
beforeAll(async () => {
  gateway = await startGateway({ config: `${CONFIG}compatibility: { litellm: true }\n` })
  plain = await startGateway({ config: CONFIG })
  key = await newKey(gateway, '10', { cap: '5', 'cap-period': 'week', rpm: '100' })
  plainKey = (await newKey(plain)).secret
})
afterAll(async () => {
  await gateway.stop()
  await plain.stop()
})

const BODY = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

const post = (at: Gateway, path: string, headers: Record<string, string>, body: object = BODY) =>
  fetch(at.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const get = (at: Gateway, path: string, secret?: string) =>
  fetch(at.url + path, { headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` } })

describe('paths without /v1', () => {
  test('serve the OpenAI SDK with the address of the gateway alone', async () => {
    const client = new OpenAI({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 })
    const { choices } = await client.chat.completions.create({ ...BODY, messages: [{ role: 'user', content: 'Hi' }] })
    expect(choices[0]?.message.content).toBeString()
    const models = await client.models.list()
    expect(models.data.map(({ id }) => id)).toContain('sandbox-text')
    const stream = await client.chat.completions.create({
      model: 'sandbox-text',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).not.toBe('')
  })

  test.each([
    ['/health/liveliness', 200],
    ['/health/readiness', 200],
    ['/nothing/here', 404],
    ['/v1/v1/models', 404],
  ])('%s: %i', async (path, status) => {
    expect((await get(gateway, path, key.secret)).status).toBe(status)
  })

  test.each([
    '/chat/completions',
    '/models',
    '/key/info',
    '/model/info',
    '/v1/model/info',
    '/health/readiness',
  ])('%s is not served without the setting', async (path) => {
    const { status } =
      path === '/chat/completions' ? await post(plain, path, bearer(plainKey)) : await get(plain, path, plainKey)
    expect(status).toBe(404)
  })
})

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

describe("LiteLLM's header for keys", () => {
  test.each(['', 'Bearer '])("comes before a vendor's own, written with '%s'", async (scheme) => {
    const headers = { 'x-litellm-api-key': `${scheme}${key.secret}`, authorization: 'Bearer sk-of-a-vendor-0123456789' }
    expect((await post(gateway, '/v1/chat/completions', headers)).status).toBe(200)
  })

  test('is not read without the setting', async () => {
    expect((await post(plain, '/v1/chat/completions', { 'x-litellm-api-key': plainKey })).status).toBe(401)
  })
})

describe('headers of responses', () => {
  test('have the cost, what the key has spent, and its budget', async () => {
    const response = await post(gateway, '/v1/chat/completions', bearer(key.secret), { ...BODY, model: 'listed' })
    await response.arrayBuffer()
    const { headers } = response
    const call = headers.get('x-litellm-call-id') ?? ''
    expect(call).toBe(headers.get('x-request-id') ?? 'none')
    const row = (await key.settled()).find(({ request_id }) => request_id === call)
    expect(headers.get('x-litellm-response-cost')).toBe(row?.cost_usd ?? 'none')
    expect(headers.get('x-litellm-model-group')).toBe('listed')
    expect(headers.get('x-litellm-key-max-budget')).toBe('5.00')
    expect(Number(headers.get('x-litellm-overhead-duration-ms'))).toBeGreaterThan(0)
    const [shown] = await operate<{ id: string; spent_usd: string }[]>(gateway, 'key list', { account: key.email })
    expect(headers.get('x-litellm-key-spend')).toBe(shown?.spent_usd ?? 'none')
  })

  test('of a stream have all but its cost, which is not known yet', async () => {
    const response = await post(gateway, '/v1/chat/completions', bearer(key.secret), { ...BODY, stream: true })
    await response.arrayBuffer()
    expect(response.headers.get('x-litellm-response-cost')).toBeNull()
    expect(response.headers.get('x-litellm-call-id')).toBe(response.headers.get('x-request-id'))
    expect(response.headers.get('x-litellm-key-max-budget')).toBe('5.00')
  })

  test('of an error have its id', async () => {
    const response = await post(gateway, '/v1/chat/completions', bearer(key.secret), { ...BODY, model: 'none' })
    expect([response.status, response.headers.get('x-litellm-call-id')]).toEqual([
      404,
      response.headers.get('x-request-id'),
    ])
  })

  test('are not there without the setting', async () => {
    const { headers } = await post(plain, '/v1/chat/completions', bearer(plainKey))
    expect([...headers.keys()].filter((name) => name.startsWith('x-litellm'))).toEqual([])
  })
})

test('/key/info shows the key, and the models of /model/info are those of its group', async () => {
  const shown = await (await get(gateway, '/key/info', key.secret)).json()
  expect(shown).toMatchObject({
    key: key.keyId,
    info: { key_alias: 'test', max_budget: 5, budget_duration: '7d', rpm_limit: 100, tpm_limit: null, blocked: false },
  })
  const { data } = (await (await get(gateway, '/model/info', key.secret)).json()) as { data: object[] }
  expect(data).toContainEqual({
    model_name: 'listed',
    litellm_params: { model: 'listed' },
    model_info: expect.objectContaining({
      mode: 'chat',
      max_input_tokens: 1000,
      max_output_tokens: 500,
      input_cost_per_token: 0.000001,
      output_cost_per_token: 0.000004,
    }),
  })
  expect((await get(gateway, '/key/info')).status).toBe(401)
})
