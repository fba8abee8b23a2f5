// Real error bodies of services with their statuses: each of the four SDKs throws its own class for the same error,
// streamed or not, whatever the service's dialect.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import type { ErrorCode } from '@trivium/protocol/canonical/error.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { ERROR_ROWS } from '@trivium/protocol/fixtures/error-rows.ts'
import OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'

/** `words`: what the caller sees of the message, where the request is at fault. */
type Row = { status: number; body: unknown; code: ErrorCode; words?: string }
const google = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, details },
})
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' })

const ROWS: Record<TextDialectId, Record<string, Row>> = {
  chat: {
    'an unknown role': {
      status: 400,
      code: 'bad_request',
      words: "'crew' is not one of ['system', 'user']",
      body: {
        error: {
          message: "'crew' is not one of ['system', 'user']",
          type: 'invalid_request_error',
          param: 'messages.[0].role',
          code: 'invalid_value',
        },
      },
    },
    'a filtered prompt': {
      status: 400,
      code: 'content_policy_violation',
      body: {
        error: {
          message: 'The prompt was filtered.',
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { hate: { filtered: true } } },
        },
      },
    },
    'a code that is a status in words': {
      status: 429,
      code: 'rate_limit_exceeded',
      body: { error: { code: '429', message: 'Requests have exceeded the rate limit.' } },
    },
    'a validator’s list': {
      status: 422,
      code: 'bad_request',
      words: 'Input should be less than or equal to 1.5',
      body: {
        detail: [
          {
            type: 'less_than_equal',
            loc: ['body', 'temperature'],
            msg: 'Input should be less than or equal to 1.5',
            input: 3,
          },
        ],
      },
    },
    'a list within the message': {
      status: 422,
      code: 'bad_request',
      words: 'Extra inputs are not permitted',
      body: {
        object: 'error',
        message: { detail: [{ loc: ['body', 'x'], msg: 'Extra inputs are not permitted' }] },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
    'a flat error': {
      status: 400,
      code: 'context_length_exceeded',
      body: {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    },
    'an error that is a text': {
      status: 400,
      code: 'upstream_auth_error',
      body: { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: pi***er.' },
    },
    'an error of a provider behind': {
      status: 502,
      code: 'upstream_error',
      body: {
        error: { code: 502, message: 'Provider returned error', metadata: { provider_name: 'Pier', raw: 'x' } },
        user_id: 'user_1',
      },
    },
    'no money': {
      status: 402,
      code: 'upstream_auth_error',
      body: {
        error: { message: 'Insufficient Balance', type: 'unknown_error', param: null, code: 'invalid_request_error' },
      },
    },
    'an unknown model': {
      status: 404,
      code: 'upstream_model_not_found',
      body: {
        error: {
          message: 'model "harbour" not found, try pulling it first',
          type: 'api_error',
          param: null,
          code: null,
        },
      },
    },
    'an overload': {
      status: 503,
      code: 'service_unavailable',
      body: { error: { message: 'Service is too busy.', type: 'service_unavailable_error' } },
    },
    'a page of a proxy': {
      status: 504,
      code: 'upstream_timeout',
      body: '<html><head><title>504 Gateway Time-out</title></head></html>',
    },
  },
  responses: {
    'a parameter that is not supported': {
      status: 400,
      code: 'unsupported_parameter',
      body: {
        error: {
          message: "Unsupported parameter: 'verbosity' is not supported with this model.",
          type: 'invalid_request_error',
          param: 'verbosity',
          code: 'unsupported_parameter',
        },
      },
    },
    'a limit of tokens': {
      status: 429,
      code: 'rate_limit_exceeded',
      body: {
        error: {
          message: 'Rate limit reached for harbour on tokens per min (TPM).',
          type: 'tokens',
          param: null,
          code: 'rate_limit_exceeded',
        },
      },
    },
    'an empty account': {
      status: 429,
      code: 'upstream_auth_error',
      body: {
        error: {
          message: 'You exceeded your current quota.',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      },
    },
    'a failure': {
      status: 500,
      code: 'upstream_error',
      body: { error: { message: 'The server had an error.', type: 'server_error', param: null, code: null } },
    },
    'a key of another country': {
      status: 403,
      code: 'upstream_auth_error',
      body: {
        error: {
          message: 'Country, region, or territory not supported',
          type: 'request_forbidden',
          param: null,
          code: 'unsupported_country_region_territory',
        },
      },
    },
  },
  messages: {
    'a field out of range': {
      status: 400,
      code: 'bad_request',
      words: 'messages.0: user messages must have non-empty content',
      body: anthropic('invalid_request_error', 'messages.0: user messages must have non-empty content'),
    },
    'too long a prompt': {
      status: 400,
      code: 'context_length_exceeded',
      body: anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    },
    'a wrong key': {
      status: 401,
      code: 'upstream_auth_error',
      body: anthropic('authentication_error', 'invalid x-api-key'),
    },
    'too large a body': {
      status: 413,
      code: 'request_too_large',
      body: anthropic('request_too_large', 'Request exceeds the maximum size'),
    },
    'a limit': {
      status: 429,
      code: 'rate_limit_exceeded',
      body: anthropic('rate_limit_error', 'This request would exceed your rate limit'),
    },
    'an overload': { status: 529, code: 'service_unavailable', body: anthropic('overloaded_error', 'Overloaded') },
    'words of a cloud': {
      status: 400,
      code: 'bad_request',
      words: 'max_tokens: Field required',
      body: { message: 'max_tokens: Field required' },
    },
    'a compatible service': {
      status: 400,
      code: 'bad_request',
      words: 'thinking is not available',
      body: {
        error: {
          message: 'thinking is not available',
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_request_error',
        },
      },
    },
    'a code and a msg': {
      status: 500,
      code: 'upstream_error',
      body: { code: 500, msg: '404 NOT_FOUND', success: false },
    },
  },
  'generate-content': {
    'a field that is not there': {
      status: 400,
      code: 'bad_request',
      words: 'Invalid JSON payload received.',
      body: google(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.', [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'contents', description: 'x' }],
        },
      ]),
    },
    'a key that is not valid': {
      status: 400,
      code: 'upstream_auth_error',
      body: google(400, 'INVALID_ARGUMENT', 'API key not valid.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
      ]),
    },
    'a region': {
      status: 400,
      code: 'upstream_auth_error',
      body: google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    },
    'a quota': {
      status: 429,
      code: 'rate_limit_exceeded',
      body: google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
      ]),
    },
    'a list': {
      status: 503,
      code: 'service_unavailable',
      body: [google(503, 'UNAVAILABLE', 'The model is overloaded.')],
    },
    'too long a prompt': {
      status: 400,
      code: 'context_length_exceeded',
      body: google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      ),
    },
    'a failure': {
      status: 500,
      code: 'upstream_error',
      body: google(500, 'INTERNAL', 'An internal error has occurred.'),
    },
    'a deadline': {
      status: 504,
      code: 'upstream_timeout',
      body: google(504, 'DEADLINE_EXCEEDED', 'Deadline expired.'),
    },
  },
}

