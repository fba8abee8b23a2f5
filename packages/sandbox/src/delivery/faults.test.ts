import { afterAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { dataOf, type Wire, wire } from '../../test-support/client.ts'
import { createSandbox } from '../handler.ts'
import { startSandboxServer } from '../server.ts'
import { FAULT_NAMES } from './faults.ts'

const server = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
afterAll(() => server.stop())

const USAGE = { stream_options: { include_usage: true } }
const stream = (fault: string, extra: object = {}) =>
  wire(server.port, { model: `sandbox-text:${fault}`, stream: true, ...USAGE, ...extra })
const single = (fault: string, extra: object = {}) => wire(server.port, { model: `sandbox-text:${fault}`, ...extra })
const chunksOf = (answer: Wire) =>
  dataOf(answer.body)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))
const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const events = (answer: Wire) => dataOf(answer.body)

type Observation = { fault: string; extra?: object; see(answer: Wire): void }

const IN_STREAMS: Observation[] = [
  {
    fault: 'status=429',
    see: (a) =>
      expect([a.status, a.headers.get('retry-after'), JSON.parse(a.body).error.code]).toEqual([
        429,
        '1',
        'rate_limit_exceeded',
      ]),
  },
  {
    fault: 'status=503',
    see: (a) =>
      expect([a.status, a.headers.get('retry-after'), JSON.parse(a.body).error.type]).toEqual([
        503,
        '1',
        'server_error',
      ]),
  },
  {
    fault: 'status=418',
    see: (a) =>
      expect([a.status, a.headers.get('retry-after'), typeof JSON.parse(a.body).error.message]).toEqual([
        418,
        null,
        'string',
      ]),
  },
  { fault: 'cut', see: (a) => expect([a.status, a.ending, events(a).length]).toEqual([200, 'destroyed', 2]) },
  { fault: 'cut=4', see: (a) => expect([a.ending, events(a).length]).toEqual(['destroyed', 4]) },
  {
    fault: 'end=3',
    see: (a) => expect([a.ending, events(a).length, a.body.includes('[DONE]')]).toEqual(['complete', 3, false]),
  },
  {
    fault: 'garbage=3',
    see: (a) => {
      expect(
        events(a)
          .map((data) => data === '[DONE]' || isJson(data))
          .indexOf(false),
      ).toBe(3)
      expect(events(a).at(-1)).toBe('[DONE]')
    },
  },
  {
    fault: 'error-event=2',
    see: (a) => {
      expect([a.ending, events(a).length]).toEqual(['complete', 3])
      expect(JSON.parse(events(a)[2] ?? '').error.type).toBe('server_error')
    },
  },
  {
    fault: 'huge-line=3',
    see: (a) => {
      expect(Math.max(...events(a).map((data) => data.length))).toBeGreaterThan(3 * 1024 * 1024)
      expect(chunksOf(a)[1].choices[0].delta.content.length).toBe(3 * 1024 * 1024)
      expect(events(a).at(-1)).toBe('[DONE]')
    },
  },
  { fault: 'no-usage', see: (a) => expect(chunksOf(a).filter((chunk) => chunk.usage)).toEqual([]) },
  {
    fault: 'zero-usage',
    see: (a) =>
      expect(chunksOf(a).at(-1).usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
  },
  { fault: 'negative-usage', see: (a) => expect(chunksOf(a).at(-1).usage.completion_tokens).toBeLessThan(0) },
  {
    fault: 'huge-usage',
    see: (a) => expect(chunksOf(a).at(-1).usage.completion_tokens).toBeGreaterThan(Number.MAX_SAFE_INTEGER),
  },
  { fault: 'string-usage', see: (a) => expect(chunksOf(a).at(-1).usage.prompt_tokens).toBe('3') },
  {
    fault: 'usage-every-chunk',
    see: (a) => {
      const completion = chunksOf(a).map((chunk) => chunk.usage.completion_tokens)
      expect(completion).toEqual([...completion].sort((x, y) => x - y))
      expect([completion[0], completion.at(-1) > 5]).toEqual([0, true])
    },
  },
  {
    fault: 'html',
    see: (a) =>
      expect([a.status, a.headers.get('content-type'), a.body.startsWith('<!doctype html>')]).toEqual([
        200,
        'text/html; charset=utf-8',
        true,
      ]),
  },
  {
    fault: 'wrong-type',
    see: (a) =>
      expect([a.headers.get('content-type'), events(a).at(-1)]).toEqual(['text/plain; charset=utf-8', '[DONE]']),
  },
  {
    fault: 'redirect',
    see: (a) =>
      expect([a.status, a.headers.get('location')]).toEqual([302, 'http://sandbox.invalid/v1/chat/completions']),
  },
  {
    fault: 'redirect=http://127.0.0.1:1/x',
    see: (a) => expect(a.headers.get('location')).toBe('http://127.0.0.1:1/x'),
  },
  {
    fault: 'no-finish',
    see: (a) => {
      expect(chunksOf(a).every((chunk) => !chunk.choices[0]?.finish_reason)).toBe(true)
      expect(events(a).at(-1)).toBe('[DONE]')
    },
  },
  {
    fault: 'duplicate-start',
    see: (a) => expect(chunksOf(a).filter((chunk) => chunk.choices[0]?.delta.role).length).toBe(2),
  },
  {
    fault: 'crlf',
    see: (a) => expect([a.body.replaceAll('\r\n', '').includes('\n'), events(a).at(-1)]).toEqual([false, '[DONE]']),
  },
  {
    fault: 'no-space',
    see: (a) => expect([a.body.includes('data: '), a.body.includes('data:{')]).toEqual([false, true]),
  },
  { fault: 'comments', see: (a) => expect(a.body.split(': keep-alive\n\n').length - 1).toBe(events(a).length) },
  { fault: 'slow-headers=5', see: (a) => expect(events(a).at(-1)).toBe('[DONE]') },
  { fault: 'empty', see: (a) => expect([a.status, a.body]).toEqual([200, '']) },
  {
    fault: 'gzip',
    see: (a) => {
      expect(a.headers.get('content-encoding')).toBe('gzip')
      expect(dataOf(gunzipSync(Buffer.concat(a.chunks)).toString()).at(-1)).toBe('[DONE]')
    },
  },
  {
    fault: 'drip',
    extra: { max_tokens: 1 },
    see: (a) =>
      expect([new Set(a.chunks.map((chunk) => chunk.length)), events(a).at(-1)]).toEqual([new Set([1]), '[DONE]']),
  },
  {
    fault: 'split-utf8',
    see: (a) => {
      expect(a.chunks.filter((chunk) => chunk.toString().includes('\ufffd')).length).toBeGreaterThan(4)
      const text = chunksOf(a).map((chunk) => chunk.choices[0]?.delta.content ?? '')
      expect(text.join('')).toContain('(北京 🙂 é)')
    },
  },
  {
    fault: 'finish-every-chunk',
    see: (a) => expect(new Set(chunksOf(a).map((chunk) => chunk.choices[0]?.finish_reason))).not.toContain(null),
  },
  {
    fault: 'interleave',
    extra: {
      messages: [
        { role: 'user', content: `call f with {"a":"${'x'.repeat(60)}"} and g with {"b":"${'y'.repeat(60)}"}` },
      ],
      tools: ['f', 'g'].map((name) => ({ type: 'function', function: { name } })),
    },
    see: (a) => {
      const order = chunksOf(a).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      expect(order.map((call: { index: number }) => call.index).slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1])
    },
  },
  {
    fault: 'twice',
    see: (a) => {
      const half = events(a).length / 2
      expect(events(a).slice(half)).toEqual(events(a).slice(0, half))
      expect(events(a).filter((data) => data === '[DONE]').length).toBe(2)
    },
  },
  { fault: 'comments,no-space,crlf', see: (a) => expect(a.body).toMatch(/^: keep-alive\r\n\r\ndata:\{/) },
]

const IN_SINGLE_BODIES: Observation[] = [
  { fault: 'status=500', see: (a) => expect([a.status, JSON.parse(a.body).error.type]).toEqual([500, 'server_error']) },
  { fault: 'cut', see: (a) => expect([a.status, a.ending, a.body.length]).toEqual([200, 'destroyed', 40]) },
  { fault: 'end=20', see: (a) => expect([a.ending, a.body.length]).toEqual(['complete', 20]) },
  { fault: 'garbage', see: (a) => expect([a.ending, isJson(a.body)]).toEqual(['complete', false]) },
  {
    fault: 'error-event',
    see: (a) => expect([a.status, JSON.parse(a.body).error.type]).toEqual([200, 'server_error']),
  },
  {
    fault: 'huge-line=2',
    see: (a) =>
      expect([JSON.parse(a.body).padding.length, JSON.parse(a.body).choices.length]).toEqual([2 * 1024 * 1024, 1]),
  },
  { fault: 'no-usage', see: (a) => expect('usage' in JSON.parse(a.body)).toBe(false) },
  { fault: 'zero-usage', see: (a) => expect(JSON.parse(a.body).usage.total_tokens).toBe(0) },
  { fault: 'string-usage', see: (a) => expect(JSON.parse(a.body).usage.prompt_tokens).toBe('3') },
  { fault: 'no-finish', see: (a) => expect(JSON.parse(a.body).choices[0].finish_reason).toBeNull() },
  { fault: 'html', see: (a) => expect(a.body.startsWith('<!doctype html>')).toBe(true) },
  { fault: 'wrong-type', see: (a) => expect(a.headers.get('content-type')).toBe('text/plain; charset=utf-8') },
  { fault: 'empty', see: (a) => expect([a.status, a.body]).toEqual([200, '']) },
  { fault: 'gzip', see: (a) => expect(isJson(gunzipSync(Buffer.concat(a.chunks)).toString())).toBe(true) },
  {
    fault: 'split-utf8',
    see: (a) =>
      expect([a.chunks.some((chunk) => chunk.toString().includes('\ufffd')), isJson(a.body)]).toEqual([true, true]),
  },
  {
    fault: 'drip',
    extra: { max_tokens: 1 },
    see: (a) => expect([new Set(a.chunks.map((chunk) => chunk.length)), isJson(a.body)]).toEqual([new Set([1]), true]),
  },
]

describe('in a stream', () => {
  test.each(IN_STREAMS)('$fault', async ({ fault, extra, see }) => {
    const answer = await stream(fault, extra)
    expect(answer.headers.get('x-sandbox')).toBe('true')
    see(answer)
  })
})

describe('in a single body', () => {
  test.each(IN_SINGLE_BODIES)('$fault', async ({ fault, extra, see }) => {
    const answer = await single(fault, extra)
    expect(answer.headers.get('x-sandbox')).toBe('true')
    see(answer)
  })
})

test('every known fault is tested here or below', () => {
  const observed = IN_STREAMS.flatMap(({ fault }) => fault.split(',')).map((fault) => fault.split('=')[0])
  expect(FAULT_NAMES.filter((name) => !observed.includes(name))).toEqual(['hang', 'stall'])
})

const call = (
  handle: (request: Request) => Promise<Response>,
  model: string,
  signal?: AbortSignal,
  body: object = {},
) =>
  handle(
    new Request('http://sandbox/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer test' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...body }),
      ...(signal ? { signal } : {}),
    }),
  )
