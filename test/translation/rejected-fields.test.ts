// An upstream rejects a field that its protocol has but its model does not support: the gateway retries without the field,
// and drops it from later requests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import {
  type Behaviour,
  reply,
  respondWith,
  startUpstream,
  stream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  upstream = await startUpstream()
  const { origin } = new URL(upstream.url)
  const price = 'price: { input: 1, output: 4 }'
  gateway = await startGateway({
    config: `
upstreams:
  - { id: c, dialect: chat, base_url: "${origin}/v1", keys: [k], breaker: false }
  - { id: r, dialect: responses, base_url: "${origin}/v1", keys: [k], breaker: false }
  - { id: g, dialect: generate-content, base_url: "${origin}/v1beta", keys: [k], breaker: false }
  - { id: m, dialect: messages, base_url: "${origin}", keys: [k], breaker: false }
models:
  - { id: m-unknown, routes: [{ upstream: m }], ${price} }
  - { id: m-listed, routes: [{ upstream: m, model: claude-opus-4-5-20251101 }], ${price} }
  - { id: m-limited, routes: [{ upstream: m, model: claude-opus-4-5 }], ${price}, limits: { max_output: 9000 } }
${['c', 'r', 'g'].flatMap((id) => [1, 2].map((n) => `  - { id: ${id}${n}, routes: [{ upstream: ${id} }], ${price} }`)).join('\n')}
`,
  })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

type Body = Record<string, unknown>

/** Rejects bodies that match, with this message. */
const rejecting =
  (isWrong: (body: Body) => boolean, error: object, good: object): Behaviour =>
  (socket, request) =>
    (isWrong(JSON.parse(request.body.toString())) ? respondWith({ error }, 400) : respondWith(good))(socket, request)

async function post(path: string, body: object, key = secret) {
  const before = upstream.received.length
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const sent = upstream.received.slice(before).map(({ body }) => JSON.parse(body.toString()) as Body)
  return { status: response.status, text, sent, warnings: response.headers.get('x-trivium-warnings') }
}

const ask = (model: string, more: object = {}) =>
  post('/v1/messages', { model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }], ...more })

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'r',
  usage: { input_tokens: 3, output_tokens: 2 },
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'SECRET' },
    { type: 'message', id: 'm_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.', annotations: [] }] },
  ],
}

test.each([
  [
    'what the caller asked for, with a warning',
    'c1',
    'temperature',
    { message: "Unsupported value: 'temperature' does not support 0.5 with this model.", param: 'temperature' },
    'temperature;dropped',
  ],
  [
    'the end user that we name, without one',
    'c2',
    'safety_identifier',
    { message: 'Unknown parameter: safety_identifier', param: null },
    null,
  ],
  [
    'encrypted reasoning of a model that has none',
    'r1',
    'include',
    { message: 'Encrypted content is not supported with this model.', param: 'include' },
    null,
  ],
])('%s', async (_, model, field, error, warnings) => {
  const good = model.startsWith('r') ? RESPONSE : reply()
  upstream.behave(rejecting((body) => field in body, { ...error, type: 'invalid_request_error', code: null }, good))
  const first = await ask(model, { temperature: 0.5 })
  expect([first.status, first.warnings]).toEqual([200, warnings])
  expect(first.sent.map((body) => field in body)).toEqual([true, false])
  const second = await ask(model, { temperature: 0.5 })
  expect([second.status, second.warnings]).toEqual([200, warnings])
  expect(second.sent.map((body) => field in body)).toEqual([false])
})

test('reasoning that its vendor no longer accepts is dropped, with a warning, and only for this request', async () => {
  upstream.behave(respondWith(RESPONSE))
  const { content } = JSON.parse((await ask('r2')).text) as { content: object[] }
  expect(content).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, { type: 'text' }])
  const hasThoughts = (body: Body) => JSON.stringify(body.input).includes('SECRET')
  const error = { message: 'The encrypted content could not be verified.', code: 'invalid_encrypted_content' }
  upstream.behave(rejecting(hasThoughts, { ...error, type: 'invalid_request_error', param: null }, RESPONSE))
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content },
    { role: 'user', content: 'and?' },
  ]
  for (const _ of [1, 2]) {
    const again = await ask('r2', { messages })
    expect([again.status, again.warnings]).toEqual([200, 'thinking;dropped'])
    expect(again.sent.map(hasThoughts)).toEqual([true, false])
  }
})

test('a malformed function call without output is a failure, streamed or not', async () => {
  const candidates = [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }]
  const failed = { candidates, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 }, responseId: 'x' }
  for (const isStreamed of [false, true]) {
    upstream.behave(isStreamed ? stream(`data: ${JSON.stringify(failed)}\n\n`) : respondWith(failed))
    const { status } = await ask('g1', { stream: isStreamed })
    expect([isStreamed, status]).toEqual([isStreamed, 502])
  }
})

describe('the output cap that messages upstreams require and the caller omitted', () => {
  const MESSAGE = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    stop_sequence: null,
    content: [{ type: 'text', text: 'Hi.' }],
    usage: { input_tokens: 3, output_tokens: 2 },
  }
  const chat = (model: string, more: object = {}, key = secret) =>
    post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }], ...more }, key)
  const caps = ({ sent }: { sent: Body[] }) => sent.map(({ max_tokens }) => max_tokens)

  test.each([
    ['m-unknown', 32_000],
    ['m-listed', 64_000],
    ['m-limited', 9_000],
  ])('%s: the limit of the model', async (model, cap) => {
    upstream.behave(respondWith(MESSAGE))
    const asked = await chat(model)
    expect([asked.status, caps(asked), asked.warnings]).toEqual([200, [cap], null])
    expect(caps(await chat(model, { max_tokens: 77 }))).toEqual([77])
  })

  test('is lowered to the balance, with a warning', async () => {
    const poor = await newKey(gateway, '0.02')
    upstream.behave(respondWith(MESSAGE))
    const asked = await chat('m-unknown', {}, poor.secret)
    expect([asked.status, asked.warnings]).toEqual([200, 'max_tokens;lowered-to-balance'])
    expect(Number(caps(asked)[0])).toBeLessThan(5_000)
  })

  test('a rejection that names the limit of the model: the request is retried, and later ones use the limit', async () => {
    const tooLarge = (most: number): Behaviour =>
      rejecting(
        ({ max_tokens }) => Number(max_tokens) > most,
        {
          type: 'invalid_request_error',
          message: `max_tokens: 32000 > ${most}, which is the maximum allowed number of output tokens for m-unknown`,
        },
        MESSAGE,
      )
    upstream.behave(tooLarge(8_192))
    // The caller's own value is kept.
    expect(await chat('m-unknown', { max_tokens: 10_000 })).toMatchObject({ status: 400 })
    expect(caps(await chat('m-unknown'))).toEqual([32_000, 8_192])
    expect(caps(await chat('m-unknown'))).toEqual([8_192])
  })

  test('a context without room for it lowers it for this request only', async () => {
    const message = 'input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000, decrease input length'
    const error = { type: 'invalid_request_error', message }
    upstream.behave(rejecting(({ max_tokens }) => Number(max_tokens) > 10_000, error, MESSAGE))
    expect(caps(await chat('m-listed'))).toEqual([64_000, 10_000])
    expect(caps(await chat('m-listed'))).toEqual([64_000, 10_000])
  })
})
