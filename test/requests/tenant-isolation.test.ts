// Many callers share one vendor account: no request may reach another caller's cache, object or bill.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH, MINIMAL_BODIES, pathIn } from '../support/requests/dialect-calls.ts'
import {
  type Behaviour,
  reply,
  respondInDialect,
  respondWith,
  startUpstream,
  stream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

type Dialect = 'chat' | 'responses' | 'messages' | 'generate-content'

let upstream: Upstream
let gateway: Gateway
let ada: string
let bob: string

const DIALECTS = Object.keys(BASE_PATH) as Dialect[]

beforeAll(async () => {
  upstream = await startUpstream()
  const origin = new URL(upstream.url).origin
  const price = 'price: { input: 1, output: 4 }'
  gateway = await startGateway({
    config: `
upstreams:
${DIALECTS.map((id) => `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], breaker: false }`).join('\n')}
  - { id: open, dialect: responses, base_url: "${origin}/v1", keys: [k], breaker: false, shared_objects: true }
models:
  - { id: spoken-model, routes: [{ upstream: responses }], price: { input: 1, output: 4, audio_output: 9 } }
${[...DIALECTS, 'open'].map((id) => `  - { id: ${id}-model, routes: [{ upstream: ${id} }], ${price} }`).join('\n')}
`,
  })
  ada = (await newKey(gateway)).secret
  bob = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})
beforeEach(() => upstream.behave(respondInDialect))

