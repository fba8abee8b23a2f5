// Streams of every protocol ask proxies not to collect them; other responses do not.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

let gateway: Gateway
let secret: string
beforeAll(async () => {
  gateway = await startGateway({ config: 'sandbox: true\ntools: { image_generation: { model: sandbox-image } }\n' })
  secret = (await newKey(gateway)).secret
})
afterAll(() => gateway.stop())

const model = 'sandbox-text'
const messages = [{ role: 'user', content: 'Hello' }]
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
const image = { model: 'sandbox-image', prompt: 'A cat', size: '256x256' }
const GENERATE = `/v1beta/models/${model}`
const DRAWN = '/v1beta/models/sandbox-image'
const tools = [{ type: 'image_generation' }]

async function post(path: string, body: object, more: Record<string, string> = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...more }
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect([response.status, (await response.text()).length > 0]).toEqual([200, true])
  return response
}

const STREAMS: [path: string, body: object][] = [
  ['/v1/chat/completions', { model, messages, stream: true }],
  ['/v1/responses', { model, input: 'Hello', stream: true }],
  ['/v1/responses', { model, input: 'Draw a cat', stream: true, tools }],
  ['/v1/messages', { model, messages, stream: true, max_tokens: 50 }],
  [`${GENERATE}:streamGenerateContent?alt=sse`, { contents }],
  [`${GENERATE}:streamGenerateContent`, { contents }],
  ['/v1/images/generations', { ...image, stream: true }],
  [`${DRAWN}:streamGenerateContent?alt=sse`, { contents }],
]

test.each(STREAMS)('a stream of %s is not to be buffered', async (path, body) => {
  const key = { 'idempotency-key': crypto.randomUUID(), 'msg-version': '2023-06-01' }
  expect((await post(path, body, key)).headers.get('x-accel-buffering')).toBe('no')
})

test('a repeated stream is not to be buffered either', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const body = { ...image, stream: true }
  await post('/v1/images/generations', body, key)
  const { headers } = await post('/v1/images/generations', body, key)
  expect([headers.get('idempotent-replayed'), headers.get('x-accel-buffering')]).toEqual(['true', 'no'])
})

test.each([
  ['/v1/chat/completions', { model, messages }],
  ['/v1/images/generations', image],
])('a whole response of %s may be', async (path, body) => {
  expect((await post(path, body)).headers.get('x-accel-buffering')).toBeNull()
})
