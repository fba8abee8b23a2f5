// The endpoints that count tokens: as services have them, and as the same prompt is billed.
import { describe, expect, test } from 'bun:test'
import { createSandbox } from './handler.ts'

const HEADERS = { authorization: 'Bearer any', 'anthropic-version': '2023-06-01' }
const MODEL = 'sandbox-text'
const TEXT = 'Twelve bytes'

async function post(path: string, body: object, faults = false) {
  const request = new Request(`http://sandbox${path}`, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  const response = await createSandbox({ faults, pace: 0 })(request)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const CONTENTS = [{ role: 'user', parts: [{ text: TEXT }] }]
const MESSAGES = { model: MODEL, messages: [{ role: 'user', content: TEXT }] }
const COUNT = `/v1beta/models/${MODEL}:countTokens`
const WHOLE = { model: `models/${MODEL}`, contents: CONTENTS, systemInstruction: { parts: [{ text: TEXT }] } }

test.each<[string, object, Record<string, unknown>]>([
  ['/v1/messages/count_tokens', MESSAGES, { input_tokens: 3 }],
  ['/v1/messages/count_tokens', { ...MESSAGES, system: TEXT }, { input_tokens: 6 }],
  [
    '/v1/messages/count_tokens',
    { ...MESSAGES, thinking: { type: 'enabled', budget_tokens: 5_000 } },
    { input_tokens: 3 },
  ],
  ['/v1/responses/input_tokens', { model: MODEL, input: TEXT }, { object: 'response.input_tokens', input_tokens: 3 }],
  [COUNT, { contents: CONTENTS }, { totalTokens: 3 }],
  [COUNT, { generateContentRequest: WHOLE }, { totalTokens: 6 }],
])('%s with %j: %j', async (path, body, expected) => {
  expect(await post(path, body)).toEqual({ status: 200, body: expected })
})

describe('what services reject', () => {
  test.each<[string, object]>([
    ['/v1/messages/count_tokens', { ...MESSAGES, max_tokens: 7 }],
    ['/v1/messages/count_tokens', { model: MODEL }],
    ['/v1/responses/input_tokens', { model: MODEL, input: TEXT, max_output_tokens: 7 }],
    [COUNT, { contents: CONTENTS, systemInstruction: WHOLE.systemInstruction }],
    [COUNT, { contents: CONTENTS, generateContentRequest: WHOLE }],
    [COUNT, { generateContentRequest: { ...WHOLE, model: 'models/other' } }],
    [COUNT, {}],
  ])('%s with %j', async (path, body) => {
    expect((await post(path, body)).status).toBe(400)
  })

  test('a model that does not exist', async () => {
    expect((await post('/v1/messages/count_tokens', { ...MESSAGES, model: 'other' })).status).toBe(404)
  })
})

test('faults apply to counts, too', async () => {
  const model = `${MODEL}:status=503`
  expect((await post('/v1/messages/count_tokens', { ...MESSAGES, model }, true)).status).toBe(503)
})
