import { describe, expect, test } from 'bun:test'
import { dataOf } from '../test-support/client.ts'
import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import { createSandbox, type SandboxOptions } from './handler.ts'

const KEY = { authorization: 'Bearer any' }
const sandbox = (options: Partial<SandboxOptions> = {}) =>
  createSandbox({ faults: false, pace: 0, clock: () => 1_767_225_600_999, ...options })

function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = KEY,
  options: Partial<SandboxOptions> = {},
) {
  const text =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return sandbox(options)(
    new Request(`http://sandbox${path}`, { method, headers, ...(text === undefined ? {} : { body: text }) }),
  )
}
const chat = (body: unknown, headers?: Record<string, string>) => call('POST', '/v1/chat/completions', body, headers)
const user = (content: unknown) => ({ model: 'sandbox-text', messages: [{ role: 'user', content }] })
const hello = user('Hello')
const json = async (answer: Response) => JSON.parse(await answer.text())
const assistantCalls = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const f = { type: 'function', function: { name: 'f' } }

test.each([
  ['GET', '/health', {}, 200],
  ['GET', '/v1/models', KEY, 200],
  ['GET', '/v1/models', {}, 401],
  ['GET', '/v1/models', { authorization: 'Bearer ' }, 401],
  ['POST', '/v1/chat/completions', {}, 401],
  ['GET', '/v1/chat/completions', KEY, 404],
  ['POST', '/chat/completions', KEY, 404],
  ['GET', '/', KEY, 404],
])('%s %s with %p is %d, labelled', async (method, path, headers, status) => {
  const answer = await call(method, path, method === 'POST' ? hello : undefined, headers)
  expect([answer.status, answer.headers.get('x-sandbox')]).toEqual([status, 'true'])
  if (status >= 400) expect(Object.keys((await json(answer)).error)).toEqual(['message', 'type', 'param', 'code'])
})

test('with key: none, no key is required', async () => {
  expect((await call('POST', '/v1/chat/completions', hello, {}, { key: 'none' })).status).toBe(200)
})

test('the model list has all models', async () => {
  expect((await json(await call('GET', '/v1/models'))).data.map((model: { id: string }) => model.id)).toEqual([
    'sandbox-text',
    'sandbox-image',
    'sandbox-video',
    ...Object.values<Endpoint>(ENDPOINTS).flatMap(({ model }) => model?.id ?? []),
  ])
})

test('the same request gets the same bytes; another gets another id', async () => {
  for (const body of [hello, { ...hello, stream: true }, { ...hello, tools: [f], tool_choice: 'required' }]) {
    const [first, second] = [await (await chat(body)).text(), await (await chat(body)).text()]
    expect(second).toBe(first)
    expect(first).toContain('"created":1767225600,')
  }
  const ids = [hello, user('Hello!')].map(async (body) => (await json(await chat(body))).id)
  expect(new Set(await Promise.all(ids)).size).toBe(2)
})

test('the key does not appear in the response', async () => {
  const answer = await chat(hello, { authorization: 'Bearer sk-very-secret' })
  expect(`${JSON.stringify([...answer.headers])}${await answer.text()}`).not.toContain('very-secret')
})

describe('streams', () => {
  const streamed = async (extra: object) => dataOf(await (await chat({ ...hello, stream: true, ...extra })).text())

  test('begin with the role, end with the finish and [DONE], and have no usage unasked', async () => {
    const data = await streamed({})
    const chunks = data.slice(0, -1).map((text) => JSON.parse(text))
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
    expect(chunks.filter((chunk) => chunk.choices[0].delta.role).length).toBe(1)
    expect(chunks.map((chunk) => chunk.choices[0].finish_reason).filter(Boolean)).toEqual(['stop'])
    expect(chunks.at(-1).choices[0].finish_reason).toBe('stop')
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
    expect(data.at(-1)).toBe('[DONE]')
  })

  test('have the usage last, in a chunk without choices, on request', async () => {
    const chunks = (await streamed({ stream_options: { include_usage: true } }))
      .slice(0, -1)
      .map((text) => JSON.parse(text))
    expect(chunks.at(-1).choices).toEqual([])
    expect(chunks.at(-1).usage.prompt_tokens).toBe(2)
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
  })
})

test.each([
  ['by the option', 7, {}, 'Hello', 7],
  ['by the prompt', 7, {}, 'Hello, pace 30 ms', 30],
  ['by the header, which wins', 7, { 'x-sandbox-pace': '40' }, 'Hello, pace 30 ms', 40],
])('the pace is set %s', async (_, pace, headers, prompt, expected) => {
  const slept: number[] = []
  const sleep = async (ms: number) => void slept.push(ms)
  const body = { ...user(prompt), stream: true }
  const answer = await call('POST', '/v1/chat/completions', body, { ...KEY, ...headers }, { pace, sleep })
  const events = dataOf(await answer.text()).length
  expect(slept).toEqual(Array.from({ length: events - 1 }, () => expected))
})

