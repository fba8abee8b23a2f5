// A web search, asked for in each dialect and made by an upstream of each: what the client's official SDK reads of it, what it
// costs, and what becomes of it where the upstream may not or cannot search.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH, CLIENTS, callIn, PAIRS } from '../support/requests/dialect-calls.ts'
import { SEARCHERS } from '../support/sdk/web-search.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

/** `priced-*`: a search has a price. `bare-*`: it has none. */
const configOf = (origin: string): string => {
  const upstreams = TEXT_DIALECT_IDS.map(
    (id) => `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], allow_private: true }`,
  )
  const models = TEXT_DIALECT_IDS.flatMap((id) => [
    `  - { id: priced-${id}, routes: [{ upstream: ${id}, model: sandbox-text }], price: { input: 1, output: 4, tools: { web_search: 0.01 } } }`,
    `  - { id: bare-${id}, routes: [{ upstream: ${id}, model: sandbox-text }], price: { input: 1, output: 4 } }`,
  ])
  return `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
}

let sandbox: RecordingSandbox
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  sandbox = startRecordingSandbox()
  gateway = await startGateway({ config: configOf(sandbox.origin) })
  key = await newKey(gateway)
})
beforeEach(() => sandbox.intercept(undefined))
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"|request failed/)
  await gateway.stop()
  sandbox.stop()
})

const TOOLS: Record<TextDialectId, Record<string, unknown>> = {
  chat: { web_search_options: {} },
  // Without it the vendor does not list the pages that it found.
  responses: { tools: [{ type: 'web_search' }], include: ['web_search_call.action.sources'] },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  'generate-content': { tools: [{ googleSearch: {} }] },
}

/** As the only tool, since not all dialects have a choice that names it. */
const FORCED: Partial<Record<TextDialectId, Record<string, unknown>>> = {
  responses: { ...TOOLS.responses, tool_choice: { type: 'web_search' } },
  messages: { ...TOOLS.messages, tool_choice: { type: 'tool', name: 'web_search' } },
}

// Characters of several bytes: places are counted in characters by two dialects, and in bytes by one.
const QUERY = 'Search: marées à Brest 🌊'
const SENTENCE = `Found on the web: ${QUERY}`
const URLS = ['https://sandbox.example/almanac', 'https://sandbox.example/handbook']

const newest = async () => {
  const [row] = await key.settled()
  if (!row) throw new Error('nothing was charged')
  return row as typeof row & { receipt: { tools?: Record<string, number> } | null }
}

describe.each([[false], [true]])('streamed: %p', (streamed) => {
  test.each(PAIRS)('%s client, %s upstream: calls, citations and price', async (client, upstream) => {
    const answer = await SEARCHERS[client]({
      origin: gateway.url,
      key: key.secret,
      model: `priced-${upstream}`,
      prompt: QUERY,
      streamed,
      more: TOOLS[client],
    })
    expect(answer.text).toContain(SENTENCE)
    expect(answer.cited.map(({ url }) => url)).toEqual(URLS)
    expect(answer.cited.map(({ title }) => title)).toEqual(['Sandbox almanac', 'Sandbox handbook'])
    for (const { words } of answer.cited) {
      // Messages cites for a whole block of text, in both directions.
      if (upstream === 'messages' && client !== 'messages') expect(answer.text).toBe(words)
      else expect([SENTENCE, client === 'messages' && upstream !== 'generate-content' ? '' : SENTENCE]).toContain(words)
    }
    // Chat tells neither the query nor, to its own clients, the call.
    if (client !== 'chat') expect(answer.queries).toEqual(upstream === 'chat' ? UNTOLD[client] : [QUERY])
    if (client === 'messages' || client === 'responses') expect(answer.pages).toEqual(URLS)
    if (client === 'messages') expect(answer.searches).toBe(1)
    const { receipt, cost_usd } = await newest()
    expect(receipt?.tools).toEqual({ web_search: 1 })
    const { input = 0, output = 0 } = receipt?.units ?? {}
    expect(Number(cost_usd)).toBeCloseTo((input * 1 + output * 4) / 1e6 + 0.01, 9)
  })
})

/** What stands in place of a query that is not known. */
const UNTOLD: Record<TextDialectId, string[]> = {
  chat: [],
  responses: [],
  messages: [''],
  'generate-content': [],
}

describe('no price', () => {
  test.each(PAIRS)('%s client, %s upstream: dropped with a warning', async (client, upstream) => {
    const more = TOOLS[client]
    const response = await callIn(client, gateway.url, key.secret, { model: `bare-${upstream}`, prompt: QUERY, more })
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain(URLS[0] ?? '')
    expect(response.headers.get('x-trivium-warnings')).toMatch(/(tools\[0\]\S*|web_search_options);no-price/)
    const { tools = [], web_search_options } = sandbox.last()
    expect([tools, web_search_options]).toEqual([[], undefined])
    expect((await newest()).receipt?.tools).toBeUndefined()
  })

  const forced = PAIRS.filter(([client]) => FORCED[client] !== undefined)
  test.each(forced)('%s client, %s upstream: 400 if it is forced', async (client, upstream) => {
    const asked = sandbox.asked.length
    const options = { model: `bare-${upstream}`, prompt: QUERY, more: FORCED[client] ?? {} }
    const response = await callIn(client, gateway.url, key.secret, options)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('web_search')
    expect(sandbox.asked).toHaveLength(asked)
  })
})

test.each(
  PAIRS.filter(([client]) => FORCED[client] !== undefined),
)('%s client, %s upstream: a forced search that has a price is made, whatever the prompt', async (client, upstream) => {
  const options = { model: `priced-${upstream}`, prompt: 'Hello.', more: FORCED[client] ?? {} }
  const response = await callIn(client, gateway.url, key.secret, options)
  expect(response.status).toBe(200)
  // These two have no field for it.
  const isCertain = upstream === 'responses' || upstream === 'messages'
  if (isCertain) expect(await response.text()).toContain(URLS[0] ?? '')
  if (upstream === 'generate-content')
    expect(response.headers.get('x-trivium-warnings')).toContain('tool_choice;changed')
})

describe('options', () => {
  const where = { city: 'Brest', country: 'FR' }
  const near = { user_location: { type: 'approximate', ...where } }
  const all = {
    tools: [{ type: 'web_search', search_context_size: 'low', filters: { allowed_domains: ['a.example'] }, ...near }],
    max_tool_calls: 2,
  }
  const narrow = { type: 'web_search_20260209', name: 'web_search', max_uses: 3, blocked_domains: ['b.example'] }
  const rows: [TextDialectId, Record<string, unknown>, TextDialectId, Record<string, unknown>, string[]][] = [
    [
      'responses',
      all,
      'messages',
      {
        tools: [
          { type: 'web_search_20250305', name: 'web_search', max_uses: 2, allowed_domains: ['a.example'], ...near },
        ],
      },
      ['tools.search_context_size;dropped'],
    ],
    [
      'responses',
      all,
      'chat',
      {
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: where },
        },
      },
      ['tools.filters.allowed_domains;dropped', 'max_tool_calls;dropped'],
    ],
    [
      'messages',
      { tools: [narrow] },
      'responses',
      { tools: [{ type: 'web_search' }], max_tool_calls: 3 },
      ['tools.blocked_domains;dropped'],
    ],
    [
      'messages',
      { tools: [narrow] },
      'generate-content',
      { tools: [{ googleSearch: {} }] },
      ['tools.blocked_domains;dropped', 'tools.max_uses;dropped'],
    ],
    [
      'generate-content',
      { tools: [{ googleSearch: { excludeDomains: ['b.example'] } }] },
      'messages',
      { tools: [{ type: 'web_search_20250305', name: 'web_search', blocked_domains: ['b.example'] }] },
      [],
    ],
    [
      'chat',
      { web_search_options: { search_context_size: 'high' } },
      'responses',
      { tools: [{ type: 'web_search', search_context_size: 'high' }] },
      [],
    ],
  ]
  test.each(rows)('of %s: %j to %s', async (client, more, upstream, sent, warnings) => {
    const response = await callIn(client, gateway.url, key.secret, { model: `priced-${upstream}`, prompt: QUERY, more })
    expect(response.status).toBe(200)
    expect(sandbox.last()).toMatchObject(sent)
    expect((response.headers.get('x-trivium-warnings') ?? '').split(', ').filter(Boolean)).toEqual(warnings)
  })
})

describe.each(CLIENTS)('%s client: the answer of a search is sent back', (client) => {
  const moves = TEXT_DIALECT_IDS.flatMap((from, index): [TextDialectId, TextDialectId][] => [
    [from, from],
    [from, TEXT_DIALECT_IDS[(index + 1) % TEXT_DIALECT_IDS.length] ?? from],
    [from, TEXT_DIALECT_IDS[(index + 2) % TEXT_DIALECT_IDS.length] ?? from],
  ])
  test.each(moves)('from %s, then to %s', async (from, to) => {
    const asking = { origin: gateway.url, key: key.secret, prompt: QUERY, streamed: false, more: TOOLS[client] }
    const first = await SEARCHERS[client]({ ...asking, model: `priced-${from}` })
    const then = { history: first.history, prompt: 'Search again.' }
    const second = await SEARCHERS[client]({ ...asking, ...then, model: `priced-${to}` })
    expect(second.text).toContain('Found on the web: Search again.')
    expect(second.cited.map(({ url }) => url)).toEqual(URLS)
  })
})

test('a search is charged once also if the answer breaks off before the usage is reported', async () => {
  const events = [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'tide' } },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
    },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'High water' } },
  ]
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  sandbox.intercept(() => new Response(frames, { headers: { 'content-type': 'text/event-stream' } }))
  const options = { model: 'priced-messages', streamed: true, more: TOOLS.responses }
  const response = await callIn('responses', gateway.url, key.secret, options)
  expect(await response.text()).toContain('High water')
  const { request_id, outcome, receipt } = await newest()
  expect(request_id).toBe(response.headers.get('x-request-id') ?? '')
  expect(outcome).toBe('cut')
  expect(receipt?.tools).toEqual({ web_search: 1 })
})

test('a function of the same name keeps it for the client', async () => {
  const tool = { type: 'function', name: 'web_search', parameters: { type: 'object' }, strict: false }
  const more = { tools: [tool, { type: 'web_search' }] }
  const options = { model: 'priced-messages', prompt: 'Call a tool.', more }
  const response = await callIn('responses', gateway.url, key.secret, options)
  const { output } = (await response.json()) as { output: { type: string; name?: string }[] }
  expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'web_search' })
  const names = (sandbox.last().tools as { name: string }[]).map(({ name }) => name)
  expect(new Set(names).size).toBe(2)
})

// The last one: what the gateway learns of a model stays.
test('a model that rejects searches is asked without one, and not again', async () => {
  sandbox.intercept((_, body) => {
    if (body.tools === undefined) return undefined
    const error = {
      type: 'invalid_request_error',
      message: "'sandbox-text' does not support tool types: web_search_20250305",
    }
    return Response.json({ type: 'error', error }, { status: 400 })
  })
  const before = sandbox.asked.length
  const call = () =>
    callIn('chat', gateway.url, key.secret, { model: 'priced-messages', prompt: QUERY, more: TOOLS.chat })
  for (const asked of [2, 3]) {
    const response = await call()
    expect(response.status).toBe(200)
    expect(response.headers.get('x-trivium-warnings')).toContain('web_search_options;dropped')
    expect(sandbox.asked.length - before).toBe(asked)
  }
})
