import { describe, expect, test } from 'bun:test'
import type { ErrorCode } from '../../../canonical/error.ts'
import { DIALECTS, type DialectId } from '../../index.ts'

const DIALECT_IDS = Object.keys(DIALECTS) as DialectId[]
const chat = (code: string | null, type = 'invalid_request_error', message = 'No.') => ({
  error: { message, type, param: null, code },
})
const messages = (type: string, message = 'No.') => ({ type: 'error', error: { type, message } })
const google = (code: number, status: string, details: object[] = [], message = 'No.') => ({
  error: { code, message, status, details },
})
const video = (code: string) => ({ error: { code, message: 'No.', param: '', type: 'X' } })

type Case = [dialect: DialectId, status: number, body: unknown, expected: ErrorCode]
const CASES: Case[] = [
  ['chat', 400, chat(null), 'bad_request'],
  ['chat', 422, chat(null), 'bad_request'],
  ['chat', 400, chat('context_length_exceeded'), 'context_length_exceeded'],
  ['chat', 400, chat(null, 'x', "This model's maximum context length is 8192 tokens."), 'context_length_exceeded'],
  ['chat', 400, chat('unsupported_parameter'), 'unsupported_parameter'],
  ['images', 400, chat('moderation_blocked', 'image_generation_user_error'), 'content_policy_violation'],
  ['chat', 401, chat('invalid_api_key'), 'upstream_auth_error'],
  ['chat', 400, { code: 'invalid argument', error: 'Incorrect API key provided: ab***yz.' }, 'upstream_auth_error'],
  ['chat', 402, chat(null), 'upstream_no_credit'],
  ['chat', 403, chat(null), 'upstream_auth_error'],
  ['chat', 404, chat('model_not_found'), 'upstream_model_not_found'],
  ['chat', 400, chat('model_not_found'), 'upstream_model_not_found'],
  ['chat', 404, '404 page not found', 'upstream_unknown_url'],
  ['chat', 404, '', 'upstream_unknown_url'],
  ['chat', 404, '<html><h1>Not Found</h1></html>', 'upstream_unknown_url'],
  ['chat', 404, { detail: 'Not Found' }, 'upstream_unknown_url'],
  ['chat', 404, { error: { code: '404', message: 'Resource not found' } }, 'upstream_unknown_url'],
  ['chat', 404, chat('unknown_url', 'x', 'Invalid URL (POST /openai/v1/chat/completions)'), 'upstream_unknown_url'],
  ['chat', 404, { error: 'Cannot POST /chat/completions' }, 'upstream_unknown_url'],
  ['chat', 405, { detail: 'Method Not Allowed' }, 'upstream_unknown_url'],
  ['chat', 404, { error: { code: 404, message: 'No endpoints found that support image input' } }, 'upstream_error'],
  ['chat', 404, { error: { code: 404, message: 'No endpoints found for org/x-1.' } }, 'upstream_error'],
  ['responses', 404, { error: { ...chat('model_not_found').error, param: 'model' } }, 'upstream_model_not_found'],
  [
    'responses',
    404,
    { error: { ...chat(null).error, param: 'input', message: "Item 'rs_1' not found." } },
    'bad_request',
  ],
  ['chat', 408, chat(null), 'upstream_timeout'],
  ['chat', 413, '<html>413</html>', 'request_too_large'],
  ['chat', 429, chat('rate_limit_exceeded', 'tokens'), 'rate_limit_exceeded'],
  ['chat', 429, chat('insufficient_quota', 'insufficient_quota'), 'upstream_no_credit'],
  ['chat', 400, chat('billing_hard_limit_reached'), 'upstream_no_credit'],
  ['chat', 500, chat(null, 'server_error'), 'upstream_error'],
  ['chat', 502, '<html>Bad Gateway</html>', 'upstream_error'],
  ['chat', 503, chat(null), 'service_unavailable'],
  ['chat', 504, '', 'upstream_timeout'],
  ['chat', 302, '', 'upstream_error'],
  ['chat', 418, chat(null), 'upstream_error'],
  ['chat', 200, chat('rate_limit_exceeded', 'requests'), 'rate_limit_exceeded'],
  ['chat', 200, chat(null, 'server_error'), 'upstream_error'],
  ['chat', 200, { error: { message: 'busy', code: 503 } }, 'service_unavailable'],
  ['chat', 200, { error: { message: 'busy', code: '429' } }, 'rate_limit_exceeded'],
  [
    'responses',
    200,
    { type: 'error', code: 'rate_limit_exceeded', message: 'No.', param: null },
    'rate_limit_exceeded',
  ],
  [
    'responses',
    200,
    { type: 'error', error: { code: 'slow_down', type: 'server_error', message: 'x' } },
    'service_unavailable',
  ],
  [
    'responses',
    200,
    { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'x' } } },
    'upstream_error',
  ],
  ['messages', 400, messages('invalid_request_error'), 'bad_request'],
  [
    'messages',
    400,
    messages('invalid_request_error', 'Your credit balance is too low to access the API.'),
    'upstream_no_credit',
  ],
  [
    'messages',
    400,
    messages('invalid_request_error', 'Output blocked by content filtering policy'),
    'content_policy_violation',
  ],
  ['messages', 404, messages('not_found_error', 'Not Found'), 'upstream_unknown_url'],
  [
    'messages',
    400,
    messages('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'context_length_exceeded',
  ],
  ['messages', 401, messages('authentication_error'), 'upstream_auth_error'],
  ['messages', 403, messages('permission_error'), 'upstream_auth_error'],
  ['messages', 403, messages('billing_error'), 'upstream_no_credit'],
  ['messages', 404, messages('not_found_error', 'model: claude-x'), 'upstream_model_not_found'],
  ['messages', 413, messages('request_too_large'), 'request_too_large'],
  ['messages', 429, messages('rate_limit_error'), 'rate_limit_exceeded'],
  ['messages', 500, messages('api_error'), 'upstream_error'],
  ['messages', 529, messages('overloaded_error'), 'service_unavailable'],
  ['messages', 200, messages('overloaded_error'), 'service_unavailable'],
  ['messages', 200, messages('timeout_error'), 'upstream_timeout'],
  ['messages', 200, messages('rate_limit_error'), 'rate_limit_exceeded'],
  ['messages', 200, messages('api_error'), 'upstream_error'],
  ['messages', 200, messages('invalid_request_error'), 'bad_request'],
  ['generate-content', 400, google(400, 'INVALID_ARGUMENT'), 'bad_request'],
  ['generate-content', 400, google(400, 'INVALID_ARGUMENT', [{ reason: 'API_KEY_INVALID' }]), 'upstream_auth_error'],
  [
    'generate-content',
    400,
    google(400, 'INVALID_ARGUMENT', [], 'The input token count (9) exceeds the maximum number of tokens allowed (8).'),
    'context_length_exceeded',
  ],
  ['generate-content', 400, google(400, 'FAILED_PRECONDITION'), 'upstream_auth_error'],
  ['generate-content', 403, google(403, 'PERMISSION_DENIED'), 'upstream_auth_error'],
  ['generate-content', 404, google(404, 'NOT_FOUND', [], 'Not found'), 'upstream_unknown_url'],
  ['generate-content', 404, '<!DOCTYPE html><title>Error 404</title>', 'upstream_unknown_url'],
  ['generate-content', 404, google(404, 'NOT_FOUND', [], 'models/x is not found.'), 'upstream_model_not_found'],
  [
    'generate-content',
    429,
    google(429, 'RESOURCE_EXHAUSTED', [], 'Your prepayment credits are depleted.'),
    'upstream_no_credit',
  ],
  ['generate-content', 429, google(429, 'RESOURCE_EXHAUSTED'), 'rate_limit_exceeded'],
  ['generate-content', 500, google(500, 'INTERNAL'), 'upstream_error'],
  ['generate-content', 503, google(503, 'UNAVAILABLE'), 'service_unavailable'],
  ['generate-content', 504, google(504, 'DEADLINE_EXCEEDED'), 'upstream_timeout'],
  ['generate-content', 200, google(503, 'UNAVAILABLE'), 'service_unavailable'],
  ['generate-content', 200, [google(429, 'RESOURCE_EXHAUSTED')], 'rate_limit_exceeded'],
  ['generate-content', 200, { error: { status: 'PERMISSION_DENIED' } }, 'upstream_auth_error'],
  ['video-tasks', 400, video('InvalidParameter.duration'), 'bad_request'],
  ['video-tasks', 400, video('MissingParameter'), 'bad_request'],
  ['video-tasks', 400, video('InputImageSensitiveContentDetected'), 'content_policy_violation'],
  ['video-tasks', 401, video('AuthenticationError'), 'upstream_auth_error'],
  ['video-tasks', 403, video('AccountOverdueError'), 'upstream_no_credit'],
  ['video-tasks', 403, video('OperationDenied.InvalidState'), 'conflict'],
  ['video-tasks', 403, video('OperationDenied.ServiceNotOpen'), 'upstream_auth_error'],
  ['video-tasks', 404, video('InvalidEndpointOrModel.NotFound'), 'upstream_model_not_found'],
  ['video-tasks', 404, video('NotFound.task_id'), 'not_found'],
  ['video-tasks', 429, video('RateLimitExceeded.EndpointRPMExceeded'), 'rate_limit_exceeded'],
  ['video-tasks', 429, video('QuotaExceeded'), 'upstream_no_credit'],
  ['video-tasks', 429, video('ServerOverloaded'), 'service_unavailable'],
  ['video-tasks', 200, video('OutputVideoSensitiveContentDetected'), 'content_policy_violation'],
]

