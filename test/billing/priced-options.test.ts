// Options that cost extra are sent where they have a price, and charged at that price; groups may have their own prices.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH, MINIMAL_BODIES, pathIn } from '../support/requests/dialect-calls.ts'
import {
  reply,
  respondInDialect,
  respondWith,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

type Dialect = 'chat' | 'responses' | 'messages' | 'generate-content'

let upstream: Upstream
let gateway: Gateway

const DIALECTS = Object.keys(BASE_PATH) as Dialect[]
const PRICE =
  'price: { input: 1, output: 4, tiers: { priority: 2, flex: 0.5, fast: 6 }, tools: { web_search: 0.01 }, audio_input: 100, audio_output: 40, long_context: { above: 200000, input: 2 } }'

beforeAll(async () => {
  upstream = await startUpstream()
  const origin = new URL(upstream.url).origin
  gateway = await startGateway({
    config: `
upstreams:
${DIALECTS.map((id) => `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], breaker: false }`).join('\n')}
models:
${DIALECTS.map((id) => `  - { id: ${id}-model, routes: [{ upstream: ${id}, cost: { input: 1, output: 1 } }], ${PRICE} }`).join('\n')}
  - { id: img, type: image, routes: [{ upstream: responses }], price: { per_image: 0.04 } }
groups:
  - { id: default, models: ["*"] }
  - { id: own, models: [chat-model], multiplier: 3, prices: { chat-model: { input: 2, output: 5 } } }
`,
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})
beforeEach(() => upstream.behave(respondInDialect))

async function send(
  dialect: Dialect,
  more: object = {},
  { model = `${dialect}-model`, credit = '10', group = 'default' } = {},
) {
  const { secret, rows, settled } = await newKey(gateway, credit, { group })
  const before = upstream.received.length
  const response = await fetch(gateway.url + pathIn(dialect, { model }), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'msg-version': '2023-06-01',
    },
    body: JSON.stringify({ ...MINIMAL_BODIES[dialect](model), ...more }),
  })
  const text = await response.text()
  const sent = upstream.received.slice(before).map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
  return { status: response.status, text, sent, warnings: response.headers.get('x-trivium-warnings'), rows, settled }
}

const SEARCH = { type: 'web_search_20250305', name: 'web_search' }

const CODE = { type: 'code_execution_20250825', name: 'code_execution' }

const ASKED: [dialect: Dialect, what: string, more: Record<string, unknown>][] = [
  ['chat', 'a tier', { service_tier: 'priority' }],
  ['chat', 'a search', { web_search_options: {} }],
  ['chat', 'an answer to be heard', { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }],
  ['responses', 'a tier', { service_tier: 'flex' }],
  ['responses', 'a tool, forced', { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }],
  ['messages', 'speed', { speed: 'fast' }],
  ['messages', 'a tool', { tools: [SEARCH] }],
  ['generate-content', 'a tier', { serviceTier: 'priority' }],
  ['generate-content', 'a tool', { tools: [{ googleSearch: {} }] }],
]

test.each(ASKED)('%s: %s that has a price is sent unchanged', async (dialect, _, more) => {
  const { sent, warnings } = await send(dialect, more)
  expect(sent).toMatchObject([more])
  expect(warnings ?? '').not.toContain('no-price')
})

test('messages: a beta header for long context is sent where long context has a price', async () => {
  const { secret } = await newKey(gateway)
  const betas = 'context-1m-2025-08-07,fine-grained-tool-streaming-2025-05-14'
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': secret,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': betas,
    },
    body: JSON.stringify(MINIMAL_BODIES.messages('messages-model')),
  })
  expect(response.headers.get('x-trivium-warnings') ?? '').not.toContain('anthropic-beta')
  expect(upstream.last().headers['anthropic-beta']).toBe(betas)
})

