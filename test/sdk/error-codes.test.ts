// Every error code as the official SDKs report it.

import { afterAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import type { ErrorCode, ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { dialectOfPath } from '@trivium/protocol/dialect-of-path.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { ERROR_CODES, ERROR_ROWS } from '@trivium/protocol/fixtures/error-rows.ts'
import { formatSse } from '@trivium/protocol/framing/sse.ts'
import OpenAI from 'openai'

const REQUEST = 'req_0123'

/** The next response of the server, and the number of requests. */
let answer: ErrorInfo = { code: 'internal_error', message: '' }
let begin: Partial<Record<DialectId, string>> = {}
let asked = 0

const server = Bun.serve({
  port: 0,
  fetch(request) {
    asked += 1
    const id = dialectOfPath(new URL(request.url).pathname, request.headers)
    const begun = begin[id]
    if (begun !== undefined) {
      const text = begun + DIALECTS[id].encodeStreamError(answer, REQUEST)
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const { status, body, headers } = DIALECTS[id].encodeError(answer, REQUEST)
    return new Response(JSON.stringify(body), { status, headers })
  },
})
afterAll(() => server.stop(true))

const base = `http://127.0.0.1:${server.port}`
const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${base}/v1`, maxRetries: 0 })
const anthropic = new Anthropic({ apiKey: 'sk-test', baseURL: base, maxRetries: 0 })
const genai = new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: base } })

const prompt = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
const CALLS = {
  chat: (client: OpenAI) => client.chat.completions.create(prompt),
  'chat, streamed': (client: OpenAI) => client.chat.completions.create({ ...prompt, stream: true }),
  responses: (client: OpenAI) => client.responses.create({ model: 'm', input: 'hi' }),
  images: (client: OpenAI) => client.images.generate({ model: 'm', prompt: 'a cat' }),
}

async function thrownBy(call: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await call()
  } catch (thrown) {
    return thrown
  }
  throw new Error('the SDK did not throw')
}

async function collect<T>(stream: AsyncIterable<T>, into: T[]): Promise<void> {
  for await (const item of stream) into.push(item)
}

function failWith(code: ErrorCode): void {
  answer = { code, message: `Because of ${code}.`, param: 'model', allow: 'POST' }
  begin = {}
  asked = 0
}

type ErrorClass = new (...args: never[]) => Error

// These statuses have their own error class; the rest is a plain APIError.
const OPENAI_CLASSES: Record<number, ErrorClass> = {
  400: OpenAI.BadRequestError,
  401: OpenAI.AuthenticationError,
  403: OpenAI.PermissionDeniedError,
  404: OpenAI.NotFoundError,
  409: OpenAI.ConflictError,
  422: OpenAI.UnprocessableEntityError,
  429: OpenAI.RateLimitError,
  500: OpenAI.InternalServerError,
  502: OpenAI.InternalServerError,
  503: OpenAI.InternalServerError,
  504: OpenAI.InternalServerError,
}

const ANTHROPIC_CLASSES: Record<number, string> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  408: 'RequestTimeoutError',
  409: 'ConflictError',
  413: 'ContentTooLargeError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
  499: 'ClientClosedRequestError',
  500: 'InternalServerError',
  502: 'InternalServerError',
  503: 'ServiceUnavailableError',
  504: 'GatewayTimeoutError',
  529: 'OverloadedError',
}

type Words = { openai: string; anthropic: string; genai: string }
const NO_WORDS: Words = { openai: '', anthropic: '', genai: '' }
const WRONG_KEY = { openai: 'Incorrect API key provided. ', anthropic: 'invalid x-api-key: ' }
/** The fields that clients act on. */
const KNOWN_WORDS: Partial<Record<ErrorCode, Words>> = {
  invalid_api_key: { ...WRONG_KEY, genai: 'API key not valid. ' },
  api_key_expired: { ...WRONG_KEY, genai: 'API key expired. ' },
  context_length_exceeded: {
    openai: "This model's maximum context length is exceeded. ",
    anthropic: 'prompt is too long: ',
    genai: 'The input token count exceeds the maximum number of tokens allowed. ',
  },
}

describe.each(ERROR_CODES.map((code) => [code]))('%s', (code) => {
  const row = ERROR_ROWS[code]

  const words = KNOWN_WORDS[code] ?? NO_WORDS

  test.each(Object.entries(CALLS))('openai, %s', async (name, call) => {
    failWith(code)
    const [type, word] = (name === 'images' ? row.images : undefined) ?? [row.type, row.code]
    const thrown = await thrownBy(() => call(openai))
    const expected = OPENAI_CLASSES[row.status] ?? OpenAI.APIError
    expect(thrown?.constructor).toBe(expected)
    expect(thrown).toMatchObject({
      status: row.status,
      code: word,
      type,
      param: 'model',
      requestID: REQUEST,
      message: `${row.status} ${words.openai}Because of ${code}.`,
    })
  })

  test('anthropic', async () => {
    failWith(code)
    const thrown = await thrownBy(() => anthropic.messages.create({ ...prompt, max_tokens: 5 }))
    expect(thrown).toBeInstanceOf(Anthropic.APIError)
    expect(thrown?.constructor.name).toBe(ANTHROPIC_CLASSES[row.status] ?? 'APIError')
    expect(thrown).toMatchObject({
      status: row.status,
      type: row.messages,
      requestID: REQUEST,
      error: { type: 'error', error: { message: `model: ${words.anthropic}Because of ${code}.` }, request_id: REQUEST },
    })
  })

  test('genai', async () => {
    failWith(code)
    const thrown = await thrownBy(() => genai.models.generateContent({ model: 'm', contents: 'hi' }))
    expect(thrown).toBeInstanceOf(ApiError)
    if (!(thrown instanceof ApiError)) return
    expect(thrown.status).toBe(row.status)
    expect(JSON.parse(thrown.message)).toMatchObject({
      error: { code: row.status, status: row.generateContent, message: `${words.genai}Because of ${code}.` },
    })
  })
})

test('anthropic has a class for the 529 of an overloaded upstream', async () => {
  failWith('service_unavailable')
  answer.overloaded = true
  const thrown = await thrownBy(() => anthropic.messages.create({ ...prompt, max_tokens: 5 }))
  expect(thrown?.constructor.name).toBe('OverloadedError')
  expect(thrown).toMatchObject({ status: 529, type: 'overloaded_error' })
})

describe('errors that are not retried', () => {
  const FINAL: ErrorCode[] = [
    'bad_request',
    'invalid_api_key',
    'insufficient_balance',
    'key_quota_exceeded',
    'account_quota_exceeded',
    'model_not_allowed',
    'model_not_found',
    'method_not_allowed',
    'request_too_large',
    'upstream_auth_error',
    'upstream_model_not_found',
    'upstream_unknown_url',
    'upstream_no_credit',
  ]
  test.each(FINAL.map((code) => [code]))('%s', async (code) => {
    failWith(code)
    await thrownBy(() => openai.chat.completions.create(prompt, { maxRetries: 2 }))
    expect(asked).toBe(1)
    await thrownBy(() => anthropic.messages.create({ ...prompt, max_tokens: 5 }, { maxRetries: 2 }))
    expect(asked).toBe(2)
  })
})

describe('after the first output', () => {
  function failAfter(id: DialectId, begun: string): void {
    failWith('upstream_error')
    begin = { [id]: begun }
  }

  test('chat', async () => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
    failAfter('chat', formatSse(JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content: 'Hel' } }] })))
    const seen: OpenAI.ChatCompletionChunk[] = []
    const stream = await openai.chat.completions.create({ ...prompt, stream: true })
    const thrown = await thrownBy(() => collect(stream, seen))
    expect(seen.map(({ choices }) => choices[0]?.delta.content)).toEqual(['Hel'])
    expect(thrown).toBeInstanceOf(OpenAI.APIError)
    expect(thrown).toMatchObject({ type: 'server_error', code: 'upstream_error' })
  })

  test('responses', async () => {
    const response = { id: 'resp_1', object: 'response', status: 'in_progress', output: [] }
    const created = { type: 'response.created', sequence_number: 0, response }
    failAfter('responses', formatSse(JSON.stringify(created), created.type))
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    const stream = await openai.responses.create({ model: 'm', input: 'hi', stream: true })
    const thrown = await thrownBy(() => collect(stream, seen))
    expect(seen.map(({ type }) => type)).toEqual(['response.created', 'response.failed'])
    expect(thrown).toBeInstanceOf(OpenAI.APIError)
    expect(thrown).toMatchObject({ type: 'server_error', code: 'upstream_error' })

    const helper = openai.responses.stream({ model: 'm', input: 'hi' })
    expect(await thrownBy(() => helper.finalResponse())).toBeInstanceOf(OpenAI.APIError)
  })

  test('images', async () => {
    const type = 'image_generation.partial_image'
    failAfter('images', formatSse(JSON.stringify({ type, b64_json: 'AAAA', partial_image_index: 0 }), type))
    const seen: OpenAI.ImageGenStreamEvent[] = []
    const stream = await openai.images.generate({ model: 'm', prompt: 'a cat', stream: true })
    const thrown = await thrownBy(() => collect(stream, seen))
    expect(seen.map((event) => event.type)).toEqual([type])
    expect(thrown).toBeInstanceOf(OpenAI.APIError)
    expect(thrown).toMatchObject({ type: 'server_error', code: 'upstream_error' })
  })

  test('messages', async () => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} }
    const start = { type: 'message_start', message }
    failAfter('messages', formatSse(JSON.stringify(start), start.type))
    const seen: Anthropic.MessageStreamEvent[] = []
    const stream = await anthropic.messages.create({ ...prompt, max_tokens: 5, stream: true })
    const thrown = await thrownBy(() => collect(stream, seen))
    expect(seen.map(({ type }) => type)).toEqual(['message_start'])
    expect(thrown).toBeInstanceOf(Anthropic.APIError)
    expect(thrown).toMatchObject({ type: 'api_error' })

    const helper = anthropic.messages.stream({ ...prompt, max_tokens: 5 })
    expect(await thrownBy(() => helper.finalMessage())).toBeInstanceOf(Anthropic.APIError)
  })

  test('generate-content', async () => {
    const chunk = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] }, index: 0 }] }
    failAfter('generate-content', formatSse(JSON.stringify(chunk)))
    const seen: { text: string | undefined }[] = []
    const stream = await genai.models.generateContentStream({ model: 'm', contents: 'hi' })
    const thrown = await thrownBy(() => collect(stream, seen))
    expect(seen.map(({ text }) => text)).toEqual(['Hel'])
    expect(thrown).toBeInstanceOf(ApiError)
    expect(thrown).toMatchObject({ status: 502 })
  })
})