test.each(CASES)('%s %i %j is %s', (id, status, body, expected) => {
  expect(DIALECTS[id].decodeError(status, body).code).toBe(expected)
})

// The message alone would not say which field is meant.
test.each([
  ['FastAPI', { detail: [{ type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs.' }] }, 'store'],
  [
    'Mistral',
    {
      object: 'error',
      message: { detail: [{ loc: ['body', 'stream_options', 'include_usage'], msg: 'Extra inputs.' }] },
    },
    'stream_options.include_usage',
  ],
  ['numbers', { detail: [{ loc: ['body', 'messages', 0, 'name'], msg: 'Extra inputs.' }] }, 'messages.0.name'],
])('the place that a validator names is the param: %s', (_, body, param) => {
  expect(DIALECTS.chat.decodeError(422, body)).toEqual({ code: 'bad_request', message: 'Extra inputs.', param })
})

const ODD_BODIES: unknown[] = [
  { detail: [{ loc: 'body', msg: 'x' }] },
  { message: { detail: [{ loc: [{}, null], msg: 'x' }] } },
  undefined,
  null,
  0,
  true,
  '',
  'plain words',
  '<!doctype html><title>502</title>',
  [],
  [null],
  {},
  { error: null },
  { error: [] },
  { error: { message: 5, code: {}, type: ['x'], param: 7, details: 'x', status: null } },
  { error: { code: '__proto__', type: 'constructor', status: 'toString', message: 'x' } },
  { detail: [{ loc: ['body', 'n'], msg: 'too large' }] },
  { response: { error: 'x' } },
]

describe('whatever an upstream sends', () => {
  const NEVER: ErrorCode[] = [
    'invalid_api_key',
    'api_key_expired',
    'insufficient_balance',
    'key_quota_exceeded',
    'account_quota_exceeded',
    'model_not_allowed',
    'account_disabled',
    'unknown_url',
    'model_not_found',
    'method_not_allowed',
  ]

  test('the caller’s key, money and address are never blamed, and there is always a message', () => {
    for (const id of DIALECT_IDS) {
      for (const body of ODD_BODIES) {
        for (let status = 200; status < 600; status += 1) {
          const info = DIALECTS[id].decodeError(status, body)
          expect(NEVER).not.toContain(info.code)
          expect(info.message).not.toBe('')
        }
      }
    }
  })

  test('our own errors, sent by another gateway of this kind, do not blame its caller either', () => {
    for (const id of DIALECT_IDS) {
      for (const code of NEVER) {
        const { status, body } = DIALECTS[id].encodeError({ code, message: 'x' }, 'req_1')
        expect(NEVER).not.toContain(DIALECTS[id].decodeError(status, body).code)
      }
    }
  })

  test('a 400 that is not JSON comes from an intermediary', () => {
    expect(DIALECTS.chat.decodeError(400, '<html>').code).toBe('upstream_error')
    expect(DIALECTS.chat.decodeError(400, {}).code).toBe('bad_request')
  })
})

describe('the upstream’s own words', () => {
  const secret = 'sk-proj-abcdef123456 at https://llm.example.com for org-abcdef123'

  test('reach the caller masked where the request is wrong, with the field', () => {
    const body = { error: { message: `Bad: ${secret}`, type: 'x', param: 'tools[0].name', code: null } }
    const info = DIALECTS.chat.decodeError(400, body)
    expect(info).toEqual({
      code: 'bad_request',
      message: 'Bad: [key] at https://[host] for [organisation]',
      param: 'tools[0].name',
    })
  })

  test.each([401, 403, 404, 429, 500, 503, 504, 413])('stay in our log for %i', (status) => {
    for (const id of DIALECT_IDS) {
      const info = DIALECTS[id].decodeError(status, { error: { message: `Look: ${secret}`, type: 'x', param: 'p' } })
      expect(info.message).not.toContain('Look')
      expect(info).not.toHaveProperty('param')
      expect(info.detail).toContain('Look: [key] at https://[host]')
    }
  })

  test('of a proxy are kept to 200 characters', () => {
    const info = DIALECTS.messages.decodeError(502, `<html>${'x'.repeat(5_000)}`)
    expect(info.detail).toStartWith('502 <html>xxx')
    expect(info.detail?.length).toBe(204)
  })

  test.each([
    [{ error: 'model is loading' }, 'model is loading'],
    [{ message: 'flat', type: 'x' }, 'flat'],
    [{ detail: 'said so' }, 'said so'],
    [{ detail: [{ msg: 'n too large' }] }, 'n too large'],
    [[{ error: { message: 'in a list' } }], 'in a list'],
    [{ object: 'error', message: { detail: [{ loc: ['body', 'x'], msg: 'extra input' }] } }, 'extra input'],
    [{ code: 400, msg: 'wrong field', success: false }, 'wrong field'],
    [{ errors: [{ message: 'first of two' }, { message: 'second' }] }, 'first of two'],
    [{ error: { detail: 'within' } }, 'within'],
    [{ base_resp: { status_code: 2013, status_msg: 'invalid params' } }, 'invalid params'],
  ])('are found in %j', (body, message) => {
    expect(DIALECTS.chat.decodeError(400, body).message).toBe(message)
  })
})

test('a recorded 429 with its delay', () => {
  const body = {
    error: {
      code: 429,
      message: 'You exceeded your current quota, please check your plan.',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'PerMinute-FreeTier' }] },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
      ],
    },
  }
  const info = DIALECTS['generate-content'].decodeError(429, body)
  expect(info).toMatchObject({ code: 'rate_limit_exceeded', retryAfter: 35 })
  expect(info.message).not.toContain('plan')
})

