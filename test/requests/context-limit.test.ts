// A request that cannot fit into the context of its model is rejected before anything is held or sent. Where this is not certain,
// the upstream decides.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ERROR_ROWS } from '@trivium/protocol/fixtures/error-rows.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH, CLIENTS, callIn, errorIn, PAIRS } from '../support/requests/dialect-calls.ts'
import { openaiAt, respondTo } from '../support/sdk/chained.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

const CONTEXT = 1_000
const words = (count: number): string => Array.from({ length: count }, () => 'wording').join(' ')
const TOO_LONG = words(CONTEXT + 500)

let upstream: RecordingSandbox
let gateway: Gateway
let account: Awaited<ReturnType<typeof newKey>>

beforeAll(async () => {
  upstream = startRecordingSandbox()
  const entries = TEXT_DIALECT_IDS.map((id) => ({
    upstream: `  - { id: ${id}, dialect: ${id}, base_url: "${upstream.origin}${BASE_PATH[id]}", keys: [k] }`,
    model: `id: over-${id}, routes: [{ upstream: ${id}, model: sandbox-text }], price: { input: 1, output: 4 }`,
  }))
  gateway = await startGateway({
    config: [
      'upstreams:',
      ...entries.map((entry) => entry.upstream),
      'models:',
      ...entries.map(({ model }) => `  - { ${model}, limits: { context: ${CONTEXT}, max_output: 100 } }`),
      ...entries.map(({ model }) => `  - { ${model.replace('over-', 'unlimited-')} }`),
    ].join('\n'),
  })
  account = await newKey(gateway, '10')
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

/** The status and the error of a request, and how many requests the upstream got of it. */
async function send(...[dialect, calling]: [Parameters<typeof callIn>[0], Parameters<typeof callIn>[3]]) {
  const before = upstream.asked.length
  const response = await callIn(dialect, gateway.url, account.secret, calling)
  const body = await response.text()
  return { status: response.status, body, sent: upstream.asked.length - before }
}

describe.each(PAIRS)('%s over %s', (client, over) => {
  test.each([[false], [true]])('too long: 400 in the dialect, without a row, streamed: %p', async (streamed) => {
    const rows = (await account.rows()).length
    const { status, body, sent } = await send(client, { model: `over-${over}`, prompt: TOO_LONG, streamed })
    expect([status, sent]).toEqual([400, 0])
    const { message, type } = errorIn(client, JSON.parse(body))
    const row = ERROR_ROWS.context_length_exceeded
    const expected = {
      chat: row.type,
      responses: row.type,
      messages: row.messages,
      'generate-content': row.generateContent,
    }
    expect(type).toBe(expected[client])
    if (client === 'chat' || client === 'responses') expect(JSON.parse(body).error.code).toBe('context_length_exceeded')
    expect(message).toContain(`at least ${CONTEXT + 499} tokens`)
    expect(message).toContain(`at most ${CONTEXT}.`)
    expect(await account.rows()).toHaveLength(rows)
  })
})

/** Requests of more bytes than a context of prose has, which some upstream accepts. */
const FITS: [title: string, prompt: string][] = [
  ['as many words as the context has tokens', words(CONTEXT + 1)],
  ['runs of spaces, of which 128 are one token', `Say 2 words.${' '.repeat(CONTEXT * 40)}`],
  ['an unbroken text', 'a'.repeat(CONTEXT * 40)],
  ['Hindi, with 10 bytes to a token', 'स्वतन्त्रता '.repeat(CONTEXT)],
  ['symbols', '— = · '.repeat(CONTEXT)],
]

describe.each(CLIENTS)('%s', (client) => {
  test.each(FITS)('the upstream decides: %s', async (_, prompt) => {
    expect(await send(client, { model: `over-${client}`, prompt })).toMatchObject({ status: 200, sent: 1 })
  })

  test('a model without the limit', async () => {
    expect(await send(client, { model: `unlimited-${client}`, prompt: TOO_LONG })).toMatchObject({
      status: 200,
      sent: 1,
    })
  })

  test('more output than the model has is no matter of the context', async () => {
    const cap = { chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' }
    const more =
      client === 'generate-content' ? { generationConfig: { maxOutputTokens: 5_000 } } : { [cap[client]]: 5_000 }
    const calling = { model: `over-${client}`, prompt: 'Say 2 words.', more }
    expect(await send(client, calling)).toMatchObject({ status: 200, sent: 1 })
  })
})

const thinking = { type: 'thinking', thinking: TOO_LONG, signature: 'c2ln' }
test.each([
  ['responses', { truncation: 'auto' }],
  ['messages', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
  ['chat', { transforms: ['middle-out'] }],
] as const)('%s: an upstream that may shorten the request gets it', async (client, more) => {
  const calling = { model: `over-${client}`, prompt: TOO_LONG, more }
  expect(await send(client, calling)).toMatchObject({ status: 200, sent: 1 })
})

test('reasoning of earlier turns is not counted: its vendor drops it', async () => {
  const messages = [
    { role: 'user', content: 'Say 2 words.' },
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Two words.' }] },
    { role: 'user', content: 'Again.' },
  ]
  expect(await send('messages', { model: 'over-messages', more: { messages } })).toMatchObject({ sent: 1 })
})

const half = words(CONTEXT * 0.75)
const CALL = { id: 'call_1', name: 'look' }
test.each([
  [
    'chat',
    {
      messages: [
        { role: 'system', content: half },
        { role: 'user', content: half },
      ],
    },
  ],
  ['responses', { instructions: half, input: half }],
  ['messages', { system: half, messages: [{ role: 'user', content: half }] }],
  [
    'generate-content',
    { systemInstruction: { parts: [{ text: half }] }, contents: [{ role: 'user', parts: [{ text: half }] }] },
  ],
  [
    'chat',
    {
      messages: [
        { role: 'user', content: 'Look.' },
        {
          role: 'assistant',
          tool_calls: [{ id: CALL.id, type: 'function', function: { name: CALL.name, arguments: `{"at":"${half}"}` } }],
        },
        { role: 'tool', tool_call_id: CALL.id, content: half },
      ],
    },
  ],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', ...CALL, input: { at: half } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: CALL.id, content: half }] },
      ],
    },
  ],
] as const)('%s: everything that the model reads counts together', async (client, more) => {
  expect(await send(client, { model: `over-${client}`, more })).toMatchObject({ status: 400, sent: 0 })
})

describe('a chain', () => {
  test.each(
    PAIRS.filter(([client]) => client === 'responses'),
  )('%s over %s counts as what it sends', async (_, over) => {
    const client = openaiAt(gateway.url, account.secret)
    const first = await respondTo(client, false, { model: `over-${over}`, input: `${half} Say 2 words.` })
    const before = upstream.asked.length
    const next = { model: `over-${over}`, input: half, previous_response_id: first.id }
    for (const streamed of [false, true]) {
      const error = await respondTo(client, streamed, next).catch((error) => error)
      expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' })
    }
    expect(upstream.asked).toHaveLength(before)
    const brief = await respondTo(client, false, { ...next, input: 'Say 2 words.' })
    expect(brief.previous_response_id).toBe(first.id)
  })
})
