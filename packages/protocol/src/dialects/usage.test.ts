// Every figure that vendors price apart, in every dialect: read the same from a whole answer and from a stream, on its
// way through and in neutral terms.
import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../fixtures/buffer-codec.ts'
import { eventsOf } from '../../fixtures/matrix.ts'
import { dataIn, meterText, named, unnamed } from '../../fixtures/shared/metered.ts'
import type { Id } from '../../fixtures/shared/pass-through-requests.ts'
import { fold } from '../canonical/reply.ts'
import type { Usage } from '../canonical/usage.ts'
import { TEXT_DIALECTS } from './index.ts'

const NOTHING = {
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
}
const DONE = 'data: [DONE]\n\n'

type Both = { whole: object; stream: string }

/** `top`: members beside the choices; `said`: members of the message. */
function chat(usage: object, top: object = {}, said: object = {}): Both {
  const facts = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...top }
  const choice = (delta: object, finish_reason: string | null) => [{ index: 0, delta, finish_reason }]
  return {
    whole: {
      ...facts,
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi', ...said }, finish_reason: 'stop' }],
      usage,
    },
    stream:
      unnamed(
        { ...facts, choices: choice({ role: 'assistant', content: 'h' }, null) },
        { ...facts, choices: choice({ content: 'i', ...said }, null) },
        { ...facts, choices: choice({}, 'stop') },
        { ...facts, choices: [], usage },
      ) + DONE,
  }
}

const MESSAGE = { id: 'm', type: 'message', status: 'completed', role: 'assistant' }
const SPOKEN = { ...MESSAGE, content: [{ type: 'output_text', text: 'hi', annotations: [] }] }

/** `items`: of hosted tools, before the message. */
function responses(usage: object, top: object = {}, items: readonly object[] = []): Both {
  const response = { id: 'r', object: 'response', model: 'm', ...top }
  const output = [...items, SPOKEN]
  const done = { ...response, status: 'completed', output, usage }
  return {
    whole: done,
    stream: named(
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response: done },
    ),
  }
}

