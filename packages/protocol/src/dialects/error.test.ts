import { describe, expect, test } from 'bun:test'
import { ERROR_CODES, ERROR_ROWS } from '../../fixtures/error-rows.ts'
import type { ErrorInfo, RenderedError } from '../canonical/error.ts'
import { openSseParser } from '../framing/sse.ts'
import { encodeArrayStreamError } from './generate-content/error.ts'
import { DIALECTS, type DialectId } from './index.ts'
import { encodeStreamError as encodeResponsesStreamError } from './responses/error.ts'

const REQUEST = 'req_42'
const DIALECT_IDS = Object.keys(DIALECTS) as DialectId[]
const CHAT_COMPATIBLE: DialectId[] = ['chat', 'responses', 'images']

const error = (info: Partial<ErrorInfo> & Pick<ErrorInfo, 'code'>): ErrorInfo => ({ message: 'It failed.', ...info })
const render = (id: DialectId, info: Partial<ErrorInfo> & Pick<ErrorInfo, 'code'>): RenderedError =>
  DIALECTS[id].encodeError(error(info), REQUEST)

test('the list names each dialect by its own id', () => {
  expect(DIALECT_IDS).toEqual(['chat', 'responses', 'messages', 'generate-content', 'images', 'video-tasks'])
  for (const id of DIALECT_IDS) expect(DIALECTS[id].id).toBe(id)
})

describe.each(ERROR_CODES.map((code) => [code]))('%s', (code) => {
  const row = ERROR_ROWS[code]
  const fieldOf: Record<string, string> = {
    model_not_found: 'model',
    previous_response_not_found: 'previous_response_id',
  }

  // Words that clients look for stand before it, if there are any.
  const itFailed = expect.stringMatching(/(?:^|[:.] )It failed\.$/)

  test.each(CHAT_COMPATIBLE.map((id) => [id]))('%s', (id) => {
    const [type, word] = (id === 'images' ? row.images : undefined) ?? [row.type, row.code]
    const rendered = render(id, { code })
    expect(rendered.status).toBe(row.status)
    expect(rendered.body).toEqual({
      error: { message: itFailed, type, param: fieldOf[code] ?? null, code: word },
    })
    expect(render(id, { code, param: 'messages[2].content' }).body).toEqual({
      error: { message: itFailed, type, param: 'messages[2].content', code: word },
    })
  })

  test('messages', () => {
    const message = code === 'model_not_found' ? 'model: It failed.' : itFailed
    const rendered = render('messages', { code })
    expect(rendered.status).toBe(row.status)
    expect(rendered.body).toEqual({ type: 'error', error: { type: row.messages, message }, request_id: REQUEST })
  })

  test('generate-content', () => {
    const rendered = render('generate-content', { code })
    expect(rendered.status).toBe(row.status)
    expect(rendered.body).toMatchObject({
      error: { code: row.status, message: itFailed, status: row.generateContent },
    })
    if (row.reason !== undefined) {
      expect(rendered.body).toMatchObject({ error: { details: [{ reason: row.reason }] } })
    }
  })

  test('video-tasks', () => {
    const [word, type] = row.video
    const param = code === 'model_not_found' ? 'model' : ''
    const rendered = render('video-tasks', { code })
    expect(rendered.status).toBe(row.status)
    expect(rendered.body).toEqual({ error: { code: word, message: `It failed. Request id: ${REQUEST}`, param, type } })
  })

  test.each(DIALECT_IDS.map((id) => [id]))('headers in %s', (id) => {
    const { headers } = render(id, { code, allow: 'GET, HEAD' })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': REQUEST,
      'request-id': REQUEST,
    })
    expect('retry-after' in headers).toBe(row.status === 429 || row.status === 503)
    expect('retry-after-ms' in headers).toBe('retry-after' in headers)
    const neverAgain =
      [401, 402, 403].includes(row.status) ||
      ['upstream_auth_error', 'upstream_model_not_found', 'upstream_unknown_url', 'upstream_no_credit'].includes(code)
    expect(headers['x-should-retry'] ?? 'absent').toBe(neverAgain ? 'false' : 'absent')
    expect(headers.allow ?? 'absent').toBe(row.status === 405 ? 'GET, HEAD' : 'absent')
  })

  test('what is only for the log is rendered nowhere', () => {
    for (const id of DIALECT_IDS) {
      const info = error({ code, detail: 'upstream-secret' })
      expect(JSON.stringify(DIALECTS[id].encodeError(info, REQUEST))).not.toContain('upstream-secret')
      expect(DIALECTS[id].encodeStreamError(info, REQUEST)).not.toContain('upstream-secret')
    }
  })
})

