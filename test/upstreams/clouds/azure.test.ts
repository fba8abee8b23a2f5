// Azure: the newer base URL, deployments by path with an API version, and Claude; and what its content filter says.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'
import { newKey } from '../../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../support/gateway/gateway.ts'
import { type CloudVendor, startCloudVendor } from '../../support/upstreams/cloud-vendor.ts'

let vendor: CloudVendor
let gateway: Gateway
let secret = ''

beforeAll(async () => {
  vendor = startCloudVendor()
  gateway = await startGateway({
    config: `
upstreams:
  - { id: v1, kind: azure, keys: [azure-key], base_url: "${vendor.origin}/openai/v1" }
  - { id: classic, kind: azure-classic, keys: [azure-key], base_url: "${vendor.origin}/openai", api_version: 2025-01-01-preview }
  - { id: claude, kind: azure-claude, keys: [azure-key], base_url: "${vendor.origin}/anthropic" }
models:
  - { id: newer, routes: [{ upstream: v1, model: my-deployment, base_model: gpt-4.1 }], price: { input: 1, output: 4 } }
  - { id: older, routes: [{ upstream: classic, model: "my deployment/1" }], price: { input: 1, output: 4 } }
  - { id: opus, routes: [{ upstream: claude, model: claude-opus-4-8 }], price: { input: 1, output: 4 } }
  - { id: vectors, type: embedding, routes: [{ upstream: classic, model: ada }], price: { input: 0.10 } }
  - { id: paint, type: image, routes: [{ upstream: classic, model: dall-e-3 }], price: { per_image: 0.04 } }
  - { id: words, type: transcription, routes: [{ upstream: classic, model: whisper }], price: { per_minute: 0.006 } }
`,
  })
  ;({ secret } = await newKey(gateway, '100'))
})
afterAll(async () => {
  await gateway.stop()
  vendor.stop()
})
beforeEach(() => vendor.reset())

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: secret, maxRetries: 0 })
const MESSAGES = [{ role: 'user' as const, content: 'Hello' }]
const PATH = '/openai/deployments/my%20deployment%2F1'

test('deployments by path: chat, whole and streamed, for clients of two dialects', async () => {
  const { choices } = await openai().chat.completions.create({ model: 'older', messages: MESSAGES })
  expect(choices[0]?.message.content).toBeTruthy()
  const stream = await openai().chat.completions.create({ model: 'older', messages: MESSAGES, stream: true })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  expect(text).toBe(choices[0]?.message.content ?? '')
  await anthropic().messages.create({ model: 'older', max_tokens: 100, messages: MESSAGES })
  expect(vendor.sent.map(({ path }) => path)).toEqual(
    Array(3).fill(`${PATH}/chat/completions?api-version=2025-01-01-preview`),
  )
  expect(vendor.sent[0]?.headers).toMatchObject({ 'api-key': 'azure-key' })
  expect(vendor.sent[0]?.headers).not.toHaveProperty('authorization')
})

test('deployments by path: vectors, images and transcriptions', async () => {
  await openai().embeddings.create({ model: 'vectors', input: 'Hello' })
  vendor.next(() => Response.json({ created: 1, data: [{ b64_json: PNG }] }))
  await openai().images.generate({ model: 'paint', prompt: 'A cat' })
  vendor.next(() => Response.json({ text: 'Hello.', duration: 2, language: 'english', segments: [] }))
  await openai().audio.transcriptions.create({
    model: 'words',
    file: await toFile(Buffer.from('RIFF'), 'a.wav', { type: 'audio/wav' }),
    response_format: 'verbose_json',
  })
  const at = (rest: string) => `/openai/deployments/${rest}?api-version=2025-01-01-preview`
  expect(vendor.sent.map(({ path }) => path)).toEqual([
    at('ada/embeddings'),
    at('dall-e-3/images/generations'),
    at('whisper/audio/transcriptions'),
  ])
})

