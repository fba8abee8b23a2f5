// Upstreams of another dialect whose connection breaks after the response: a complete response stays complete, and the
// reported usage is charged.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { audit, cost, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { callIn } from '../support/requests/dialect-calls.ts'
import {
  chunk,
  reply,
  respondWith,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
beforeAll(async () => {
  upstream = await startUpstream()
  const { origin } = new URL(upstream.url)
  const limits = 'timeouts: { first_byte: 20s, idle: 500ms, total: 60s }'
  const price = 'price: { input: 1, output: 4 }'
  gateway = await startGateway({
    config: `
upstreams:
  - { id: c, dialect: chat, base_url: "${origin}/v1", keys: [k], breaker: false, ${limits} }
  - { id: r, dialect: responses, base_url: "${origin}/v1", keys: [k], breaker: false, ${limits} }
  - { id: patient, dialect: responses, base_url: "${origin}/v1", keys: [k] }
  - { id: g, dialect: generate-content, base_url: "${origin}/v1beta", keys: [k], breaker: false, ${limits} }
models:
${['c', 'r', 'patient', 'g'].map((id) => `  - { id: ${id}, routes: [{ upstream: ${id} }], ${price} }`).join('\n')}
`,
  })
})
afterEach(async () => expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 }))
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`

const item = { id: 'm_1', type: 'message', role: 'assistant', status: 'completed' }
const content = [{ type: 'output_text', text: 'Hello there.', annotations: [] }]
const response = { id: 'resp_1', object: 'response', model: 'r', output: [] as object[] }
const RESPONSES = [
  data({ type: 'response.created', response: { ...response, status: 'in_progress' } }),
  data({ type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } }),
  data({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hello there.' }),
  data({
    type: 'response.completed',
    response: {
      ...response,
      status: 'completed',
      output: [{ ...item, content }],
      usage: { input_tokens: 123, output_tokens: 45, total_tokens: 168 },
    },
  }),
]

const candidate = (text: string, more: object = {}) => ({
  index: 0,
  content: { role: 'model', parts: [{ text }] },
  ...more,
})
const GENERATED = [
  data({ candidates: [candidate('Hello there.')] }),
  data({
    candidates: [candidate('', { finishReason: 'STOP' })],
    usageMetadata: { promptTokenCount: 123, candidatesTokenCount: 45, totalTokenCount: 168 },
  }),
]

/** Sends all events without the end of the body: the connection breaks, or stays silent. */
function playOpen(events: string[], breaks: boolean): void {
  upstream.behave(async (socket) => {
    socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), ...events.map(chunk)]))
    await Bun.sleep(100)
    if (breaks) socket.resetAndDestroy()
  })
}

async function streamed(model: string) {
  const { secret, settled } = await newKey(gateway)
  const reply = await callIn('chat', gateway.url, secret, { model, streamed: true })
  return { text: await reply.text(), rows: await settled() }
}

test.each([
  ['breaks', true],
  ['stays open', false],
])('the connection %s after the last event: the response is complete', async (_, breaks) => {
  playOpen(RESPONSES, breaks)
  const { text, rows } = await streamed('r')
  expect(text).toEndWith('data: [DONE]\n\n')
  expect(rows).toMatchObject([{ outcome: 'completed', cost_usd: cost(123, 45) }])
})

test('a connection that stays open after the last event has a shorter timeout than one within a response', async () => {
  playOpen(RESPONSES, false)
  const { text, rows } = await streamed('patient')
  expect(text).toEndWith('data: [DONE]\n\n')
  expect(rows).toMatchObject([{ outcome: 'completed', cost_usd: cost(123, 45) }])
})

test.each([
  ['breaks', true, 'cut'],
  ['stays open', false, 'timeout'],
])('the connection %s after what may be the last event: an error, and the reported usage', async (_, breaks, outcome) => {
  playOpen(GENERATED, breaks)
  const { text, rows } = await streamed('g')
  expect([text.includes('"error"'), text.includes('[DONE]')]).toEqual([true, false])
  expect(rows).toMatchObject([{ outcome, cost_usd: cost(123, 45) }])
})

test.each([
  ['stays open', GENERATED, 'timeout', cost(123, 45)],
  ['stays open within an answer', GENERATED.slice(0, 1), 'timeout', undefined],
])('a body that ends with its connection, which %s: a timeout of the gateway is not its end', async (_, events, outcome, costs) => {
  upstream.behave((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${events.join('')}`)
  })
  const { text, rows } = await streamed('g')
  expect([text.includes('"error"'), text.includes('[DONE]')]).toEqual([true, false])
  expect(rows).toMatchObject([{ outcome, ...(costs === undefined ? {} : { cost_usd: costs }) }])
})

test.each([
  ['chat', 'c'],
  ['messages', 'c'],
] as const)('a byte order mark before the response is removed, for a %s client', async (client, model) => {
  const { secret, settled } = await newKey(gateway)
  upstream.behave(respondWith(`\ufeff${JSON.stringify(reply())}`))
  const response = await callIn(client, gateway.url, secret, { model })
  expect([response.status, (await response.text()).includes('Hello there.')]).toEqual([200, true])
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost(10, 20) }])
})