function messages(usage: object, top: object = {}): Both {
  const { output_tokens, server_tool_use, iterations, ...input } = usage as Record<string, unknown>
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  return {
    whole: { ...message, content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn', usage, ...top },
    stream: named(
      { type: 'message_start', message: { ...message, usage: { ...input, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', ...top },
        usage: { output_tokens, server_tool_use, iterations },
      },
      { type: 'message_stop' },
    ),
  }
}

function gemini(usageMetadata: object, candidate: object = {}, modelVersion = 'gemini-3-pro'): Both {
  const text = (said: string) => ({ content: { role: 'model', parts: [{ text: said }] }, index: 0 })
  const { candidatesTokenCount: _, candidatesTokensDetails: __, ...early } = usageMetadata as Record<string, unknown>
  return {
    whole: { candidates: [{ ...text('hi'), finishReason: 'STOP', ...candidate }], usageMetadata, modelVersion },
    stream: unnamed(
      { candidates: [text('h')], usageMetadata: early, modelVersion },
      { candidates: [{ ...text('i'), ...candidate }], modelVersion },
      { candidates: [{ ...text(''), finishReason: 'STOP', ...candidate }], usageMetadata, modelVersion },
    ),
  }
}

const found = (...queries: string[]) => ({ groundingMetadata: { webSearchQueries: queries } })
const cited = {
  annotations: [
    { type: 'url_citation', url_citation: { url: 'https://a.b', title: 't', start_index: 0, end_index: 1 } },
  ],
}
const PLAIN = { prompt_tokens: 90, completion_tokens: 40 }
const CHAT = { ...NOTHING, input: 90, output: 40 }
const R_PLAIN = { input_tokens: 90, output_tokens: 40 }
const M_PLAIN = { input_tokens: 60, cache_read_input_tokens: 20, cache_creation_input_tokens: 10, output_tokens: 40 }
const MESSAGES = { ...NOTHING, input: 90, output: 40, cachedInput: 20, cacheWrite: 10 }
const G_PLAIN = { promptTokenCount: 90, candidatesTokenCount: 40, totalTokenCount: 130 }
const search = (type: string | undefined, id: string) => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  ...(type === undefined ? {} : { action: { type } }),
})
const ran = (id: string, container_id: string) => ({ type: 'code_interpreter_call', id, container_id })
const of = (count: number, modality: string) => ({ modality, tokenCount: count })

const TABLE: [Id, string, Both, Partial<Usage>][] = [
  [
    'chat',
    'sound and images',
    chat({
      ...PLAIN,
      prompt_tokens_details: {
        audio_tokens: 30,
        image_tokens: 20,
        cached_tokens: 10,
        cached_tokens_details: { audio_tokens: 5 },
      },
      completion_tokens_details: { audio_tokens: 25, image_tokens: 5, reasoning_tokens: 10 },
    }),
    {
      ...CHAT,
      cachedInput: 10,
      reasoning: 10,
      audioInput: 30,
      imageInput: 20,
      cachedAudioInput: 5,
      audioOutput: 25,
      imageOutput: 5,
    },
  ],
  ['chat', 'a tier', chat(PLAIN, { service_tier: 'priority' }), { ...CHAT, tier: 'priority' }],
  ['chat', 'a tier that is not told', chat(PLAIN, { service_tier: null }), CHAT],
  ['chat', 'a cost', chat({ ...PLAIN, cost: 0.00014 }), { ...CHAT, upstreamCost: '0.00014' }],
  ['chat', 'pages that were found', chat(PLAIN, {}, cited), { ...CHAT, toolCalls: { web_search: 1 } }],
  ['chat', 'notes that are no pages', chat(PLAIN, {}, { annotations: [{ type: 'file', file: { hash: 'x' } }] }), CHAT],
  ['chat', 'sources beside', chat(PLAIN, { citations: ['https://a.b'] }), { ...CHAT, toolCalls: { web_search: 1 } }],
  ['chat', 'no sources beside', chat(PLAIN, { citations: [], search_results: [] }), CHAT],
  ['chat', 'sources by number', chat({ ...PLAIN, num_sources_used: 7 }), { ...CHAT, toolCalls: { web_search: 7 } }],
  ['chat', 'no sources by number', chat({ ...PLAIN, num_sources_used: 0 }, {}, cited), CHAT],
  ['chat', 'queries', chat({ ...PLAIN, num_search_queries: 3 }, {}, cited), { ...CHAT, toolCalls: { web_search: 3 } }],
  [
    'chat',
    'calls by name',
    chat({ ...PLAIN, server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1, mcp_calls: 4 } }),
    { ...CHAT, toolCalls: { web_search: 2, x_search: 1 } },
  ],
  [
    'chat',
    'more sound than input',
    chat({ ...PLAIN, prompt_tokens_details: { audio_tokens: 91 } }),
    { ...CHAT, audioInput: 90, absurd: true },
  ],
  ['chat', 'fewer than no sources', chat({ ...PLAIN, num_sources_used: -1 }), { ...CHAT, absurd: true }],

  ['responses', 'a tier', responses(R_PLAIN, { service_tier: 'flex' }), { ...CHAT, tier: 'flex' }],
  [
    'responses',
    'details',
    responses({
      ...R_PLAIN,
      input_tokens_details: { cached_tokens: 10, cache_write_tokens: 5, audio_tokens: 4, image_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 9, image_tokens: 2 },
    }),
    { ...CHAT, cachedInput: 10, cacheWrite: 5, reasoning: 9, audioInput: 4, imageInput: 3, imageOutput: 2 },
  ],
  [
    'responses',
    'searches, of which pages are only opened',
    responses(R_PLAIN, {}, [search('search', 'a'), search('open_page', 'b'), search(undefined, 'c')]),
    { ...CHAT, toolCalls: { web_search: 2 } },
  ],
  [
    'responses',
    'searches that the vendor counted',
    responses(R_PLAIN, { tool_usage: { web_search: { num_requests: 3 } } }, [search('search', 'a')]),
    { ...CHAT, toolCalls: { web_search: 3 } },
  ],
  [
    'responses',
    'items without ids are one each',
    responses(R_PLAIN, {}, [{ type: 'file_search_call' }, { type: 'file_search_call' }]),
    { ...CHAT, toolCalls: { file_search: 2 } },
  ],
  [
    'responses',
    'calls in one container are one',
    responses(R_PLAIN, {}, [ran('a', 'c1'), ran('b', 'c1'), ran('c', 'c2')]),
    { ...CHAT, toolCalls: { code_interpreter: 2 } },
  ],
  [
    'responses',
    'shells of the vendor, not of the caller',
    responses(R_PLAIN, {}, [
      { type: 'shell_call', id: 'a', environment: { type: 'container_reference', container_id: 'c1' } },
      { type: 'shell_call', id: 'b', environment: { type: 'local' } },
      { type: 'shell_call', id: 'c' },
    ]),
    { ...CHAT, toolCalls: { container: 1 } },
  ],
  [
    'responses',
    'images, but not one that failed, nor what costs only tokens',
    responses(R_PLAIN, {}, [
      { type: 'image_generation_call', id: 'a', status: 'completed' },
      { type: 'image_generation_call', id: 'b', status: 'failed' },
      { type: 'mcp_call', id: 'c' },
      { type: 'computer_call', id: 'd' },
    ]),
    { ...CHAT, toolCalls: { image_generation: 1 } },
  ],
  [
    'responses',
    'a service that counts and bills',
    responses(
      {
        ...R_PLAIN,
        server_side_tool_usage_details: { x_search_calls: 3, code_interpreter_calls: 0 },
        cost_in_usd_ticks: 37_756_000,
      },
      {},
      [{ type: 'code_interpreter_call', id: 'a' }],
    ),
    { ...CHAT, toolCalls: { x_search: 3, code_interpreter: 1 }, upstreamCost: '0.0037756' },
  ],

  [
    'messages',
    'caches by lifetime',
    messages({ ...M_PLAIN, cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 } }),
    { ...MESSAGES, cacheWriteLong: 6 },
  ],
  [
    'messages',
    'a cache that lasts longer than it was written',
    messages({ ...M_PLAIN, cache_creation: { ephemeral_1h_input_tokens: 60 } }),
    { ...MESSAGES, cacheWriteLong: 10, absurd: true },
  ],
  [
    'messages',
    'searches and fetches',
    messages({ ...M_PLAIN, server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } }),
    { ...MESSAGES, toolCalls: { web_search: 2, web_fetch: 1 } },
  ],
  ['messages', 'none of them', messages({ ...M_PLAIN, server_tool_use: { web_search_requests: 0 } }), MESSAGES],
  ['messages', 'a tier', messages({ ...M_PLAIN, service_tier: 'priority' }), { ...MESSAGES, tier: 'priority' }],
  [
    'messages',
    'speed, which is sold like a tier',
    messages({ ...M_PLAIN, service_tier: 'standard', speed: 'fast' }),
    { ...MESSAGES, tier: 'fast' },
  ],
  [
    'messages',
    'the usual speed',
    messages({ ...M_PLAIN, service_tier: 'standard', speed: 'standard' }),
    { ...MESSAGES, tier: 'standard' },
  ],
  [
    'messages',
    'code that was run',
    messages(M_PLAIN, { container: { id: 'c', expires_at: 'x' } }),
    { ...MESSAGES, toolCalls: { code_interpreter: 1 } },
  ],
  [
    'messages',
    'code that a search ran for itself',
    messages({ ...M_PLAIN, server_tool_use: { web_search_requests: 1 } }, { container: { id: 'c' } }),
    { ...MESSAGES, toolCalls: { web_search: 1 } },
  ],
  [
    'messages',
    'summaries, which the vendor counts beside',
    messages({
      ...M_PLAIN,
      iterations: [
        { type: 'compaction', input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 30 },
        { type: 'message', input_tokens: 60, output_tokens: 40 },
        { type: 'compaction', input_tokens: 50, cache_creation_input_tokens: 5, output_tokens: 8 },
      ],
    }),
    { ...MESSAGES, input: 252, output: 78, cachedInput: 27, cacheWrite: 15 },
  ],

  [
    'generate-content',
    'sound and images',
    gemini({
      ...G_PLAIN,
      cachedContentTokenCount: 10,
      promptTokensDetails: [of(40, 'TEXT'), of(30, 'AUDIO'), of(20, 'IMAGE')],
      cacheTokensDetails: [of(5, 'TEXT'), of(5, 'AUDIO')],
      candidatesTokensDetails: [of(25, 'AUDIO'), of(15, 'IMAGE')],
    }),
    {
      ...CHAT,
      cachedInput: 10,
      audioInput: 30,
      imageInput: 20,
      cachedAudioInput: 5,
      audioOutput: 25,
      imageOutput: 15,
    },
  ],
  [
    'generate-content',
    'what tools brought',
    gemini({
      ...G_PLAIN,
      toolUsePromptTokenCount: 10,
      thoughtsTokenCount: 5,
      totalTokenCount: 145,
      toolUsePromptTokensDetails: [of(3, 'TEXT'), of(7, 'IMAGE')],
    }),
    { ...NOTHING, input: 100, output: 45, reasoning: 5, imageInput: 7 },
  ],
  [
    'generate-content',
    'queries, each once',
    gemini(G_PLAIN, found('a', 'b', '')),
    { ...CHAT, toolCalls: { web_search: 2 } },
  ],
  [
    'generate-content',
    'queries of a model that is billed by the answer',
    gemini(G_PLAIN, found('a', 'b'), 'gemini-2.5-flash'),
    { ...CHAT, toolCalls: { web_search: 1 } },
  ],
  ['generate-content', 'sources without a search', gemini(G_PLAIN, found()), CHAT],
  [
    'generate-content',
    'places on a map',
    gemini(G_PLAIN, { groundingMetadata: { groundingChunks: [{ maps: { uri: 'https://a.b', title: 't' } }] } }),
    { ...CHAT, toolCalls: { google_maps: 1 } },
  ],
  [
    'generate-content',
    'traffic that has a price of its own',
    gemini({ ...G_PLAIN, trafficType: 'ON_DEMAND_PRIORITY' }),
    { ...CHAT, tier: 'priority' },
  ],
  [
    'generate-content',
    'usual traffic',
    gemini({ ...G_PLAIN, trafficType: 'ON_DEMAND' }),
    { ...CHAT, tier: 'standard' },
  ],
  ['generate-content', 'traffic unknown', gemini({ ...G_PLAIN, trafficType: 'TRAFFIC_TYPE_UNSPECIFIED' }), CHAT],
]

