// Claude in Bedrock by InvokeModel, and by its Messages API: official clients, real sockets, and a server that has the service's
// paths and rules. What comes back in binary frames must be what any other upstream of the dialect would bring.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { newKey } from '../../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../support/gateway/gateway.ts'
import {
  amazonError,
  type CloudVendor,
  chunkFrame,
  exceptionFrame,
  frames,
  startCloudVendor,
} from '../../support/upstreams/cloud-vendor.ts'

const PROFILE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const ARN = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123'

let vendor: CloudVendor
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>

beforeAll(async () => {
  vendor = startCloudVendor()
  gateway = await startGateway({
    config: `
upstreams:
  - { id: invoke, kind: bedrock-invoke, keys: [bedrock-key], breaker: false, base_url: "${vendor.origin}" }
  - { id: claude, kind: bedrock-claude, keys: [bedrock-key], breaker: false, base_url: "${vendor.origin}/anthropic" }
  - { id: mantle, kind: bedrock-mantle, keys: [bedrock-key], breaker: false, base_url: "${vendor.origin}" }
models:
  - { id: invoked, routes: [{ upstream: invoke, model: "${PROFILE}" }], price: { input: 3, output: 15 } }
  - { id: opaque, routes: [{ upstream: invoke, model: "${ARN}", base_model: claude-opus-4-8 }], price: { input: 3, output: 15 } }
  - { id: unnamed, routes: [{ upstream: invoke, model: "${ARN}" }], price: { input: 3, output: 15 } }
  - { id: missing, routes: [{ upstream: invoke, model: unknown }], price: { input: 3, output: 15 } }
  - { id: direct, routes: [{ upstream: claude, model: "${PROFILE}" }], price: { input: 3, output: 15 } }
  - { id: mantle-claude, routes: [{ upstream: mantle, model: anthropic.claude-opus-4-8 }], price: { input: 3, output: 15 } }
  - { id: mantle-open, routes: [{ upstream: mantle, model: openai.gpt-oss-120b }], price: { input: 1, output: 2 } }
`,
  })
  key = await newKey(gateway, '100')
})
afterAll(async () => {
  await gateway.stop()
  vendor.stop()
})
beforeEach(() => vendor.reset())

const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 })
const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 })
const HELLO = { max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }

describe('InvokeModel', () => {
  test('answers a client of the dialect', async () => {
    const message = await anthropic().messages.create({ ...HELLO, model: 'invoked' })
    expect(message).toMatchObject({ type: 'message', model: 'invoked', stop_reason: 'end_turn' })
    expect(vendor.sent).toEqual([
      expect.objectContaining({
        path: '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
        headers: expect.objectContaining({ authorization: 'Bearer bedrock-key', accept: 'application/json' }),
        body: { ...HELLO, anthropic_version: 'bedrock-2023-05-31', metadata: expect.anything() },
      }),
    ])
  })

  test('streams to a client of the dialect, without the metrics of the service', async () => {
    const stream = anthropic().messages.stream({ ...HELLO, model: 'invoked' })
    const types: string[] = []
    for await (const event of stream) {
      types.push(event.type)
      expect(JSON.stringify(event)).not.toContain('invocationMetrics')
    }
    const message = await stream.finalMessage()
    expect(types[0]).toBe('message_start')
    expect(types.at(-1)).toBe('message_stop')
    expect(message).toMatchObject({ model: 'invoked', stop_reason: 'end_turn' })
    expect(message.usage.output_tokens).toBeGreaterThan(0)
    expect(vendor.sent[0]).toMatchObject({
      path: '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
      headers: { accept: 'application/vnd.amazon.eventstream' },
    })
    expect(vendor.sent[0]?.body).not.toHaveProperty('stream')
    // Streamed and not, the same is charged.
    const [streamed, whole] = (await key.settled()).map(({ receipt, cost_usd }) => [receipt?.units, cost_usd])
    expect(streamed).toEqual(whole)
  })

  test('streams to a client of another dialect', async () => {
    const stream = await openai().chat.completions.create({
      model: 'invoked',
      messages: HELLO.messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    let [text, tokens] = ['', 0]
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? ''
      tokens += usage?.completion_tokens ?? 0
    }
    expect(text).not.toBe('')
    expect(tokens).toBeGreaterThan(0)
    const whole = await openai().chat.completions.create({ model: 'invoked', messages: HELLO.messages })
    expect(whole.choices[0]?.message.content).toBe(text)
  })

  test('betas are in the body, and the mark of the request is on its last block', async () => {
    const body = { ...HELLO, model: 'invoked', cache_control: { type: 'ephemeral' as const } }
    await anthropic().beta.messages.create({ ...body, betas: ['one-2025-01-01', 'two-2025-01-01'] })
    expect(vendor.sent[0]?.body).toMatchObject({
      anthropic_beta: ['one-2025-01-01', 'two-2025-01-01'],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] }],
    })
    expect(vendor.sent[0]?.path).not.toContain('?')
  })

  test('tokens are counted by the service', async () => {
    const counted = await anthropic().messages.countTokens({ model: 'invoked', messages: HELLO.messages })
    expect(counted).toEqual({ input_tokens: 4711 })
    expect(vendor.sent[0]?.path).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens')
  })

  test('an ARN is one step of the path, and the model behind it has its rules', async () => {
    const thinking = { ...HELLO, max_completion_tokens: 4_000, reasoning_effort: 'high' as const, temperature: 0.5 }
    const { max_tokens: _cap, ...chat } = thinking
    await openai().chat.completions.create({ ...chat, model: 'opaque' })
    await openai().chat.completions.create({ ...chat, model: 'unnamed' })
    const [named, unnamed] = vendor.sent
    expect(named?.path).toBe(
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc123/invoke',
    )
    // The newest models decide themselves how long they think, and take no temperature.
    expect(named?.body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } })
    expect(named?.body).not.toHaveProperty('temperature')
    expect(unnamed?.body).toMatchObject({ thinking: { type: 'enabled' } })
  })
})