test('an option without a price is dropped, or rejected where it is required', async () => {
  const { sent, warnings } = await send('chat', { service_tier: 'scale', web_search_options: {} })
  expect(sent).toHaveLength(1)
  expect(sent[0]).not.toHaveProperty('service_tier')
  expect(sent[0]).toMatchObject({ web_search_options: {} })
  expect(warnings).toBe('service_tier;no-price')
  const rejected = await send('responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] })
  expect([rejected.status, rejected.sent]).toEqual([400, []])
})

describe('the charge', () => {
  const bill = async (more: object, group = 'default') => {
    const { settled } = await send('chat', more, { group })
    const [row] = await settled()
    return [row?.cost_usd, row?.receipt]
  }

  test('of a requested tier is a multiple, and the receipt says so', async () => {
    expect(await bill({})).toEqual(['0.00009', expect.not.objectContaining({ tier: expect.anything() })])
    expect(await bill({ service_tier: 'priority' })).toEqual([
      '0.00018',
      expect.objectContaining({
        tier: 'priority',
        units: { input: 10, output: 20 },
        upstream_cost: '0.00003',
        price: expect.objectContaining({ tiers_millionths: { priority: '2000000' }, output: '4000000000' }),
      }),
    ])
  })

  test('follows the response: the tier that served it, and the tool calls', async () => {
    upstream.behave(respondWith(reply({ service_tier: 'default' })))
    expect((await bill({ service_tier: 'priority' }))[0]).toBe('0.00009')
    upstream.behave(respondWith(reply({ service_tier: 'priority' })))
    expect((await bill({}))[0]).toBe('0.00018')
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'a', start_index: 0, end_index: 1 } },
    ]
    const message = { role: 'assistant', content: 'Found.', annotations }
    upstream.behave(respondWith(reply({ choices: [{ index: 0, message, finish_reason: 'stop' }] })))
    expect(await bill({ web_search_options: {} })).toEqual([
      '0.01009',
      expect.objectContaining({ tools: { web_search: 1 } }),
    ])
  })

  test('in a group with its own price is that price, without the multiplier', async () => {
    expect(await bill({}, 'own')).toEqual([
      '0.00012',
      expect.objectContaining({
        price: expect.objectContaining({ input: '2000000000', multiplier_millionths: '1000000' }),
      }),
    ])
    // Its price lists no tiers.
    expect(await bill({ service_tier: 'priority' }, 'own')).toMatchObject([
      '0.00012',
      { warnings: ['service_tier;no-price'] },
    ])
  })

  test('is held in advance: the tier, and a bound on the tool calls', async () => {
    // In micro-USD, without the small part for the input.
    const held = async (more: object) => {
      const { rows } = await send('chat', { max_tokens: 10_000, ...more })
      return Math.floor((Number((await rows())[0]?.held_usd) * 1e6) / 1_000)
    }
    expect(await held({})).toBe(40)
    expect(await held({ service_tier: 'priority' })).toBe(80)
    expect(await held({ service_tier: 'auto' })).toBe(40)
    // The vendor may serve it at the default tier.
    expect(await held({ service_tier: 'flex' })).toBe(40)
    expect(await held({ web_search_options: {} })).toBe(40 + 10)
    expect(await held({ tools: [{ type: 'web_search' }] })).toBe(40 + 80)
    expect(await held({ modalities: ['text', 'audio'] })).toBe(400)
    // Audio is held for only where the request has audio: 24,000 bytes of text cost as text, 2,048 tokens of audio as audio.
    const text = { role: 'user', content: 'word '.repeat(4_800) }
    const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    expect(await held({ max_tokens: 1, messages: [text] })).toBeLessThan(20)
    expect(await held({ max_tokens: 1, messages: [{ role: 'user', content: [sound] }] })).toBeGreaterThan(200)
    const poor = await send('chat', { tools: [{ type: 'web_search' }] }, { credit: '0.05' })
    expect([poor.status, poor.sent]).toEqual([402, []])
  })
})

describe('translated', () => {
  test('a tier is sent where the upstream has an equivalent', async () => {
    const { sent, warnings } = await send('chat', { service_tier: 'priority' }, { model: 'responses-model' })
    expect(sent).toMatchObject([{ service_tier: 'priority' }])
    expect(warnings ?? '').not.toContain('service_tier')
  })

  test('where it has none, the tier is dropped and not charged', async () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 20 },
    }
    upstream.behave(respondWith(message))
    const { sent, warnings, settled } = await send('chat', { service_tier: 'priority' }, { model: 'messages-model' })
    expect(sent[0]).not.toHaveProperty('service_tier')
    expect(warnings).toContain('service_tier;dropped')
    const [row] = await settled()
    expect([row?.cost_usd, row?.receipt]).toEqual(['0.00009', expect.not.objectContaining({ tier: expect.anything() })])
  })

  test('options without an equivalent are rejected or dropped, whatever their price', async () => {
    const heard = { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }
    const rejected = await send('chat', heard, { model: 'generate-content-model' })
    expect([rejected.status, rejected.sent]).toEqual([400, []])
    const run = await send('messages', { tools: [CODE] }, { model: 'chat-model' })
    expect([run.status, run.sent]).toEqual([400, []])
  })

  test('a search is sent in the words of the upstream, and held for', async () => {
    const { status, sent, settled } = await send('messages', { tools: [SEARCH] }, { model: 'chat-model' })
    expect(status).toBe(200)
    expect(sent).toMatchObject([{ web_search_options: {} }])
    const [row] = await settled()
    expect(Number(row?.held_usd)).toBeGreaterThan(0.01)
  })
})

// generateContent serves image models too.
const TEXT_ONLY = DIALECTS.filter((dialect) => dialect !== 'generate-content')

test.each(TEXT_ONLY)('%s: an image model is rejected on a text endpoint', async (dialect) => {
  const { status, text, sent } = await send(dialect, {}, { model: 'img' })
  expect([status, sent]).toEqual([400, []])
  expect(text).toContain('POST /v1/images/generations')
})