test('generate-content gives the violated field', () => {
  const details = [{ fieldViolations: [{ field: 'contents', description: 'x' }] }]
  expect(DIALECTS['generate-content'].decodeError(400, google(400, 'INVALID_ARGUMENT', details)).param).toBe('contents')
})

test('the code of what is wrong with a request is kept, unless clients know another one for it', () => {
  const codeOf = (id: 'chat' | 'responses' | 'images', body: object) => DIALECTS[id].decodeError(400, body).vendorCode
  for (const id of ['chat', 'responses', 'images'] as const) {
    expect(codeOf(id, chat('string_above_max_length'))).toBe('string_above_max_length')
    expect(codeOf(id, chat('unsupported_value'))).toBe('unsupported_value')
    expect(codeOf(id, chat('exceed_context_size_error'))).toBeUndefined()
    expect(codeOf(id, chat('a code <b>'))).toBeUndefined()
    expect(codeOf(id, { error: { message: 'x', code: 400 } })).toBeUndefined()
  }
})

test('every violated field keeps its description', () => {
  const fieldViolations = [
    { field: 'contents', description: 'one' },
    { description: 'two, sk-abcdefghijklmnopqrstuvwx' },
  ]
  const info = DIALECTS['generate-content'].decodeError(400, google(400, 'INVALID_ARGUMENT', [{ fieldViolations }]))
  expect(info.violations?.[0]).toEqual({ field: 'contents', description: 'one' })
  expect(info.violations?.[1]?.description).toStartWith('two, ')
  expect(JSON.stringify(info)).not.toContain('abcdefghijklmnop')
})