async function send(dialect: Dialect, more: object = {}, options: { secret?: string; model?: string } = {}) {
  const model = options.model ?? `${dialect}-model`
  const before = upstream.received.length
  const response = await fetch(gateway.url + pathIn(dialect, { model }), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.secret ?? ada}`,
      'content-type': 'application/json',
      'msg-version': '2023-06-01',
    },
    body: JSON.stringify({ ...MINIMAL_BODIES[dialect](model), ...more }),
  })
  const text = await response.text()
  const sent = upstream.received.slice(before).map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
  return { status: response.status, text, sent, warnings: response.headers.get('x-trivium-warnings') }
}

const only = <T>(list: readonly T[]): T => {
  expect(list).toHaveLength(1)
  return list[0] as T
}

describe.each(['chat', 'responses'] as const)('%s', (dialect) => {
  test('a cache key is scoped to the account', async () => {
    const keyOf = async (key: string, secret: string) =>
      String(only((await send(dialect, { prompt_cache_key: key }, { secret })).sent).prompt_cache_key)
    const mine = await keyOf('conversation-7', ada)
    expect(mine).toEndWith('conversation-7')
    expect(mine).not.toBe('conversation-7')
    expect(await keyOf('conversation-7', ada)).toBe(mine)
    expect(await keyOf('conversation-7', bob)).not.toBe(mine)
    const long = await keyOf('x'.repeat(64), ada)
    expect(long.length).toBeLessThanOrEqual(64)
    expect(long).not.toBe(await keyOf(`${'x'.repeat(63)}y`, ada))
  })

  test('the end user id is a hash of the account, or of the caller’s user name', async () => {
    const nameOf = async (secret: string, more = {}) =>
      only((await send(dialect, more, { secret })).sent).safety_identifier
    const mine = await nameOf(ada)
    expect(mine).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(await nameOf(ada)).toBe(mine)
    expect(await nameOf(bob)).not.toBe(mine)
    expect(await nameOf(ada, { user: 'my-user' })).toBeUndefined()
  })

  test.each([
    'user',
    'safety_identifier',
  ])("a caller's %s is known to the vendor by a hash of account and value", async (field) => {
    const nameOf = async (value: string, secret: string, more = {}) =>
      only((await send(dialect, { [field]: value, ...more }, { secret })).sent)[field]
    const mine = await nameOf('my-user', ada)
    expect(mine).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await nameOf('my-user', ada)).toBe(mine)
    // As a long body, which is scanned instead of parsed, with escapes.
    const long = dialect === 'chat' ? 'messages' : 'input'
    expect(await nameOf('my-user', ada, { [long]: [{ role: 'user', content: 'x'.repeat(20_000) }] })).toBe(mine)
    expect(await nameOf('other-user', ada)).not.toBe(mine)
    expect(await nameOf('my-user', bob)).not.toBe(mine)
  })

  test('both fields at once, each by the hash of its value', async () => {
    const { user, safety_identifier } = only((await send(dialect, { user: 'u', safety_identifier: 's' })).sent)
    expect(JSON.stringify([user, safety_identifier])).not.toMatch(/"[us]"/)
    expect(user).not.toBe(safety_identifier)
  })
})

test('messages: the end user id is a hash of the account, or of the caller’s user name', async () => {
  const metadataOf = async (secret: string, more = {}) => only((await send('messages', more, { secret })).sent).metadata
  const mine = (await metadataOf(ada)) as { user_id: string }
  expect(mine).toEqual({ user_id: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/) as unknown as string })
  expect(await metadataOf(bob)).not.toEqual(mine)
  const named = { metadata: { user_id: 'my-user' } }
  const hashed = (await metadataOf(ada, named)) as { user_id: string }
  expect(hashed).toEqual({ user_id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as unknown as string })
  expect(await metadataOf(ada, named)).toEqual(hashed)
  expect(await metadataOf(bob, named)).not.toEqual(hashed)
  // The same user of the same account has the same id for every vendor and protocol.
  expect(only((await send('chat', { user: 'my-user' })).sent).user).toBe(hashed.user_id)
  expect(only((await send('messages', named, { model: 'chat-model' })).sent).safety_identifier).toBe(hashed.user_id)
})

test('an upstream with shared objects gets the callers’ own user names', async () => {
  const named = { user: 'my-user', safety_identifier: 'my-id' }
  expect(only((await send('responses', named, { model: 'open-model' })).sent)).toMatchObject(named)
})

/** A responses service that echoes request fields, as the vendor does. */
const echoing: Behaviour = (socket, request) => {
  const { user = null, safety_identifier = null, metadata = {}, stream: streamed } = JSON.parse(request.body.toString())
  const output = [
    {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ]
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const whole = (status: string) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status,
    model: 'responses-model',
    metadata,
    user,
    output: status === 'completed' ? output : [],
    safety_identifier,
    usage: status === 'completed' ? usage : null,
  })
  if (!streamed) return respondWith(whole('completed'))(socket, request)
  const events = [
    { type: 'response.created', sequence_number: 0, response: whole('in_progress') },
    { type: 'response.in_progress', sequence_number: 1, response: whole('in_progress') },
    {
      type: 'response.output_text.delta',
      sequence_number: 2,
      item_id: 'm',
      output_index: 0,
      content_index: 0,
      delta: 'Hi',
    },
    { type: 'response.completed', sequence_number: 3, response: whole('completed') },
  ]
  return stream(...events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`))(socket, request)
}

test.each([
  ['in one piece', false, { user: 'my-"user"', safety_identifier: 'my-id' }],
  ['streamed', true, { user: 'my-"user"', safety_identifier: 'my-id' }],
  ['in one piece, one of them', false, { user: 'my-user' }],
  ['streamed, and none is named', true, {}],
])("responses: the response repeats the caller's own names, %s", async (_, streamed, named) => {
  upstream.behave(echoing)
  const metadata = { user: 'kept', safety_identifier: 'kept' }
  const { status, text, sent } = await send('responses', { ...named, metadata, stream: streamed })
  expect(status).toBe(200)
  const answers = streamed
    ? [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = '']) => JSON.parse(data).response ?? [])
    : [JSON.parse(text)]
  expect(answers).toHaveLength(streamed ? 3 : 1)
  const expected = { user: null, safety_identifier: null, metadata, ...named }
  for (const each of answers) expect(each).toMatchObject(expected)
  const { user, safety_identifier } = only(sent)
  for (const hash of [user, safety_identifier]) if (hash) expect(text).not.toContain(String(hash))
})

