// An upstream refuses a field that its protocol has and its model does not take: the call is made once more without it,
// and the next ones leave it out from the start.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { quickKey } from './support/control.ts'
import { type Gateway, startGateway } from './support/gateway.ts'
import { answer, type Behaviour, reply, startUpstream, stream, type Upstream } from './support/upstream.ts'

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
models:
${['c', 'r', 'g'].flatMap((id) => [1, 2].map((n) => `  - { id: ${id}${n}, routes: [{ upstream: ${id} }], ${price} }`)).join('\n')}
`,
  })
  secret = (await quickKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

type Body = Record<string, unknown>

/** Refuses bodies that this finds something in, with these words. */
const refusing =
  (isWrong: (body: Body) => boolean, error: object, good: object): Behaviour =>
  (socket, request) =>
    (isWrong(JSON.parse(request.body.toString())) ? answer({ error }, 400) : answer(good))(socket, request)

async function post(path: string, body: object) {
  const before = upstream.received.length
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const sent = upstream.received.slice(before).map(({ body }) => JSON.parse(body.toString()) as Body)
  return { status: response.status, text, sent, warnings: response.headers.get('x-trivium-warnings') }
}

const ask = (model: string, more: object = {}) =>
  post('/v1/messages', { model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }], ...more })

const RESPONSE = {
  ...{
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'r',
    usage: { input_tokens: 3, output_tokens: 2 },
  },
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
    'encrypted thoughts, of a model that has none',
    'r1',
    'include',
    { message: 'Encrypted content is not supported with this model.', param: 'include' },
    null,
  ],
])('%s', async (_, model, field, error, warnings) => {
  const good = model.startsWith('r') ? RESPONSE : reply()
  upstream.behave(refusing((body) => field in body, { ...error, type: 'invalid_request_error', code: null }, good))
  const first = await ask(model, { temperature: 0.5 })
  expect([first.status, first.warnings]).toEqual([200, warnings])
  expect(first.sent.map((body) => field in body)).toEqual([true, false])
  const second = await ask(model, { temperature: 0.5 })
  expect([second.status, second.warnings]).toEqual([200, warnings])
  expect(second.sent.map((body) => field in body)).toEqual([false])
})

test('thoughts that their vendor no longer takes back are left behind, with a warning, and only this once', async () => {
  upstream.behave(answer(RESPONSE))
  const { content } = JSON.parse((await ask('r2')).text) as { content: object[] }
  expect(content).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, { type: 'text' }])
  const hasThoughts = (body: Body) => JSON.stringify(body.input).includes('SECRET')
  const error = { message: 'The encrypted content could not be verified.', code: 'invalid_encrypted_content' }
  upstream.behave(refusing(hasThoughts, { ...error, type: 'invalid_request_error', param: null }, RESPONSE))
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

test('a model that failed at its call and said nothing is a failure, streamed or not', async () => {
  const candidates = [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }]
  const failed = { candidates, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 }, responseId: 'x' }
  for (const isStreamed of [false, true]) {
    upstream.behave(isStreamed ? stream(`data: ${JSON.stringify(failed)}\n\n`) : answer(failed))
    const { status } = await ask('g1', { stream: isStreamed })
    expect([isStreamed, status]).toEqual([isStreamed, 502])
  }
})