describe('how long to wait', () => {
  const WAITS: [given: number | undefined, told: number][] = [
    [undefined, 5],
    [7, 7],
    [0.2, 1],
    [0, 1],
    [-3, 1],
    [59.1, 60],
    [86_400, 86_400],
    [Number.POSITIVE_INFINITY, 86_400],
    [Number.NaN, 5],
  ]
  test.each(WAITS)('%p seconds become %p', (given, told) => {
    for (const code of ['rate_limit_exceeded', 'service_unavailable'] as const) {
      for (const id of DIALECT_IDS) {
        const { headers, body } = render(id, given === undefined ? { code } : { code, retryAfter: given })
        expect(headers['retry-after']).toBe(String(told))
        expect(headers['retry-after-ms']).toBe(String(told * 1000))
        if (id !== 'generate-content') continue
        expect(body).toMatchObject({ error: { details: [{ retryDelay: `${told}s` }] } })
      }
    }
  })

  test('another retryable error tells it where it is known', () => {
    expect(render('chat', { code: 'conflict', retryAfter: 3 }).headers['retry-after']).toBe('3')
    expect(render('chat', { code: 'bad_request', retryAfter: 3 }).headers).not.toHaveProperty('retry-after')
  })
})

describe('a limit of the gateway itself', () => {
  const reached = (limit: ErrorInfo['limit'], retryAfter = 12) =>
    ({ code: 'rate_limit_exceeded', retryAfter, ...(limit ? { limit } : {}) }) as const
  const at = Date.UTC(2026, 10, 15, 9, 30, 12, 250)
  const requests = { of: 'requests', limit: 60, remaining: 0, reset: { afterMs: 11_250, at } } as const
  const tokens = { of: 'tokens', limit: 1_000, remaining: 7, reset: { afterMs: 60_000, at } } as const
  const rateHeadersOf = (id: DialectId, limit: ErrorInfo['limit']) =>
    Object.fromEntries(
      Object.entries(render(id, reached(limit)).headers).filter(([name]) => name.includes('ratelimit')),
    )

  test.each(CHAT_COMPATIBLE.map((id) => [id]))('%s has its rate headers', (id) => {
    expect(rateHeadersOf(id, requests)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '12s',
    })
    expect(rateHeadersOf(id, tokens)).toEqual({
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '7',
      'x-ratelimit-reset-tokens': '1m0s',
    })
  })

  test.each([
    [0.2, '1ms'],
    [850, '850ms'],
    [1_001, '2s'],
    [59_001, '1m0s'],
    [61_000, '1m1s'],
  ])('%p milliseconds are written %p', (afterMs, written) => {
    expect(rateHeadersOf('chat', { ...requests, reset: { afterMs, at } })['x-ratelimit-reset-requests']).toBe(written)
  })

  test('messages has its own, with a moment to wait for', () => {
    expect(rateHeadersOf('messages', requests)).toEqual({
      'anthropic-ratelimit-requests-limit': '60',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-15T09:30:13Z',
    })
    expect(Object.keys(rateHeadersOf('messages', tokens))).toEqual([
      'anthropic-ratelimit-tokens-limit',
      'anthropic-ratelimit-tokens-remaining',
      'anthropic-ratelimit-tokens-reset',
    ])
  })

  test('generate-content says it in the body', () => {
    expect(rateHeadersOf('generate-content', requests)).toEqual({})
    expect(render('generate-content', reached(requests)).body).toMatchObject({
      error: { details: [{ retryDelay: '12s' }] },
    })
  })

  test('the wait is exact in milliseconds; one that is too long to sleep through is sent with the advice not to retry', () => {
    const waiting = (id: DialectId, afterMs: number) => {
      const { headers } = render(id, reached({ ...requests, reset: { afterMs, at } }, Math.ceil(afterMs / 1_000)))
      return [headers['retry-after'], headers['retry-after-ms'], headers['x-should-retry']]
    }
    for (const id of DIALECT_IDS) {
      expect(waiting(id, 11_250)).toEqual(['12', '11250', undefined])
      expect(waiting(id, 60_999)).toEqual(['61', '60999', undefined])
      expect(waiting(id, 3_600_000)).toEqual(['3600', '3600000', 'false'])
      expect(waiting(id, 1e300)).toEqual(['86400', '86400000', 'false'])
    }
  })

  test('calls at once have no such headers', () => {
    for (const id of DIALECT_IDS)
      expect(rateHeadersOf(id, { of: 'concurrent', limit: 2, remaining: 0, reset: undefined })).toEqual({})
  })

  test('what never fits is not to be tried again', () => {
    const never = reached({ ...tokens, reset: 'never' }, 60)
    for (const id of DIALECT_IDS) expect(render(id, never).headers['x-should-retry']).toBe('false')
    expect(render('generate-content', never).body).not.toHaveProperty('error.details')
    expect(render('chat', reached(requests)).headers).not.toHaveProperty('x-should-retry')
  })
})

