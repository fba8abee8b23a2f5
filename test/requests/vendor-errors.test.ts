// Errors of an upstream of the client's own dialect: codes, field violations and the messages of streams arrive as the vendor says
// them, masked. What concerns the operator does not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { callIn } from '../support/requests/dialect-calls.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'

let reply: () => Response = () => new Response()
const upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', development: false, fetch: () => reply() })
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  gateway = await startGateway({ config: configOfDialects(`http://127.0.0.1:${upstream.port}`, 'inner-name') })
  key = await newKey(gateway, '10')
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop(true)
})

async function errorOf(dialect: TextDialectId, body: object, status = 400): Promise<Record<string, unknown>> {
  reply = () => Response.json(body, { status })
  const response = await callIn(dialect, gateway.url, key.secret, { model: `over-${dialect}` })
  return { status: response.status, ...((await response.json()) as { error: object }).error }
}

const openai = (code: string) => ({ error: { message: 'No.', type: 'invalid_request_error', param: 'input', code } })

describe.each(['chat', 'responses'] as const)('%s', (dialect) => {
  test.each([
    'string_above_max_length',
    'unknown_parameter',
    'unsupported_value',
    'invalid_value',
  ])('%s', async (code) => {
    const expected = { status: 400, code, param: 'input', message: 'No.', type: 'invalid_request_error' }
    expect(await errorOf(dialect, openai(code))).toMatchObject(expected)
  })

  test('a code that concerns the operator is not told', async () => {
    const error = await errorOf(dialect, openai('insufficient_quota'), 429)
    expect(error).toMatchObject({ status: 502, code: 'upstream_no_credit' })
  })
})

test('descriptions of violated fields', async () => {
  const violations = [
    { field: 'contents[0]', description: 'must have parts' },
    { field: 'tools', description: 'unknown name' },
  ]
  const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }]
  const body = { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Two are wrong.', details } }
  const error = await errorOf('generate-content', body)
  expect(error).toMatchObject({ message: 'Two are wrong.', details: [{ fieldViolations: violations }] })
})

test.each(
  TEXT_DIALECT_IDS,
)('%s: an unknown model at the upstream has a code of its own, and nothing is counted', async (dialect) => {
  const account = await newKey(gateway, '1')
  reply = () =>
    Response.json({ error: { message: 'model "inner-name" not found', type: 'api_error' } }, { status: 404 })
  const response = await callIn(dialect, gateway.url, account.secret, { model: `over-${dialect}` })
  const text = await response.text()
  expect([response.status, text]).toEqual([502, expect.not.stringContaining('inner-name')])
  if (dialect === 'chat') expect(JSON.parse(text).error.code).toBe('upstream_model_not_found')
  const [row] = await account.settled()
  expect(row?.cost_usd).toBe('0.00')
  expect(row?.receipt ?? {}).not.toHaveProperty('counted')
})

test.each(
  TEXT_DIALECT_IDS,
)('%s: a wrong URL of the upstream is not called a wrong key, and no host is told', async (dialect) => {
  const account = await newKey(gateway, '1')
  const message = 'Invalid URL (POST https://vendor.internal/openai/v1/chat/completions)'
  reply = () =>
    Response.json({ error: { message, type: 'invalid_request_error', code: 'unknown_url' } }, { status: 404 })
  const response = await callIn(dialect, gateway.url, account.secret, { model: `over-${dialect}` })
  const text = await response.text()
  expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false'])
  expect(text).toContain('The upstream does not have the URL that this gateway calls.')
  expect(text).not.toContain('vendor.internal')
  const [row] = await account.settled()
  expect(row?.cost_usd).toBe('0.00')
})

