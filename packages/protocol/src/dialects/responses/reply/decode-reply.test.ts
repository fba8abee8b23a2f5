import { describe, expect, test } from 'bun:test'
import { answering } from '../../../../fixtures/responses/harness.ts'
import { call, message, response, thoughts } from '../../../../fixtures/responses/streams.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeReply } from './encode-reply.ts'

const read = (body: unknown) => {
  const decoded = decodeReply(body)
  if (!decoded.ok) throw new Error(decoded.error.message)
  return decoded.reply
}
const stopOf = (items: object[], more: object = {}) => read(response(items, more)).choices[0]?.stop

describe('why it ended', () => {
  const text = message('msg_1', 'High water.')
  const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }
  const cut = (reason?: string) => ({
    status: 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
  })
  test.each([
    ['text', [text], {}, { raw: 'completed', reason: 'end' }],
    ['nothing', [], {}, { raw: 'completed', reason: 'end' }],
    ['a call', [text, call('a', 'tide', '{}')], {}, { raw: 'completed', reason: 'tool' }],
    ['a refusal', [refusal], {}, { raw: 'completed', reason: 'refusal' }],
    ['the cap', [text], cut('max_output_tokens'), { raw: 'max_output_tokens', reason: 'length' }],
    [
      'the cap, in a call',
      [call('a', 'tide', '{"p')],
      cut('max_output_tokens'),
      { raw: 'max_output_tokens', reason: 'length' },
    ],
    ['a filter', [], cut('content_filter'), { raw: 'content_filter', reason: 'filter' }],
    ['something unsaid', [text], cut(), { raw: 'incomplete', reason: 'length' }],
    ['no status at all', [text], { status: undefined }, { raw: 'completed', reason: 'end' }],
  ] as const)('%s', (_, items, more, expected) => {
    expect(stopOf([...items], more)).toEqual(expected)
  })
})

describe('figures', () => {
  const known = {
    input: 10,
    output: 5,
    cachedInput: undefined,
    cacheWrite: undefined,
    reasoning: undefined,
    absurd: false,
  }
  test.each([
    ['absent', null, undefined],
    ['empty', {}, undefined],
    ['without details', { input_tokens: 10, output_tokens: 5, total_tokens: 15 }, known],
    ['zeros', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }, { ...known, input: 0, output: 0 }],
    [
      'with everything',
      {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
        output_tokens_details: { reasoning_tokens: 3 },
      },
      { ...known, cachedInput: 4, cacheWrite: 2, reasoning: 3 },
    ],
    [
      'whose total shows that reasoning is counted apart',
      { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 }, total_tokens: 18 },
      { ...known, output: 8, reasoning: 3 },
    ],
    ['by other names', { prompt_tokens: 10, completion_tokens: 5 }, known],
    ['that cannot be', { input_tokens: -1, output_tokens: 5 }, { ...known, input: undefined, absurd: true }],
  ])('%s', (_, usage, expected) => {
    expect(read(response([], { usage })).usage).toEqual(expected)
  })
})

test('an item without an id, a call without one, arguments that are an object', () => {
  const items = [
    { type: 'message', content: [{ text: 'Hi' }] },
    { type: 'function_call', name: 'now', arguments: { a: 1 } },
  ]
  expect(read({ output: items }).choices[0]?.blocks).toEqual([
    { type: 'text', text: 'Hi', citations: [] },
    { type: 'call', id: expect.stringMatching(/^call_\w{13}_0$/), name: 'now', arguments: '{"a":1}', custom: false },
  ])
})

test('reasoning without text and without a signature is dropped', () => {
  expect(read(response([thoughts('rs_1', [], { content: [], encrypted_content: null })])).choices[0]?.blocks).toEqual(
    [],
  )
})

describe('what is no answer', () => {
  test.each([
    ['an error in its envelope', { error: { type: 'invalid_request_error', message: 'no' } }, 'bad_request'],
    [
      'a failed response',
      { ...response([]), status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } },
      'rate_limit_exceeded',
    ],
    ['a failed one without a reason', { ...response([]), status: 'failed' }, 'upstream_error'],
    ['a cancelled one', response([], { status: 'cancelled' }), 'upstream_error'],
    ['one that has not begun', response([], { status: 'queued' }), 'upstream_error'],
    ['an error that is text', { error: 'out of memory' }, 'upstream_error'],
    ['an error without an envelope', { message: 'x', code: 'context_length_exceeded' }, 'context_length_exceeded'],
    ['another dialect', { choices: [] }, 'upstream_error'],
    ['output that is null', { ...response([]), output: null }, 'upstream_error'],
    ['text', '<html>', 'upstream_error'],
    ['nothing', undefined, 'upstream_error'],
    ['a list', [], 'upstream_error'],
  ])('%s', (_, body, code) => {
    expect(decodeReply(body)).toMatchObject({ ok: false, error: { code } })
  })
  test('rubbish among the items is no reason to fail', () => {
    const output = [
      null,
      7,
      { type: 'message' },
      { type: 'message', content: [null, 'x'] },
      { content: 1 },
      message('m', 'Hi'),
    ]
    expect(read({ output }).choices[0]?.blocks).toEqual([{ type: 'text', text: 'Hi', citations: [] }])
  })
})

test('an answer is written with every field that the SDK’s types demand', () => {
  const written = encodeReply(read(response([message('msg_1', 'Hi')])), answering())
  for (const field of [
    'id',
    'object',
    'created_at',
    'status',
    'error',
    'incomplete_details',
    'instructions',
    'metadata',
  ]) {
    expect(written).toHaveProperty(field)
  }
  for (const field of [
    'model',
    'output',
    'parallel_tool_calls',
    'temperature',
    'tool_choice',
    'tools',
    'top_p',
    'usage',
  ]) {
    expect(written).toHaveProperty(field)
  }
  expect(written).toMatchObject({
    id: 'resp_h7',
    object: 'response',
    model: 'harbour-large',
    status: 'completed',
    output: [
      {
        id: 'msg_h7_0',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
      },
    ],
  })
})

test('searches are told with what they found; looking at a page is none of its own', () => {
  const source = { type: 'url', url: 'https://a.example' }
  const items = [
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'tide', sources: [source] },
    },
    {
      type: 'web_search_call',
      id: 'ws_2',
      status: 'completed',
      action: { type: 'open_page', url: 'https://a.example' },
    },
    { type: 'web_search_call', id: 'ws_3', status: 'failed', action: { type: 'search', queries: ['wind', 'waves'] } },
    message('msg_1', 'High water.'),
  ]
  const { choices, omitted, usage } = read(response(items))
  expect(choices[0]?.blocks).toEqual([
    { type: 'search', queries: ['tide'], results: [{ url: 'https://a.example' }] },
    { type: 'search', queries: ['wind', 'waves'], results: [], failed: true },
    { type: 'text', text: 'High water.', citations: [] },
  ])
  expect(omitted).toEqual([])
  expect(usage?.toolCalls).toEqual({ web_search: 1 })
})
