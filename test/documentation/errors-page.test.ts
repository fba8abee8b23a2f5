// docs/use/errors.md explains every error code, and quotes messages as callers get them.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/use/errors.md'), 'utf8')
const QUOTED = [...page.matchAll(/"([A-Z/][^"]+)"/g)].map(([, text = '']) => text)

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

test('every error code is explained, with its status', () => {
  const missing = Object.entries(ERRORS)
    // The code of this one is null in the form that the page shows.
    .filter(([code]) => code !== 'bad_request')
    .filter(([code, { status }]) => !page.includes(`${status} \`${code}\``))
  expect(missing).toEqual([])
})

const hello = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
const CHAT = '/v1/chat/completions'

test.each([
  ['a wrong key', CHAT, hello, { authorization: 'Bearer sk-other' }],
  ['an unknown model', CHAT, { ...hello, model: 'gpt-9' }, {}],
  ['a model of another type', CHAT, { ...hello, model: 'sandbox-image' }, {}],
  ['another content type', CHAT, hello, { 'content-type': 'text/plain' }],
  ['a wrong base URL', '/v1/nothing', hello, {}],
  ['an unknown response', '/v1/responses', { ...hello, input: 'Hello', previous_response_id: 'resp_0' }, {}],
  ['a rate limit of the upstream', CHAT, hello, { 'x-sandbox-fault': 'status=429' }],
])('the message about %s is quoted as it is', async (_, path, body, headers) => {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.firstKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const { message } = ((await response.json()) as { error: { message: string } }).error
  expect([message, QUOTED.some((text) => message.startsWith(text))]).toEqual([message, true])
})
