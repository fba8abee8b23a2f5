// Servers that ignore in one of their dialects what they honour in another, that call a cut answer completed, and that guess their
// input: as Ollama and llama-server were seen to do.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { callIn } from '../support/requests/dialect-calls.ts'

/** What the server reports as its output, and whether its streams break off after their first text. */
let output = 5
let breaksOff = false
let asked: { path: string; body: Record<string, unknown> }[] = []
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', development: false, fetch: answer })

const UPSTREAMS = ['ollama', 'llama-cpp', 'vllm']
const ONLY = [
  ['ollama', 'messages'],
  ['llama-cpp', 'responses'],
] as const

beforeAll(async () => {
  const base = `base_url: "http://127.0.0.1:${server.port}/v1"`
  const upstreams = [
    ...UPSTREAMS.map((kind) => `  - { id: ${kind}, kind: ${kind}, ${base}, breaker: false }`),
    ...ONLY.map(
      ([kind, dialect]) =>
        `  - { id: ${kind}-${dialect}, kind: ${kind}, dialect: ${dialect}, ${base}, breaker: false }`,
    ),
  ]
  const ids = [...UPSTREAMS, ...ONLY.map((pair) => pair.join('-'))]
  const models = ids.map(
    (id) => `  - { id: at-${id}, routes: [{ upstream: ${id}, model: m }], price: { input: 1, output: 4 } }`,
  )
  gateway = await startGateway({ config: `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}` })
  key = await newKey(gateway, '100')
})
afterEach(async () => {
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  ;[output, breaksOff, asked] = [5, false, []]
})
afterAll(async () => {
  await gateway.stop()
  await server.stop(true)
})

const SCHEMA = {
  type: 'object',
  properties: { port: { type: 'string' } },
  required: ['port'],
  additionalProperties: false,
}

/** How each dialect asks for it. */
const WISHES: Record<string, Partial<Record<TextDialectId, Record<string, unknown>>>> = {
  schema: {
    chat: { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } } },
    responses: { text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } } },
    messages: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    'generate-content': { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA } },
  },
  object: {
    chat: { response_format: { type: 'json_object' } },
    responses: { text: { format: { type: 'json_object' } } },
  },
  tool: {
    chat: {
      tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
    },
    responses: { tools: [{ type: 'function', name: 'f', parameters: SCHEMA }], tool_choice: 'required' },
    messages: { tools: [{ name: 'f', input_schema: SCHEMA }], tool_choice: { type: 'any' } },
  },
  'any tool': {
    chat: { tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }], tool_choice: 'required' },
  },
}

type Case = [wish: string, client: TextDialectId, at: string, sentIn: TextDialectId, warning: string]
const CASES: Case[] = [
  ['schema', 'chat', 'ollama', 'chat', ''],
  ['schema', 'responses', 'ollama', 'responses', ''],
  ['schema', 'messages', 'ollama', 'chat', ''],
  ['schema', 'generate-content', 'ollama', 'chat', ''],
  ['schema', 'responses', 'llama-cpp', 'chat', ''],
  ['schema', 'messages', 'llama-cpp', 'chat', ''],
  ['schema', 'messages', 'vllm', 'messages', ''],
  ['object', 'chat', 'ollama', 'chat', ''],
  ['object', 'responses', 'ollama', 'chat', ''],
  ['object', 'responses', 'llama-cpp', 'chat', ''],
  ['schema', 'messages', 'ollama-messages', 'messages', 'output_config.format;ignored'],
  ['schema', 'responses', 'llama-cpp-responses', 'responses', 'text.format;ignored'],
  ['schema', 'chat', 'llama-cpp-responses', 'responses', 'response_format;ignored'],
  ['tool', 'chat', 'ollama', 'chat', 'tool_choice;ignored'],
  ['tool', 'responses', 'ollama', 'responses', 'tool_choice;ignored'],
  ['tool', 'messages', 'ollama', 'messages', 'tool_choice;ignored'],
  ['tool', 'messages', 'llama-cpp', 'messages', ''],
  ['tool', 'chat', 'llama-cpp', 'messages', ''],
  ['tool', 'chat', 'llama-cpp-responses', 'responses', 'tool_choice;ignored'],
  ['any tool', 'chat', 'llama-cpp', 'chat', ''],
]