describe('failures of InvokeModel', () => {
  /** As a client of the dialect sees it. */
  const failed = (model = 'invoked') =>
    anthropic()
      .messages.create({ ...HELLO, model })
      .then(
        () => undefined,
        (error: InstanceType<typeof Anthropic.APIError>) => ({ status: error.status, body: error.error }),
      )

  test.each<[number, string, string, number, string]>([
    [400, 'ValidationException', 'messages.0: text content blocks must be non-empty', 400, 'invalid_request_error'],
    [400, 'ServiceQuotaExceededException', 'Your request exceeds a quota.', 429, 'rate_limit_error'],
    [403, 'AccessDeniedException', 'You are not authorized.', 502, 'api_error'],
    [404, 'ResourceNotFoundException', 'Could not resolve the foundation model.', 502, 'api_error'],
    [408, 'ModelTimeoutException', 'It took too long.', 504, 'timeout_error'],
    [424, 'ModelErrorException', 'The model failed.', 502, 'api_error'],
    [429, 'ThrottlingException', 'Too many requests.', 429, 'rate_limit_error'],
    [500, 'InternalServerException', 'Failed.', 502, 'api_error'],
    [503, 'ServiceUnavailableException', 'Not available.', 503, 'overloaded_error'],
  ])('status %d with %s', async (status, type, message, seen, kind) => {
    // A failed attempt that was not billed may be tried once more.
    for (let times = 0; times < 3; times++) vendor.next(() => amazonError(status, type, message))
    const error = await failed()
    expect([error?.status, (error?.body as { error?: { type?: string } })?.error?.type]).toEqual([seen, kind])
    if (seen === 400) expect(JSON.stringify(error?.body)).toContain(message)
  })

  test('a model that the service does not know is the mistake of the operator', async () => {
    expect(await failed('missing')).toMatchObject({
      status: 502,
      body: { error: { message: expect.stringContaining('does not have the model') } },
    })
  })

  test.each([
    ['throttlingException', { message: 'Too many tokens' }, 429, 'rate_limit_error'],
    ['serviceUnavailableException', { message: 'Busy' }, 503, 'overloaded_error'],
    ['modelStreamErrorException', { originalStatusCode: 429, originalMessage: 'slow down' }, 429, 'rate_limit_error'],
    ['internalServerException', { message: 'Failed' }, 502, 'api_error'],
  ])('%s before any output is a status', async (type, body, status, kind) => {
    for (let times = 0; times < 3; times++) vendor.next(() => frames([exceptionFrame(type, body)]))
    const error = await anthropic()
      .messages.create({ ...HELLO, model: 'invoked', stream: true })
      .then(
        () => undefined,
        (thrown: InstanceType<typeof Anthropic.APIError>) => thrown,
      )
    expect([error?.status, (error?.error as { error?: { type?: string } })?.error?.type]).toEqual([status, kind])
  })

  const START = chunkFrame({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      model: 'c',
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  })
  const BLOCK = chunkFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  const DELTA = chunkFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } })
  const damaged = Buffer.from(DELTA)
  damaged[40] = (damaged[40] ?? 0) ^ 1

  test.each<[string, Uint8Array]>([
    ['an exception', exceptionFrame('throttlingException', { message: 'Too many tokens' })],
    ['a frame that is cut', DELTA.subarray(0, DELTA.length - 1)],
    ['a frame with a wrong checksum', damaged],
    ['an end without the last event', Buffer.alloc(0)],
  ])('%s after output is an error in the stream, never an end', async (_, last) => {
    const shown = Promise.withResolvers<void>()
    async function* parts() {
      yield* [START, BLOCK, DELTA]
      await shown.promise
      if (last.length > 0) yield last
    }
    vendor.next(() => frames(parts()))
    const seen: string[] = []
    const reading = async () => {
      for await (const event of await anthropic().messages.create({ ...HELLO, model: 'invoked', stream: true })) {
        seen.push(event.type)
        if (event.type === 'content_block_delta') shown.resolve()
      }
    }
    await expect(reading()).rejects.toThrow()
    expect(seen).toContain('content_block_delta')
    expect(seen).not.toContain('message_stop')
  })
})