test('only a 529 of the messages dialect is passed on as such', () => {
  expect(DIALECTS.messages.decodeError(529, messages('overloaded_error')).overloaded).toBe(true)
  expect(DIALECTS.messages.decodeError(503, messages('overloaded_error'))).not.toHaveProperty('overloaded')
  expect(DIALECTS.chat.decodeError(529, chat(null))).not.toHaveProperty('overloaded')
})

const ODD = { toString: null, valueOf: null }

test.each<[body: unknown, billed: true | undefined]>([
  [{ error: {}, usage: { prompt_tokens: 10 } }, true],
  [{ error: { usage: { prompt_tokens: 10 } } }, true],
  [{ type: 'response.failed', response: { error: {}, usage: { input_tokens: 10 } } }, true],
  [{ error: {}, usageMetadata: { promptTokenCount: '10' } }, true],
  [{ error: {}, usage: { prompt_tokens: 0, completion_tokens: 0, is_byok: true } }, undefined],
  [{ error: { code: ODD }, code: ODD, usage: { prompt_tokens: ODD } }, undefined],
  [{ error: {}, usage: null }, undefined],
  [{ error: {} }, undefined],
  ['<html>', undefined],
  [undefined, undefined],
])('an error that reports usage: %j', (body, billed) => {
  for (const id of DIALECT_IDS) expect(DIALECTS[id].decodeError(503, body).billed).toBe(billed)
})