const inProcess = createSandbox({ faults: true, pace: 0 })
/** Whether a promise is still pending after everything that was due has run. */
const undecided = async (promise: Promise<unknown>) => {
  const open = Symbol('open')
  return (await Promise.race([promise.catch(() => 'rejected'), Bun.sleep(30).then(() => open)])) === open
}

test('hang sends no headers until the client disconnects', async () => {
  const leave = new AbortController()
  const answer = call(inProcess, 'sandbox-text:hang', leave.signal)
  expect(await undecided(answer)).toBe(true)
  leave.abort(new Error('left'))
  expect(answer).rejects.toThrow('left')
})

test.each([
  [{ stream: true }, 3],
  [{}, 1],
])('stall keeps the body open after its beginning: %p', async (body, writes) => {
  const leave = new AbortController()
  const answer = await call(inProcess, 'sandbox-text:stall=3', leave.signal, body)
  const reader = answer.body?.getReader()
  for (let count = 0; count < writes; count++) expect((await reader?.read())?.done).toBe(false)
  const next = reader?.read() ?? Promise.resolve()
  expect(await undecided(next)).toBe(true)
  leave.abort(new Error('left'))
  expect(next).rejects.toThrow('left')
})

test.each([{}, { stream: true }])('cut=0 destroys the connection before the headers are complete: %p', async (body) => {
  expect(await single('cut=0', body)).toMatchObject({ status: 0, ending: 'destroyed', body: '' })
})

test('in-process, a cut is an error of the body', async () => {
  const answer = await call(inProcess, 'sandbox-text:cut', undefined, { stream: true })
  expect(answer.text()).rejects.toThrow('cut the connection')
})

test('the header selects faults too, in addition to those of the model', async () => {
  const answer = await wire(
    server.port,
    { model: 'sandbox-text:comments', stream: true },
    { 'x-sandbox-fault': 'crlf, end=1' },
  )
  expect([answer.body.startsWith(': keep-alive\r\n'), dataOf(answer.body).length]).toEqual([true, 1])
})

test.each([
  ['nonsense', 'Known faults: comments, crlf, cut'],
  ['status', 'takes a whole number from 400 to 599'],
  ['status=200', 'takes a whole number from 400 to 599'],
  ['cut=-1', 'takes a whole number'],
  ['html=1', 'takes no value'],
])('%s is rejected', async (fault, message) => {
  const answer = await single(fault)
  expect([answer.status, JSON.parse(answer.body).error.param]).toEqual([400, 'model'])
  expect(answer.body).toContain(message)
})

test('faults are rejected where they are disabled', async () => {
  const answer = await call(createSandbox({ faults: false }), 'sandbox-text:cut')
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('disabled')
})