test('Claude is asked in its dialect', async () => {
  const { type } = await anthropic().messages.create({ model: 'opus', max_tokens: 100, messages: MESSAGES })
  expect(type).toBe('message')
  expect(vendor.sent[0]).toMatchObject({ path: '/anthropic/v1/messages', headers: { 'x-api-key': 'azure-key' } })
})

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SAFE = { hate: { filtered: false, severity: 'safe' } }
const chunk = (more: object) => ({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1', ...more })
const sse = (chunks: object[]) =>
  new Response([...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'].join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
const FILTERED = [
  chunk({
    id: '',
    model: '',
    created: 0,
    choices: [],
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
  }),
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, content_filter_results: {} }] }),
  chunk({ choices: [{ index: 0, delta: { content: 'Hello.' }, content_filter_results: SAFE }] }),
  chunk({
    choices: [
      {
        index: 0,
        delta: {},
        finish_reason: 'content_filter',
        content_filter_results: { hate: { filtered: true, severity: 'high' } },
      },
    ],
  }),
  chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }),
]

describe('the content filter', () => {
  test('its results at the beginning of a stream harm no client, and say why it ended', async () => {
    vendor.next(() => sse(FILTERED))
    const stream = await openai().chat.completions.create({ model: 'newer', messages: MESSAGES, stream: true })
    let [text, finish, results] = ['', '', '']
    for await (const each of stream) {
      text += each.choices[0]?.delta.content ?? ''
      finish = each.choices[0]?.finish_reason ?? finish
      results += JSON.stringify((each as { prompt_filter_results?: unknown }).prompt_filter_results ?? '')
    }
    expect([text, finish]).toEqual(['Hello.', 'content_filter'])
    expect(results).toContain('prompt_index')

    vendor.next(() => sse(FILTERED))
    const translated = await anthropic()
      .messages.stream({ model: 'older', max_tokens: 100, messages: MESSAGES })
      .finalMessage()
    expect(translated).toMatchObject({ content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'refusal' })
    expect(translated.usage).toMatchObject({ input_tokens: 9, output_tokens: 3 })
  })

  test.each([
    'innererror',
    'inner_error',
  ])('a rejected request names the filters, in the dialect of the client (%s)', async (name) => {
    const filtered = {
      error: {
        code: 'content_filter',
        message: 'The response was filtered due to the prompt triggering our policy.',
        param: 'prompt',
        status: 400,
        [name]: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: {
            hate: { filtered: false, severity: 'safe' },
            violence: { filtered: true, severity: 'medium' },
            jailbreak: { filtered: true, detected: true },
          },
        },
      },
    }
    vendor.next(() => Response.json(filtered, { status: 400 }))
    const error = await anthropic()
      .messages.create({ model: 'older', max_tokens: 100, messages: MESSAGES })
      .catch((thrown: InstanceType<typeof Anthropic.APIError>) => thrown)
    expect(error).toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } })
    expect((error as Error).message).toContain('our policy. (filtered: violence, jailbreak)')
  })
})

test('deployments are listed with the models behind them, and without such a list the models are', async () => {
  type Offered = { model: string; base_model: string | null; price: { input: string } | null }
  const listed = async () =>
    (await gateway.command<{ unconfigured: Offered[] }>('upstream', 'models', 'v1')).unconfigured
  vendor.next(() =>
    Response.json({ object: 'list', data: [{ id: 'mine', model: 'gpt-5.4', status: 'succeeded' }, { id: 7 }] }),
  )
  expect(await listed()).toEqual([
    expect.objectContaining({
      model: 'mine',
      base_model: 'gpt-5.4',
      price: expect.objectContaining({ input: '2.50' }),
    }),
  ])
  vendor.next(() => Response.json({ error: { code: '404', message: 'Resource not found' } }, { status: 404 }))
  vendor.next(() => Response.json({ object: 'list', data: [{ id: 'gpt-5.4' }] }))
  expect(await listed()).toEqual([expect.objectContaining({ model: 'gpt-5.4', base_model: null })])
  expect(vendor.sent.map(({ path }) => path)).toEqual([
    '/openai/deployments?api-version=2023-03-15-preview',
    '/openai/deployments?api-version=2023-03-15-preview',
    '/openai/v1/models',
  ])
})