test('the Messages API of the service is asked in the dialect, with the mark on the last block', async () => {
  const body = { ...HELLO, model: 'direct', cache_control: { type: 'ephemeral' as const } }
  const message = await anthropic().messages.create(body)
  expect(message.type).toBe('message')
  expect(vendor.sent[0]).toMatchObject({
    path: '/anthropic/v1/messages',
    headers: { authorization: 'Bearer bedrock-key', 'anthropic-version': expect.any(String) },
    body: { model: PROFILE, messages: [{ content: [{ text: 'Hello', cache_control: { type: 'ephemeral' } }] }] },
  })
  expect(vendor.sent[0]?.body).not.toHaveProperty('cache_control')
})

test('bedrock-mantle is asked for Claude in its dialect alone, and for others in those of OpenAI', async () => {
  await openai().chat.completions.create({ model: 'mantle-claude', messages: HELLO.messages })
  await openai().responses.create({ model: 'mantle-claude', input: 'Hello' })
  await openai().chat.completions.create({ model: 'mantle-open', messages: HELLO.messages })
  await openai().responses.create({ model: 'mantle-open', input: 'Hello' })
  await anthropic().messages.create({ ...HELLO, model: 'mantle-open' })
  expect(vendor.sent.map(({ path, body }) => [path, body.model])).toEqual([
    ['/anthropic/v1/messages', 'anthropic.claude-opus-4-8'],
    ['/anthropic/v1/messages', 'anthropic.claude-opus-4-8'],
    ['/v1/chat/completions', 'openai.gpt-oss-120b'],
    ['/v1/responses', 'openai.gpt-oss-120b'],
    ['/v1/chat/completions', 'openai.gpt-oss-120b'],
  ])
})

test('the account may use what both lists of the service name, at the prices of the models behind', async () => {
  vendor.next(() =>
    Response.json({
      modelSummaries: [
        { modelId: 'anthropic.claude-3-haiku-20240307-v1:0', inferenceTypesSupported: ['ON_DEMAND'] },
        { modelId: 'anthropic.claude-sonnet-4-5-20250929-v1:0', inferenceTypesSupported: ['INFERENCE_PROFILE'] },
        { modelId: 'amazon.nova-pro-v1:0', inferenceTypesSupported: ['ON_DEMAND'] },
      ],
    }),
  )
  const profile = (id: string, type: string, model: string) => ({
    inferenceProfileId: id,
    inferenceProfileArn: type === 'APPLICATION' ? ARN : `arn:aws:bedrock:us-east-1::inference-profile/${id}`,
    type,
    models: [{ modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${model}` }],
  })
  const OPUS = 'anthropic.claude-opus-4-8'
  vendor.next(() =>
    Response.json({
      inferenceProfileSummaries: [profile('global.anthropic.claude-opus-4-8', 'SYSTEM_DEFINED', OPUS)],
      nextToken: 'a b',
    }),
  )
  vendor.next(() =>
    Response.json({
      inferenceProfileSummaries: [
        profile('us.anthropic.claude-opus-4-8', 'SYSTEM_DEFINED', OPUS),
        profile('mine', 'APPLICATION', OPUS),
      ],
    }),
  )
  type Offered = { model: string; base_model: string | null; price: { input: string } | null }
  const { unconfigured } = await gateway.command<{ unconfigured: Offered[] }>('upstream', 'models', 'claude')
  const list = Number(unconfigured.find(({ model }) => model.startsWith('global.'))?.price?.input)
  expect(list).toBeGreaterThan(0)
  const shown = unconfigured.map(({ model, base_model, price }) => [
    model,
    base_model,
    price ? Number(price.input) : null,
  ])
  expect(shown).toEqual([
    ['anthropic.claude-3-haiku-20240307-v1:0', null, null],
    ['global.anthropic.claude-opus-4-8', null, list],
    ['us.anthropic.claude-opus-4-8', null, (list * 11) / 10],
    [ARN, OPUS, (list * 11) / 10],
  ])
  expect(vendor.sent.map(({ path }) => path)).toEqual([
    '/foundation-models?byOutputModality=TEXT',
    '/inference-profiles?maxResults=1000',
    '/inference-profiles?maxResults=1000&nextToken=a%20b',
  ])
})