test('messages sends 529 if an upstream of the same dialect did; other dialects do not', () => {
  const overloaded = { code: 'service_unavailable', overloaded: true } as const
  const rendered = render('messages', overloaded)
  expect(rendered.status).toBe(529)
  expect(rendered.body).toMatchObject({ error: { type: 'overloaded_error' } })
  expect(rendered.headers['retry-after']).toBe('5')
  for (const id of DIALECT_IDS.filter((each) => each !== 'messages')) expect(render(id, overloaded).status).toBe(503)
})

test('messages names the field at the beginning of the message, once', () => {
  const messageOf = (info: ErrorInfo) => DIALECTS.messages.encodeError(info, REQUEST).body
  expect(messageOf({ code: 'bad_request', message: 'must be text', param: 'messages[2].content' })).toMatchObject({
    error: { message: 'messages[2].content: must be text' },
  })
  expect(
    messageOf({ code: 'bad_request', message: 'temperature must be at most 2', param: 'temperature' }),
  ).toMatchObject({ error: { message: 'temperature must be at most 2' } })
})

test('generate-content names the field as a violation', () => {
  const { body } = render('generate-content', { code: 'bad_request', param: 'contents[0].parts' })
  expect(body).toMatchObject({
    error: { details: [{ fieldViolations: [{ field: 'contents[0].parts', description: 'It failed.' }] }] },
  })
})