test.each<[string, unknown, string | null]>([
  ['not JSON', '{"model":', null],
  ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), null],
  ['not an object', '[]', null],
  ['no model', { messages: hello.messages }, 'model'],
  ['model of a wrong type', { ...hello, model: 5 }, 'model'],
  ['no messages', { model: 'sandbox-text' }, 'messages'],
  ['messages of a wrong type', { ...hello, messages: 'Hello' }, 'messages'],
  ['messages empty', { ...hello, messages: [] }, 'messages'],
  ['unknown role', { ...hello, messages: [{ role: 'king', content: 'x' }] }, 'messages[0].role'],
  ['no content', { ...hello, messages: [{ role: 'user' }] }, 'messages[0].content'],
  ['content of a wrong type', user(5), 'messages[0].content'],
  ['unknown part', user([{ type: 'text', text: 'x' }, { type: 'video' }]), 'messages[0].content[1]'],
  ['image as a bare string', user([{ type: 'image_url', image_url: 'https://x' }]), 'messages[0].content[0]'],
  [
    'result without a call',
    { ...hello, messages: [{ role: 'tool', tool_call_id: 'c9', content: 'x' }] },
    'messages[0].tool_call_id',
  ],
  ['call without a result', { ...hello, messages: [assistantCalls] }, 'messages'],
  [
    'call without a result before the next turn',
    { ...hello, messages: [assistantCalls, ...hello.messages] },
    'messages[1]',
  ],
  ['temperature out of bounds', { ...hello, temperature: 2.1 }, 'temperature'],
  ['temperature as text', { ...hello, temperature: '1' }, 'temperature'],
  ['top_p out of bounds', { ...hello, top_p: -1 }, 'top_p'],
  ['max_tokens 0', { ...hello, max_tokens: 0 }, 'max_tokens'],
  ['max_tokens huge', { ...hello, max_tokens: 1e15 }, 'max_tokens'],
  ['n 0', { ...hello, n: 0 }, 'n'],
  ['n too large', { ...hello, n: 129 }, 'n'],
  ['five stops', { ...hello, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  ['stream as text', { ...hello, stream: 'yes' }, 'stream'],
  ['stream_options without a stream', { ...hello, stream_options: { include_usage: true } }, 'stream_options'],
  ['tools of a wrong type', { ...hello, tools: {} }, 'tools'],
  ['tool of an unknown type', { ...hello, tools: [{ type: 'robot' }] }, 'tools[0].type'],
  [
    'tool with a bad name',
    { ...hello, tools: [{ type: 'function', function: { name: 'a b' } }] },
    'tools[0].function.name',
  ],
  ['forced call without tools', { ...hello, tool_choice: 'required' }, 'tool_choice'],
  [
    'forced call of an unknown tool',
    { ...hello, tools: [f], tool_choice: { type: 'function', function: { name: 'g' } } },
    'tool_choice',
  ],
  ['unknown format', { ...hello, response_format: { type: 'xml' } }, 'response_format.type'],
  [
    'schema without a name',
    { ...hello, response_format: { type: 'json_schema', json_schema: {} } },
    'response_format.json_schema.name',
  ],
])('%s is a 400 that names the field', async (_, body, param) => {
  const answer = await chat(body)
  const { error } = await json(answer)
  expect([answer.status, error.type, error.param]).toEqual([400, 'invalid_request_error', param])
})

test.each([
  [1_200, '{"a":', '}', 400],
  [200_000, '{"a":', '}', 400],
  [200_000, '[', ']', 400],
  [900, '{"a":', '}', 200],
])('%d levels of %s%s in a field are %d', async (levels, open, close, status) => {
  const field = `${open.repeat(levels)}1${close.repeat(levels)}`
  const text = JSON.stringify('brackets in text, [[[[ " \\ do not count'.repeat(1_000))
  const answer = await chat(
    `{"model":"sandbox-text","messages":[{"role":"user","content":${text}}],"logit_bias":{"x":${field}}}`,
  )
  expect(answer.status).toBe(status)
  if (status === 400) expect((await json(answer)).error.message).toContain('nested deeper than')
})

test('an unknown model is a 404', async () => {
  const answer = await chat({ ...hello, model: 'other' })
  expect([answer.status, (await json(answer)).error]).toMatchObject([404, { code: 'model_not_found', param: 'model' }])
})

test.each([null])('%p means absent', async (nothing) => {
  const body = {
    ...hello,
    temperature: nothing,
    stop: nothing,
    tools: nothing,
    max_tokens: nothing,
    stream: nothing,
    response_format: nothing,
  }
  expect((await chat(body)).status).toBe(200)
})

test('unusual characters are preserved', async () => {
  const odd = 'NUL \u0000, lone \ud83d surrogate, quote ", backslash \\, 🙂 and\u2028line'
  const body = await json(await chat(user(odd)))
  expect(body.choices[0].message.content).toStartWith(`[sandbox] You said: ${odd}\n`)
})

test('a prompt built to slow down the search for directives does not', async () => {
  const prompts = [
    ' '.repeat(3_000_000),
    `call f${'{'.repeat(1_000_000)}`,
    'use f {'.repeat(300_000),
    '\n'.repeat(1_000_000),
    `pace${' '.repeat(1e6)}`,
  ]
  for (const prompt of prompts) {
    const answer = await chat({ ...user(prompt), tools: [f], max_tokens: 1 })
    expect(answer.status).toBe(200)
  }
})