describe('rate limits of the vendor', () => {
  let open: Gateway
  let secret: string
  beforeAll(async () => {
    const config = configOfDialects(`http://127.0.0.1:${upstream.port}`, 'inner-name')
    open = await startGateway({ config: `server: { show_upstreams: true }\n${config}` })
    secret = (await newKey(open, '10')).secret
  })
  afterAll(() => open.stop())

  const LIMITS = {
    'x-ratelimit-remaining-tokens': '9999',
    'x-ratelimit-reset-requests': '6ms',
    'ratelimit-policy': '10;w=1',
    'anthropic-ratelimit-requests-limit': '50',
    'retry-after': '7',
    'x-ratelimit-odd': 'x'.repeat(500),
    'openai-organization': 'org-secret',
    'x-internal': 'host-17',
    server: 'cloud',
  }
  const SHOWN = ['anthropic-ratelimit-requests-limit', 'ratelimit-policy', 'retry-after']
  const shown = ({ headers }: Response) =>
    [...headers.keys()].filter((name) => name.startsWith('x-trivium-upstream-')).map((name) => name.slice(19))

  test.each(TEXT_DIALECT_IDS)('%s: shown where upstreams are, streamed and not, with errors too', async (dialect) => {
    for (const streamed of [false, true]) {
      const type = streamed ? 'text/event-stream' : 'application/json'
      const body = streamed ? withoutError(STREAMS[dialect]) : JSON.stringify(WHOLE[dialect])
      for (const status of [200, 400, 429]) {
        const headers = { ...LIMITS, 'content-type': status === 200 ? type : 'application/json' }
        reply = () => new Response(status === 200 ? body : '{"error":{"message":"x"}}', { status, headers })
        const call = { model: `over-${dialect}`, streamed }
        const response = await callIn(dialect, open.url, secret, call)
        await response.text()
        expect([response.status, shown(response)]).toEqual([
          status,
          [...SHOWN, 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-requests'],
        ])
        const hidden = await callIn(dialect, gateway.url, key.secret, call)
        await hidden.text()
        expect([hidden.status, shown(hidden)]).toEqual([status, []])
      }
    }
  })
})

/** A stream that has begun. */
const withoutError = (stream: string): string => `${stream.trimEnd().split('\n\n').slice(0, -1).join('\n\n')}\n\n`

const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const WHOLE: Record<TextDialectId, object> = {
  chat: {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
    usage,
  },
  responses: { id: 'r', object: 'response', status: 'completed', output: [], usage },
  messages: { id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn', usage },
  'generate-content': {
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: {},
  },
}

const SECRET = 'sk-abcdefghijklmnopqrstuvwxyz123456'
const SAID = `The engine stumbled over ${SECRET}.`
const data = (...events: object[]) =>
  events.map((event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('')

/** Some output, then an error. */
const STREAMS: Record<TextDialectId, string> = {
  chat: data(
    {
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
    },
    { error: { message: SAID, type: 'server_error', code: 'engine_stumbled' } },
  ),
  responses: data(
    { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', status: 'in_progress', output: [] } },
    {
      type: 'response.output_text.delta',
      sequence_number: 1,
      output_index: 0,
      content_index: 0,
      item_id: 'm',
      delta: 'Hi',
    },
    {
      type: 'response.failed',
      sequence_number: 2,
      response: { id: 'resp_1', status: 'failed', output: [], error: { code: 'engine_stumbled', message: SAID } },
    },
  ),
  messages: data(
    {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'error', error: { type: 'api_error', message: SAID } },
  ),
  'generate-content': data(
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, index: 0 }] },
    { error: { code: 500, status: 'INTERNAL', message: SAID } },
  ),
}

test.each(
  TEXT_DIALECT_IDS,
)('%s: the error within a stream is in the words of the vendor, without its secrets', async (dialect) => {
  reply = () => new Response(STREAMS[dialect], { headers: { 'content-type': 'text/event-stream' } })
  const response = await callIn(dialect, gateway.url, key.secret, { model: `over-${dialect}`, streamed: true })
  const text = await response.text()
  expect(text).toContain('The engine stumbled over ')
  expect(text).not.toContain(SECRET)
  if (dialect === 'chat' || dialect === 'responses') expect(text).toContain('"code":"engine_stumbled"')
})

test('an image of the request that a response fails over is the fault of the request', async () => {
  const error = { code: 'invalid_image_url', message: 'The image cannot be downloaded.' }
  const failed = { id: 'resp_1', object: 'response', status: 'failed', output: [], error }
  reply = () => Response.json(failed)
  const response = await callIn('responses', gateway.url, key.secret, { model: 'over-responses' })
  expect([response.status, await response.json()]).toMatchObject([400, { error }])
})