describe('the end of a begun stream', () => {
  const failure = error({ code: 'upstream_error', message: 'line one\nline two' })
  const ending = (id: DialectId) => {
    const text = DIALECTS[id].encodeStreamError(failure, REQUEST)
    expect(text.endsWith('\n\n')).toBe(true)
    return openSseParser()
      .push(text)
      .map(({ event, data }) => ({ event, data: JSON.parse(data) }))
  }
  const body = { message: 'line one\nline two', type: 'server_error', param: null, code: 'upstream_error' }

  test('chat', () => {
    expect(ending('chat')).toEqual([{ event: undefined, data: { error: body } }])
  })

  test('images', () => {
    expect(ending('images')).toEqual([{ event: 'error', data: { error: body } }])
  })

  test('messages', () => {
    const data = { type: 'error', error: { type: 'api_error', message: body.message }, request_id: REQUEST }
    expect(ending('messages')).toEqual([{ event: 'error', data }])
  })

  test('generate-content: one data line and nothing else', () => {
    const text = DIALECTS['generate-content'].encodeStreamError(failure, REQUEST)
    expect(text).toMatch(/^data: \{"error":\{"code":502,[^\n]*\}\n\n$/)
  })

  test.each([
    [true, `[{"a":1}`],
    [false, ''],
  ])('generate-content as an array, elements sent: %p', (sent, before) => {
    const elements: unknown = JSON.parse(before + encodeArrayStreamError(failure, sent))
    expect(elements).toMatchObject([...(sent ? [{ a: 1 }] : []), { error: { code: 502, status: 'UNAVAILABLE' } }])
  })

  test('responses: response.failed, then an error in both forms, numbered on', () => {
    const begun = { response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [1] }, nextSequenceNumber: 9 }
    const text = encodeResponsesStreamError(failure, REQUEST, begun)
    const [failed, thrown, ...rest] = openSseParser().push(text)
    expect(rest).toEqual([])
    expect(failed?.event).toBe('response.failed')
    expect(JSON.parse(failed?.data ?? '')).toEqual({
      type: 'response.failed',
      sequence_number: 9,
      response: {
        id: 'resp_1',
        object: 'response',
        model: 'm',
        output: [1],
        status: 'failed',
        error: { code: 'server_error', message: body.message },
      },
    })
    expect(thrown?.event).toBe('error')
    expect(JSON.parse(thrown?.data ?? '')).toEqual({ ...body, type: 'error', sequence_number: 10, error: body })
  })

  test.each([
    ['context_length_exceeded', 'context_length_exceeded'],
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['bad_request', 'invalid_prompt'],
    ['service_unavailable', 'server_error'],
  ] as const)('responses: %s fails with the code %s', (code, word) => {
    const [failed] = openSseParser().push(DIALECTS.responses.encodeStreamError(error({ code }), REQUEST))
    expect(JSON.parse(failed?.data ?? '')).toMatchObject({ response: { id: 'resp_req_42', error: { code: word } } })
  })
})

describe('words by which clients know what to do', () => {
  const KEY = 'The API key is wrong, incomplete or has been deleted.'
  const MISSING = 'No API key was sent. Send it as ?key=sk-.'
  const LONG = 'It is longer than the context of the model.'
  test.each<[DialectId, Partial<ErrorInfo> & Pick<ErrorInfo, 'code'>, string]>([
    ...(['chat', 'responses', 'images'] as const).flatMap((id): [DialectId, ErrorInfo, string][] => [
      [id, { code: 'invalid_api_key', message: KEY }, `Incorrect API key provided. ${KEY}`],
      [
        id,
        { code: 'context_length_exceeded', message: LONG },
        `This model's maximum context length is exceeded. ${LONG}`,
      ],
      [
        id,
        { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens." },
        "This model's maximum context length is 8192 tokens.",
      ],
    ]),
    ['messages', { code: 'invalid_api_key', message: KEY }, `invalid x-api-key: ${KEY}`],
    ['messages', { code: 'context_length_exceeded', message: LONG }, `prompt is too long: ${LONG}`],
    ['messages', { code: 'context_length_exceeded', message: 'Prompt is too long.' }, 'Prompt is too long.'],
    [
      'messages',
      { code: 'context_length_exceeded', message: 'input length and `max_tokens` exceed context limit: 9 + 3 > 10' },
      'input length and `max_tokens` exceed context limit: 9 + 3 > 10',
    ],
    ['generate-content', { code: 'invalid_api_key', message: KEY }, `API key not valid. ${KEY}`],
    [
      'generate-content',
      { code: 'context_length_exceeded', message: LONG },
      `The input token count exceeds the maximum number of tokens allowed. ${LONG}`,
    ],
    // A key that was not sent is not an incorrect one.
    ...[...CHAT_COMPATIBLE, 'messages' as const, 'generate-content' as const].map(
      (id): [DialectId, ErrorInfo, string] => [id, { code: 'invalid_api_key', message: MISSING }, MISSING],
    ),
  ])('%s %j', (id, info, message) => {
    expect(render(id, info).body).toMatchObject({ error: { message } })
  })
})