describe.each(TABLE)('%s: %s', (id, _name, { whole, stream }, figures) => {
  const dialect = TEXT_DIALECTS[id]
  const expected = { absurd: false, ...figures } as Usage
  const passed = (body: object, renameTo?: string): Usage | undefined => {
    const reply = dialect.passThrough.readReply(bytesOf(JSON.stringify(body)), bufferCodec, renameTo)
    return reply.ok ? reply.usage : undefined
  }

  test('whole', () => {
    const decoded = dialect.decodeReply(whole)
    expect(decoded.ok && decoded.reply.usage).toEqual(expected)
  })
  test('whole, passing, also where it is renamed or too long to be parsed', () => {
    expect(passed(whole)).toEqual(expected)
    expect(passed(whole, 'other')).toEqual(expected)
    expect(passed({ ...whole, padding: 'x'.repeat(40_000) })).toEqual(expected)
  })
  test('streamed', () => {
    expect(fold(eventsOf(dialect, bytesOf(stream))).usage).toEqual(expected)
  })
  test('streamed, passing', () => {
    expect(meterText(dialect.passThrough, stream).state.usage).toEqual(expected)
    expect(meterText(dialect.passThrough, stream, { renameTo: 'other' }).state.usage).toEqual(expected)
  })
})

test('calls of a responses stream that breaks off are known', () => {
  const { stream } = responses(R_PLAIN, {}, [search('search', 'a')])
  const cut = stream.slice(0, stream.indexOf('event: response.completed'))
  expect(meterText(TEXT_DIALECTS.responses.passThrough, cut).state.usage).toEqual({
    ...NOTHING,
    toolCalls: { web_search: 1 },
    absurd: false,
  })
  expect(dataIn(cut).length).toBeGreaterThan(2)
})