test('an upstream that rejects the end user field is retried without it, and later requests omit it', async () => {
  upstream.behave((socket, request) => {
    const known = !request.body.toString().includes('safety_identifier')
    const rejection = {
      error: { message: 'Extra inputs are not permitted: safety_identifier', type: 'invalid_request_error' },
    }
    return known ? respondWith(reply())(socket, request) : respondWith(rejection, 422)(socket, request)
  })
  const { sent, status } = await send('chat')
  expect(status).toBe(200)
  expect(sent.map(({ safety_identifier }) => safety_identifier !== undefined)).toEqual([true, false])
  expect((await send('chat')).sent).toHaveLength(1)
})

const OBJECTS: [dialect: Dialect, field: string, more: object][] = [
  ['chat', 'file_id', { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] }],
  ['chat', 'audio.id', { messages: [{ role: 'assistant', audio: { id: 'audio-1' } }], x: 'x'.repeat(100_000) }],
  ['responses', 'previous_response_id', { previous_response_id: 'resp_1' }],
  ['responses', 'conversation', { conversation: 'conv_1' }],
  ['responses', 'file_id', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] }],
  ['responses', 'vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
  ['messages', 'container', { container: 'container_1' }],
  [
    'messages',
    'file_id',
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] }] },
  ],
  ['generate-content', 'cachedContent', { cachedContent: 'cachedContents/1' }],
]

describe('objects stored at a vendor', () => {
  test.each(OBJECTS)('%s: %s is rejected, and nothing is sent', async (dialect, field, more) => {
    const { status, text, sent } = await send(dialect, more)
    expect(status).toBe(400)
    expect(text).toContain(field)
    expect(sent).toEqual([])
  })

  test('unless the upstream shares objects', async () => {
    const { status, sent } = await send('responses', { previous_response_id: 'resp_1' }, { model: 'open-model' })
    expect(sent).toMatchObject([{ previous_response_id: 'resp_1' }])
    expect(status).toBe(200)
  })
})

describe('prompts are not kept in the operator’s vendor account', () => {
  test.each([
    ['chat', 'chat', { store: true, metadata: { a: 'b' } }],
    ['chat', 'chat', { store: true, metadata: { a: 'b' }, stop: 'x'.repeat(20_000) }],
    ['chat', 'generate-content', { store: true }],
    ['generate-content', 'generate-content', { store: true }],
    ['generate-content', 'chat', { store: true }],
    ['chat', 'messages', { store: true }],
    ['chat', 'responses', { store: true }],
  ] as const)('%s client, %s upstream', async (client, over, more) => {
    const { status, sent, warnings } = await send(client, more, { model: `${over}-model` })
    expect([status, warnings]).toEqual([200, expect.stringContaining('store;dropped')])
    expect(only(sent).store ?? false).toBe(false)
    if (client === over) expect(only(sent)).not.toHaveProperty('metadata')
    if ('metadata' in more) expect(warnings).toContain('metadata;dropped')
  })

  const THREAD = { thread: { type: 'create' }, billing_policy: { type: 'standard' } }
  test.each([
    'messages',
    'chat',
    'responses',
    'generate-content',
  ] as const)('threads, messages client, %s upstream', async (over) => {
    const { status, sent, warnings } = await send('messages', THREAD, { model: `${over}-model` })
    expect(status).toBe(200)
    for (const field of Object.keys(THREAD)) {
      expect(warnings).toContain(`${field};dropped`)
      expect(only(sent)).not.toHaveProperty(field)
    }
  })

  test('false stays as it is, and metadata without store too', async () => {
    const more = { store: false, metadata: { a: 'b' } }
    const { sent, warnings } = await send('chat', more)
    expect([only(sent), warnings]).toMatchObject([more, null])
  })
})

const FUNCTION = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
const LONG_FUNCTION = { type: 'function', function: { name: 'look', description: 'x'.repeat(50_000) } }
const SEARCH = { type: 'web_search_20250305', name: 'web_search' }
const CLIENT_TOOL = { name: 'look', input_schema: { type: 'object', properties: {} } }

