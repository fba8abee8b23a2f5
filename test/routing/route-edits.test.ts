// What a route changes in its requests: the body and headers that upstreams of every dialect get, by pass-through and by translation.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH, callIn, PAIRS } from '../support/requests/dialect-calls.ts'
import {
  type Received,
  respondInDialect,
  respondWith,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let received: Received | undefined
let gateway: Gateway
let secret: string

/** A field, one filled in, one left out, the output cap, and the system prompt, in each dialect's words. */
const EDITS: Record<TextDialectId, string> = {
  chat: 'set: { top_p: 0.5, max_tokens: 77 }, default: { temperature: 0.25, x_vendor: { a: [1] } }, drop: [safety_identifier]',
  responses:
    'set: { top_p: 0.5, max_output_tokens: 77 }, default: { temperature: 0.25, x_vendor: { a: [1] } }, drop: [safety_identifier]',
  messages:
    'set: { top_p: 0.5, max_tokens: 77 }, default: { temperature: 0.25, x_vendor: { a: [1] } }, drop: [metadata]',
  'generate-content':
    'set: { generationConfig.topP: 0.5, generationConfig.maxOutputTokens: 77 }, default: { generationConfig.temperature: 0.25, x_vendor: { a: [1] } }, drop: [safetySettings]',
}
const AROUND = 'system: { before: "Before.", after: "After." }'
const HEADERS =
  'headers: { set: { X-Team: search }, default: { anthropic-beta: mine, openai-beta: mine }, drop: [anthropic-version] }'

const PRICE = 'price: { input: 1, output: 4, tiers: { flex: 0.5, priority: 2 } }'

beforeAll(async () => {
  upstream = await startUpstream((socket, request) => {
    received = request
    return respondInDialect(socket, request)
  })
  const entries = TEXT_DIALECT_IDS.map((dialect) => {
    const base = upstream.url.replace('/v1', BASE_PATH[dialect])
    return `  - { id: ${dialect}, dialect: ${dialect}, base_url: "${base}", keys: [k], breaker: false }`
  })
  const models = TEXT_DIALECT_IDS.flatMap((dialect) => [
    `  - { id: by-${dialect}, routes: [{ upstream: ${dialect}, model: m, ${EDITS[dialect]}, ${AROUND}, ${HEADERS} }], ${PRICE} }`,
    `  - { id: plain-${dialect}, routes: [{ upstream: ${dialect}, model: m }], ${PRICE} }`,
    `  - { id: long-${dialect}, routes: [{ upstream: ${dialect}, model: m, system: { after: "${'word '.repeat(5_000)}" } }], ${PRICE} }`,
  ])
  const tiers = [
    `  - { id: flex, routes: [{ upstream: chat, model: m, set: { service_tier: flex } }], ${PRICE} }`,
    `  - { id: no-tier, routes: [{ upstream: chat, model: m, drop: [service_tier] }], ${PRICE} }`,
  ]
  gateway = await startGateway({
    config: `upstreams:\n${entries.join('\n')}\nmodels:\n${[...models, ...tiers].join('\n')}\n`,
  })
  secret = (await newKey(gateway, '5')).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

type Json = Record<string, unknown>
const sent = (): Json => JSON.parse(received?.body.toString() ?? '') as Json

/** The caller's system prompt, in its own dialect. */
const SYSTEM: Record<TextDialectId, Json> = {
  chat: {
    messages: [
      { role: 'system', content: 'Own.' },
      { role: 'user', content: 'hi' },
    ],
  },
  responses: { instructions: 'Own.' },
  messages: { system: [{ type: 'text', text: 'Own.' }] },
  'generate-content': { systemInstruction: { parts: [{ text: 'Own.' }] } },
}

/** All of the texts in the place of the system prompt, in order. */
function systemIn(dialect: TextDialectId, body: Json): string {
  const texts = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : Array.isArray(value)
        ? value.flatMap(texts)
        : [(value as Json).text, (value as Json).content, (value as Json).parts].flatMap((each) =>
            each ? texts(each) : [],
          )
  if (dialect === 'chat')
    return texts((body.messages as Json[]).filter(({ role }) => role === 'system' || role === 'developer')).join('\n\n')
  return texts(
    dialect === 'responses' ? body.instructions : dialect === 'messages' ? body.system : body.systemInstruction,
  ).join('\n\n')
}

const configOf = (dialect: TextDialectId, body: Json): Json =>
  dialect === 'generate-content' ? (body.generationConfig as Json) : body
const TOP_P: Record<TextDialectId, string> = {
  chat: 'top_p',
  responses: 'top_p',
  messages: 'top_p',
  'generate-content': 'topP',
}
const CAP: Record<TextDialectId, string> = {
  chat: 'max_tokens',
  responses: 'max_output_tokens',
  messages: 'max_tokens',
  'generate-content': 'maxOutputTokens',
}
const DROPPED: Record<TextDialectId, string> = {
  chat: 'safety_identifier',
  responses: 'safety_identifier',
  messages: 'metadata',
  'generate-content': 'safetySettings',
}

describe.each(PAIRS)('%s at an upstream of %s', (client, to) => {
  test('fields are set, filled in and left out, around the caller’s system prompt', async () => {
    const more = SYSTEM[client]
    const response = await callIn(client, gateway.url, secret, { model: `by-${to}`, more })
    expect([response.status, await response.clone().text()]).toEqual([200, expect.anything()])
    const body = sent()
    const fields = configOf(to, body)
    expect(fields[TOP_P[to]]).toBe(0.5)
    expect(fields.temperature).toBe(0.25)
    expect(fields[CAP[to]] ?? fields.max_completion_tokens).toBe(77)
    expect(body.x_vendor).toEqual({ a: [1] })
    expect(body).not.toHaveProperty(DROPPED[to])
    expect(systemIn(to, body)).toBe('Before.\n\nOwn.\n\nAfter.')
    // Neither is shown to the caller.
    expect(await response.text()).not.toMatch(/Before\.|x_vendor/)
  })

  test('the caller’s own value stays where there is only a default, and is replaced where one is set', async () => {
    const values = { temperature: 1, ...(client === 'generate-content' ? { topP: 1 } : { top_p: 1 }) }
    const more = client === 'generate-content' ? { generationConfig: values } : values
    const response = await callIn(client, gateway.url, secret, { model: `by-${to}`, more })
    expect(response.status).toBe(200)
    expect(configOf(to, sent())).toMatchObject({ temperature: 1, [TOP_P[to]]: 0.5 })
    expect(response.headers.get('x-trivium-warnings')).toMatch(/top_?p;changed/i)
    expect(systemIn(to, sent())).toBe('Before.\n\nAfter.')
  })

  test('headers are set, filled in and left out', async () => {
    const headers = { 'anthropic-beta': 'own', 'openai-beta': 'own' }
    await callIn(client, gateway.url, secret, { model: `by-${to}`, headers })
    expect(received?.headers['x-team']).toBe('search')
    const isCarried = (dialect: TextDialectId) => client === dialect && to === dialect
    expect(received?.headers['anthropic-beta']).toBe(isCarried('messages') ? 'own' : 'mine')
    expect(received?.headers['openai-beta']).toBe(isCarried('chat') || isCarried('responses') ? 'own' : 'mine')
  })

  test('text of the operator is input that has to be paid', async () => {
    const { secret: poor } = await newKey(gateway, '0.002')
    const small = { chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' } as Record<
      string,
      string
    >
    const more =
      client === 'generate-content' ? { generationConfig: { maxOutputTokens: 16 } } : { [small[client] ?? '']: 16 }
    const call = (model: string) => callIn(client, gateway.url, poor, { model, more })
    expect((await call(`long-${to}`)).status).toBe(402)
    expect((await call(`plain-${to}`)).status).toBe(200)
  })
})

test('a response of the caller’s own dialect shows what the caller sent', async () => {
  const more = { instructions: 'Own.', top_p: 0.75 }
  const response = await callIn('responses', gateway.url, secret, { model: 'by-responses', more })
  const shown = { instructions: 'Own.', top_p: 0.75, temperature: null, max_output_tokens: null }
  expect(await response.json()).toMatchObject(shown)
})

describe('a tier', () => {
  type Receipt = { cost_usd: string }
  const costOf = async (model: string, more: Json = {}) => {
    const response = await callIn('chat', gateway.url, secret, { model, more })
    const { cost_usd } = await receiptOf<Receipt>(gateway.url, secret, response)
    return Number(cost_usd)
  }

  test('is charged as the route sets it, and not where the route leaves it out', async () => {
    const plain = await costOf('plain-chat')
    expect(plain).toBeGreaterThan(0)
    expect(await costOf('plain-chat', { service_tier: 'priority' })).toBe(2 * plain)
    expect(await costOf('flex')).toBe(plain / 2)
    expect(sent().service_tier).toBe('flex')
    expect(await costOf('flex', { service_tier: 'priority' })).toBe(plain / 2)
    expect(sent().service_tier).toBe('flex')
    expect(await costOf('no-tier', { service_tier: 'priority' })).toBe(plain)
    expect(sent()).not.toHaveProperty('service_tier')
  })
})

test('the preview of routes has what is changed', async () => {
  type Preview = { candidates: { changes: unknown }[] }
  const preview = await gateway.command<Preview>('model', 'route-preview', 'by-chat')
  expect(preview.candidates[0]?.changes).toEqual({
    set: [
      { name: 'top_p', value: '0.5' },
      { name: 'max_tokens', value: '77' },
    ],
    default: [
      { name: 'temperature', value: '0.25' },
      { name: 'x_vendor', value: '{"a":[1]}' },
    ],
    drop: ['safety_identifier'],
    headers: {
      set: [{ name: 'x-team', value: 'search' }],
      default: [
        { name: 'anthropic-beta', value: 'mine' },
        { name: 'openai-beta', value: 'mine' },
      ],
      drop: ['anthropic-version'],
    },
    system: { before: 'Before.', after: 'After.' },
  })
})

test.each(TEXT_DIALECT_IDS)('token counts include the text of a route to an upstream of %s', async (to) => {
  const count = async (model: string) => {
    const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { input_tokens: number }).input_tokens
  }
  const plain = await count(`plain-${to}`)
  const before = upstream.received.length
  // One token for each of 5,000 words, by the tokenizer: the upstream here answers no counts.
  expect((await count(`long-${to}`)) - plain).toBeGreaterThan(4_900)
  const asked = upstream.received.slice(before).map(({ body }) => body.toString())
  expect(asked.every((body) => body.includes('word word'))).toBe(true)
})

test('an upstream that counts is asked with the text', async () => {
  upstream.behave((socket, request) => {
    received = request
    respondWith({ input_tokens: 7 })(socket, request)
  })
  const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'by-responses', system: 'Own.', messages: [{ role: 'user', content: 'hi' }] }),
  })
  expect(await response.json()).toEqual({ input_tokens: 7 })
  expect(sent()).toMatchObject({ instructions: 'Before.\n\nOwn.\n\nAfter.' })
})