describe.each([[false], [true]])('streamed: %p', (streamed) => {
  test.each(CASES)('%s from %s at %s goes out in %s', async (wish, client, at, sentIn, warning) => {
    const more = WISHES[wish]?.[client] ?? {}
    const response = await callIn(client, gateway.url, key.secret, { model: `at-${at}`, streamed, more })
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('fine')])
    expect(asked.map(({ path }) => path)).toEqual([PATHS[sentIn] ?? ''])
    if (warning === '') expect(response.headers.get('x-trivium-warnings') ?? '').not.toContain('ignored')
    else expect(response.headers.get('x-trivium-warnings')).toContain(warning)
    if (sentIn === 'chat' && !wish.endsWith('tool')) expect(asked[0]?.body).toHaveProperty('response_format')
  })

  test.each([
    ['ollama', 'incomplete'],
    ['llama-cpp', 'incomplete'],
    ['vllm', 'completed'],
  ])('an answer of %s that reached its cap and is called completed is %s', async (at, status) => {
    const account = await newKey(gateway, '1')
    output = 40
    const call = { model: `at-${at}`, streamed, more: { max_output_tokens: 40 } }
    const text = await (await callIn('responses', gateway.url, account.secret, call)).text()
    const last = streamed
      ? text
          .split('\n')
          .findLast((line) => line.startsWith('data: {'))
          ?.slice(6)
      : text
    const event = JSON.parse(last ?? '{}')
    const answered = streamed ? event.response : event
    if (streamed)
      expect([event.type, text]).toEqual([`response.${status}`, expect.stringContaining(`event: response.${status}\n`)])
    const details = status === 'incomplete' ? { reason: 'max_output_tokens' } : null
    expect(answered).toMatchObject({ status, incomplete_details: details })
    expect(await account.settled()).toMatchObject([{ outcome: status, receipt: { units: { output: 40 } } }])
  })

  test('an answer below its cap stays completed, and so does one without a cap', async () => {
    for (const more of [{ max_output_tokens: 41 }, {}]) {
      output = 40
      const call = { model: 'at-ollama', streamed, more }
      expect(await (await callIn('responses', gateway.url, key.secret, call)).text()).not.toContain('"incomplete"')
    }
  })

  test('a cut answer of an upstream that has no other dialect ends by its length in every dialect', async () => {
    output = 40
    const call = { model: 'at-llama-cpp-responses', streamed, more: { max_tokens: 40 } }
    expect(await (await callIn('chat', gateway.url, key.secret, call)).text()).toContain('"finish_reason":"length"')
    expect(await (await callIn('messages', gateway.url, key.secret, call)).text()).toContain(
      '"stop_reason":"max_tokens"',
    )
  })
})

test.each([
  ['messages', 'ollama'],
  ['chat', 'ollama-messages'],
] as const)('a broken stream for a %s client is not charged by the guess of %s', async (client, at) => {
  const account = await newKey(gateway, '1')
  breaksOff = true
  await (await callIn(client, gateway.url, account.secret, { model: `at-${at}`, streamed: true }))
    .text()
    .catch(() => {})
  const [row] = await account.settled()
  const { input } = row?.receipt?.units as { input: number }
  expect(input).toBeGreaterThan(5)
  expect(input).toBeLessThan(100)
  expect(row?.receipt).toMatchObject({ counted: 'usage was missing' })
})

const PATHS: Record<string, string> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}

const GUESS = 12_001
const text = 'fine'

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const body = (await request.json()) as Record<string, unknown>
  asked.push({ path: pathname, body })
  const events = EVENTS[pathname]?.() ?? []
  if (body.stream !== true) return Response.json(WHOLE[pathname]?.())
  const sent = breaksOff ? events.slice(0, 3) : events
  const named = sent.map(
    (event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )
  return new Response(named.join('') + (pathname === PATHS.chat ? 'data: [DONE]\n\n' : ''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

const item = () => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const responseOf = (more: object) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  incomplete_details: null,
  ...more,
})
const usage = () => ({ input_tokens: 9, output_tokens: output })
const whole = () =>
  responseOf({ status: 'completed', output: [item()], usage: { ...usage(), total_tokens: 9 + output } })
const message = (more: object) => ({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', ...more })
const chunk = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })
const chatUsage = () => ({ prompt_tokens: 9, completion_tokens: output, total_tokens: 9 + output })

const WHOLE: Record<string, () => object> = {
  '/v1/chat/completions': () => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage: chatUsage(),
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  }),
  '/v1/responses': whole,
  '/v1/messages': () => message({ content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: usage() }),
}

const EVENTS: Record<string, () => object[]> = {
  '/v1/chat/completions': () => [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage: chatUsage() }),
  ],
  '/v1/responses': () => [
    { type: 'response.created', sequence_number: 0, response: responseOf({ status: 'in_progress', output: [] }) },
    { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: { ...item(), content: [] } },
    {
      type: 'response.output_text.delta',
      sequence_number: 2,
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      delta: text,
    },
    { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item: item() },
    { type: 'response.completed', sequence_number: 4, response: whole() },
  ],
  '/v1/messages': () => [
    {
      type: 'message_start',
      message: message({ content: [], stop_reason: null, usage: { input_tokens: GUESS, output_tokens: 0 } }),
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: usage() },
    { type: 'message_stop' },
  ],
}