const PRICED: [dialect: Dialect, field: string, more: object, left: object][] = [
  ['chat', 'service_tier', { service_tier: 'priority' }, {}],
  ['chat', 'web_search_options', { web_search_options: {} }, {}],
  ['chat', 'tools', { tools: [LONG_FUNCTION, { type: 'browser_search' }] }, { tools: [LONG_FUNCTION] }],
  ['responses', 'service_tier', { service_tier: 'flex' }, {}],
  ['responses', 'tools', { tools: [{ type: 'web_search' }, FUNCTION] }, { tools: [FUNCTION] }],
  [
    'responses',
    'tools',
    { tools: [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }, FUNCTION] },
    { tools: [FUNCTION] },
  ],
  ['messages', 'speed', { speed: 'fast' }, {}],
  ['messages', 'tools', { tools: [SEARCH, CLIENT_TOOL] }, { tools: [CLIENT_TOOL] }],
]

describe('options that change the price and have none', () => {
  test.each(PRICED)('%s: %s is dropped, with a warning', async (dialect, field, more, left) => {
    const { sent, warnings } = await send(dialect, more)
    const changed = only(sent)
    for (const name of Object.keys(more)) if (!(name in left)) expect(changed).not.toHaveProperty(name)
    expect(changed).toMatchObject(left)
    expect(changed).toMatchObject(MINIMAL_BODIES[dialect](`${dialect}-model`))
    // The gateway stores responses itself.
    if (dialect === 'responses') expect(changed).toMatchObject({ store: false })
    expect(warnings).toContain(`${field}`)
    expect(warnings).toContain(';no-price')
  })

  test.each([
    ['responses', { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }],
    ['messages', { tools: [SEARCH, CLIENT_TOOL], tool_choice: { type: 'tool', name: 'web_search' } }],
  ] as const)('%s: a tool that the caller forces is rejected', async (dialect, more) => {
    const { status, text, sent } = await send(dialect, more)
    expect({ status, sent }).toEqual({ status: 400, sent: [] })
    expect(text).toContain('web_search')
  })

  test('generate-content: images from a responses upstream are rejected, since they are billed per call', async () => {
    const more = { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }
    const { status, text, sent } = await send('generate-content', more, { model: 'responses-model' })
    expect({ status, sent }).toEqual({ status: 400, sent: [] })
    expect(text).toContain('generationConfig.responseModalities')
  })

  test('messages: betas for long context are dropped, others are forwarded', async () => {
    const headers = {
      authorization: `Bearer ${ada}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m-2025-08-07,fine-grained-tool-streaming-2025-05-14',
    }
    const body = JSON.stringify(MINIMAL_BODIES.messages('messages-model'))
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', headers, body })
    expect(response.headers.get('x-trivium-warnings')).toContain('anthropic-beta;no-price')
    expect(upstream.last().headers['anthropic-beta']).toBe('fine-grained-tool-streaming-2025-05-14')
  })

  test.each([
    ['?beta=true', '?beta=true'],
    ['?beta=true&key=x&beta=true', '?beta=true'],
    ['?beta=1&other=2', ''],
    ['', ''],
  ])('messages: of the query %s, %s is forwarded', async (query, forwarded) => {
    const headers = { 'x-api-key': ada, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    const body = JSON.stringify(MINIMAL_BODIES.messages('messages-model'))
    const response = await fetch(`${gateway.url}/v1/messages${query}`, { method: 'POST', headers, body })
    expect([response.status, upstream.last().head.split(' ')[1]]).toEqual([200, `/v1/messages${forwarded}`])
  })

  test.each([
    ['chat', 'responses'],
    ['responses', 'chat'],
  ] as const)('%s: how long prompts are cached is told to a %s upstream', async (client, over) => {
    const { status, sent, warnings } = await send(client, { prompt_cache_retention: '24h' }, { model: `${over}-model` })
    expect([status, warnings]).toEqual([200, null])
    expect(only(sent).prompt_cache_retention).toBe('24h')
  })

  test('audio in another protocol than its own is rejected for this reason, where it has a price', async () => {
    const more = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }
    const { status, text } = await send('chat', more, { model: 'spoken-model' })
    expect([status, text]).toEqual([400, expect.stringContaining('not available in another protocol')])
    expect((await send('chat', more, { model: 'responses-model' })).text).toContain('has no price here')
  })
})