const ALL = Object.entries(ROWS).flatMap(([dialect, rows]) =>
  Object.entries(rows).map(([name, row]) => [dialect, name, row] as const),
)

const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const [, number] = /Row <<(\d+)>>/.exec(await request.text()) ?? []
    const row = ALL[Number(number)]?.[2]
    if (row === undefined) return new Response('there is no such row', { status: 418 })
    const isText = typeof row.body === 'string'
    return new Response(isText ? String(row.body) : JSON.stringify(row.body), {
      status: row.status,
      headers: { 'content-type': isText ? 'text/html' : 'application/json' },
    })
  },
})

let gateway: Gateway
let key: string
beforeAll(async () => {
  gateway = await startGateway({ config: configOfDialects(`http://127.0.0.1:${upstream.port}`, 'inner-name') })
  key = (await newKey(gateway, '1000')).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop(true)
})

type Ask = { model: string; prompt: string; stream: boolean }
const openai = () => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const ask = ({ model, prompt, stream }: Ask) => ({
  model,
  stream,
  messages: [{ role: 'user' as const, content: prompt }],
})

const CLIENTS: Record<TextDialectId, (ask: Ask) => PromiseLike<unknown>> = {
  chat: (asked) => openai().chat.completions.create(ask(asked)),
  responses: ({ model, prompt, stream }) => openai().responses.create({ model, stream, input: prompt }),
  messages: (asked) =>
    new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 }).messages.create({
      ...ask(asked),
      max_tokens: 99,
    }),
  'generate-content': ({ model, prompt, stream }) => {
    const { models } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } })
    const body = { model, contents: prompt }
    return stream ? models.generateContentStream(body) : models.generateContent(body)
  },
}

/** The class that an SDK throws for this status. */
function classOf(client: TextDialectId, status: number): unknown {
  if (client === 'generate-content') return ApiError
  const { APIError } = client === 'messages' ? Anthropic : OpenAI
  return APIError.generate(status, {}, '', new Headers()).constructor
}

async function thrownBy(call: () => PromiseLike<unknown>): Promise<Error & { status?: number }> {
  try {
    await call()
  } catch (thrown) {
    return thrown as Error
  }
  throw new Error('the SDK did not throw')
}

describe.each(ALL.map((row, number) => [...row, number] as const))('%s, %s', (dialect, _, row, number) => {
  test.each(Object.keys(CLIENTS) as TextDialectId[])('as a %s client', async (client) => {
    // One dialect has its own status for an overloaded upstream of the same dialect.
    const status = client === 'messages' && row.status === 529 ? 529 : ERROR_ROWS[row.code].status
    for (const stream of [false, true]) {
      const asked = { model: `over-${dialect}`, prompt: `Row <<${number}>>`, stream }
      const thrown = await thrownBy(() => CLIENTS[client](asked))
      expect(thrown.constructor).toBe(classOf(client, status) as never)
      expect(thrown.status).toBe(status)
      if (row.words !== undefined) expect(thrown.message).toContain(row.words)
    }
  })
})
