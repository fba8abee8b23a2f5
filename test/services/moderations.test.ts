// Moderations through a running gateway: passed on, free or charged, and what must not reach an upstream.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

let sent: { path: string; text: string }[] = []
let answer: () => Response | Promise<Response> = () => Response.json({})
const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    sent.push({ path: new URL(request.url).pathname, text: await request.text() })
    return answer()
  },
})

let gateway: Gateway
beforeAll(async () => {
  const model = (id: string, price: string, more = '') =>
    `  - { id: ${id}, type: moderation, price: { ${price} }, routes: [{ upstream: a, model: theirs }]${more} }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: a, dialect: chat, base_url: "http://127.0.0.1:${upstream.port}/v1", keys: [k], breaker: false }`,
      'models:',
      model('free', 'per_request: 0'),
      model('paid', 'per_request: 0.001', ', limits: { inputs: 2 }'),
      model('each', 'per_input: 0.001'),
      model('tokens', 'input: 0.1'),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop(true)
})

const moderate = (secret: string, body: string | object) =>
  fetch(`${gateway.url}/v1/moderations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('the embedded model, by the official client: one text, several, and parts with an image', async () => {
  const { secret, settled } = await newKey(gateway)
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const flags = async (input: OpenAI.ModerationCreateParams['input']) =>
    (await client.moderations.create({ model: 'sandbox-moderation', input })).results.map(({ flagged }) => flagged)
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  expect(await flags('a lovely day')).toEqual([false])
  expect(await flags(['a lovely day', 'I will punch you'])).toEqual([false, true])
  expect(await flags([{ type: 'text', text: 'I hate you' }, image])).toEqual([true])
  const rows = await settled()
  expect(rows).toHaveLength(3)
  for (const row of rows)
    expect(row).toMatchObject({ outcome: 'completed', cost_usd: '0.00', receipt: { units: { requests: 1 } } })
})

const REPLY = '{"id":"modr-1", "model":"theirs", "results":[{"flagged":false,"theirs":1.50}]'

test.each([
  ['free', '', '0.00', { requests: 1 }],
  ['paid', '', '0.001', { requests: 1 }],
  ['tokens', ', "usage":{"prompt_tokens":7,"total_tokens":7}', '0.0000007', { input: 7 }],
  // 12 bytes, four to a token.
  ['tokens', '', '0.0000003', { input: 3 }],
])('%s%s: bytes pass through but for the name of the model', async (model, usage, cost, units) => {
  answer = () => new Response(`${REPLY}${usage}}`, { headers: { 'content-type': 'application/json' } })
  sent = []
  const { secret, settled } = await newKey(gateway)
  const response = await moderate(secret, `{ "input": "a lovely \\u0064ay", "model":"${model}","theirs":1.0}`)
  expect(await response.text()).toBe(`${REPLY.replace('"theirs"', `"${model}"`)}${usage}}`)
  expect(sent).toEqual([
    { path: '/v1/moderations', text: '{ "input": "a lovely \\u0064ay", "model":"theirs","theirs":1.0}' },
  ])
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost, receipt: { units } }])
})

test('a price by the input counts texts and images, not requests', async () => {
  answer = () => new Response(`${REPLY}}`)
  const { secret, settled } = await newKey(gateway)
  await moderate(secret, { model: 'each', input: ['a', 'b', 'c'] })
  expect(await settled()).toMatchObject([{ cost_usd: '0.003', held_usd: '0.003', receipt: { units: { inputs: 3 } } }])
})

test('without a model it is the first one that the key allows', async () => {
  answer = () => new Response(`${REPLY}}`)
  const { secret, settled } = await newKey(gateway, '10', { models: 'sandbox-text,paid' })
  expect(await (await moderate(secret, { input: 'a' })).json()).toMatchObject({ model: 'paid' })
  expect(await settled()).toMatchObject([{ model: 'paid' }])
  const other = await newKey(gateway, '10', { models: 'sandbox-text' })
  expect(await (await moderate(other.secret, { input: 'a' })).json()).toMatchObject({ error: { param: 'model' } })
})

test.each([
  ['an error', () => Response.json({ error: { message: 'broken' } }, { status: 500 })],
  ['no moderation', () => Response.json({ data: [] })],
])('%s of the upstream is free', async (_, failure) => {
  answer = failure
  const { secret, settled } = await newKey(gateway)
  expect((await moderate(secret, { model: 'paid', input: 'a' })).status).toBe(502)
  expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
})

describe('bad input costs nothing, and is not sent', () => {
  const image = (url: unknown) => [{ type: 'image_url', image_url: { url } }]
  test.each<[title: string, object, string]>([
    ['no input', {}, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['a number', { input: 7 }, 'input'],
    ['a number in a list', { input: ['a', 7] }, 'input[1]'],
    ['an unknown part', { input: [{ type: 'audio' }] }, 'input[0].type'],
    ['a part without its text', { input: [{ type: 'text' }] }, 'input[0].text'],
    ['an image without a URL', { input: image(undefined) }, 'input[0].image_url.url'],
    ['an image in the network of the gateway', { input: image('http://169.254.169.254/') }, 'input[0].image_url.url'],
    ['more inputs than the model takes', { input: ['a', 'b', 'c'] }, 'input'],
    ['a text model', { model: 'sandbox-text', input: 'a' }, 'model'],
  ])('%s', async (_, body, param) => {
    sent = []
    const { secret, rows } = await newKey(gateway)
    const response = await moderate(secret, { model: 'paid', ...body })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
    expect([sent, await rows()]).toEqual([[], []])
  })
})
