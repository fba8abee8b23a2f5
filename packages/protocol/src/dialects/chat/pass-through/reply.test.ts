import { describe, expect, test } from 'bun:test'
import { bytesOf, bufferCodec as codec, textOf } from '../../../../fixtures/buffer-codec.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { decodeUsage } from '../reply/usage.ts'
import { chatFinish, readChatReply, renameModel } from './reply.ts'

const UNKNOWN: Usage = {
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
}

const replyWith = (message: unknown, more: object = {}) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1767225600,
    model: 'up-1',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    ...more,
  })

function good(body: string) {
  const reply = readChatReply(bytesOf(body), codec)
  if (!reply.ok) throw new Error(reply.message)
  return reply
}

describe('usage', () => {
  const table: [string, unknown, Usage | undefined][] = [
    ['absent', undefined, undefined],
    ['null', null, undefined],
    ['says nothing', {}, undefined],
    ['not an object', [1], undefined],
    ['plain', { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }, { ...UNKNOWN, input: 3, output: 4 }],
    ['an explicit zero stays zero', { prompt_tokens: 0, completion_tokens: 0 }, { ...UNKNOWN, input: 0, output: 0 }],
    ['one figure', { completion_tokens: 4 }, { ...UNKNOWN, output: 4 }],
    [
      'details',
      {
        prompt_tokens: 61,
        completion_tokens: 17,
        prompt_tokens_details: { cached_tokens: 32, cache_write_tokens: 5, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      { ...UNKNOWN, input: 61, output: 17, cachedInput: 32, cacheWrite: 5, reasoning: 4, audioInput: 0 },
    ],
    [
      'details that are null',
      { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: null, completion_tokens_details: null },
      { ...UNKNOWN, input: 1, output: 2 },
    ],
    [
      'cache hits under another name',
      { prompt_tokens: 339, completion_tokens: 83, prompt_cache_hit_tokens: 320, prompt_cache_miss_tokens: 19 },
      { ...UNKNOWN, input: 339, output: 83, cachedInput: 320 },
    ],
    [
      'cached tokens beside the others',
      { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 4 },
      { ...UNKNOWN, input: 10, output: 1, cachedInput: 4 },
    ],
    [
      'reasoning counted beside the output',
      {
        prompt_tokens: 12,
        completion_tokens: 2,
        total_tokens: 354,
        completion_tokens_details: { reasoning_tokens: 340 },
      },
      { ...UNKNOWN, input: 12, output: 342, reasoning: 340 },
    ],
    [
      'reasoning within the output',
      {
        prompt_tokens: 18,
        completion_tokens: 219,
        total_tokens: 237,
        completion_tokens_details: { reasoning_tokens: 205 },
      },
      { ...UNKNOWN, input: 18, output: 219, reasoning: 205 },
    ],
    ['negative', { prompt_tokens: -3, completion_tokens: 4 }, { ...UNKNOWN, output: 4, absurd: true }],
    ['fractional', { prompt_tokens: 3, completion_tokens: 4.5 }, { ...UNKNOWN, input: 3, absurd: true }],
    ['a string', { prompt_tokens: '3', completion_tokens: 4 }, { ...UNKNOWN, output: 4, absurd: true }],
    ['too large', { prompt_tokens: 3, completion_tokens: 1e8 + 1 }, { ...UNKNOWN, input: 3, absurd: true }],
    ['just not too large', { prompt_tokens: 3, completion_tokens: 1e8 }, { ...UNKNOWN, input: 3, output: 1e8 }],
    ['all absurd', { prompt_tokens: 'a', completion_tokens: {} }, { ...UNKNOWN, absurd: true }],
    [
      'more cached than there is input',
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 11 } },
      { ...UNKNOWN, input: 10, output: 1, cachedInput: 10, absurd: true },
    ],
    [
      'more written to a cache than there is uncached input',
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 7 } },
      { ...UNKNOWN, input: 10, output: 1, cachedInput: 4, cacheWrite: 6, absurd: true },
    ],
    [
      'more reasoning than output',
      { prompt_tokens: 10, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
      { ...UNKNOWN, input: 10, output: 1, reasoning: 1, absurd: true },
    ],
  ]
  test.each(table)('%s', (_name, usage, expected) => {
    expect(decodeUsage(usage)).toEqual(expected as Usage)
    expect(good(replyWith({ content: 'x' }, usage === undefined ? {} : { usage })).usage).toEqual(expected as Usage)
  })
})

test.each([
  ['stop', 'completed'],
  ['length', 'incomplete'],
  ['model_length', 'incomplete'],
  ['content_filter', 'content_filtered'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['some_new_word', 'completed'],
  ['constructor', 'completed'],
] as const)('finish reason %s is %s', (raw, unified) => {
  expect(chatFinish(raw)).toEqual({ raw, unified })
  const body = JSON.stringify({ choices: [{ index: 0, message: {}, finish_reason: raw }] })
  expect(good(body).finish).toEqual({ raw, unified })
})

describe('bytes of output', () => {
  const table: [string, unknown, number][] = [
    ['text', { role: 'assistant', content: 'hello', refusal: null }, 5],
    ['none', { role: 'assistant', content: null }, 0],
    ['more than ASCII', { content: 'é北🦊' }, 9],
    ['line breaks and quotes count once', { content: 'a\n"b"\\\t' }, 7],
    ['reasoning', { content: 'hi', reasoning_content: 'because' }, 9],
    [
      'reasoning under both names counts once',
      { content: 'hi', reasoning_content: 'because', reasoning: 'because' },
      9,
    ],
    [
      'reasoning repeated in details counts once',
      { content: 'hi', reasoning: 'so', reasoning_details: [{ text: 'so' }] },
      4,
    ],
    ['refusal', { content: null, refusal: 'no' }, 2],
    [
      'arguments of several calls',
      { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"a":1}' } }, { function: { arguments: '{}' } }] },
      9,
    ],
    ['input of custom tools', { tool_calls: [{ type: 'custom', custom: { name: 'f', input: 'abc' } }] }, 3],
    [
      'content parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'ok' },
        ],
      },
      4,
    ],
    ['citations are not output', { content: 'x', annotations: [{ url_citation: { content: 'quoted page' } }] }, 1],
    ['text that looks like JSON', { content: '{"content":"not counted twice"}' }, 31],
  ]
  test.each(table)('%s', (_name, message, expected) => {
    for (const indent of [0, 2])
      expect(good(JSON.stringify(JSON.parse(replyWith(message)), null, indent)).outputBytes).toBe(expected)
  })

  test('escaped and plain letters count the same', () => {
    expect(
      good('{"choices":[{"message":{"content":"\\u0041\\u00e9\\u5317\\ud83e\\udd8a\\u007f\\u0080\\u07ff\\u0800"}}]}')
        .outputBytes,
    ).toBe(new TextEncoder().encode('Aé北🦊\u007f\u0080\u07ff\u0800').length)
  })

  test('log probabilities are not output, and all choices count', () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }], refusal: null }
    const choice = (content: string) => ({ message: { content }, logprobs, finish_reason: 'length' })
    const reply = good(JSON.stringify({ choices: [choice('a'), choice('bc')] }))
    expect(reply).toMatchObject({ outputBytes: 3, choices: 2, finish: { raw: 'length' } })
  })

  test('a large reply is read the same way', () => {
    const text = '北 "quoted"\n'.repeat(50_000)
    const reply = good(replyWith({ content: text }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }))
    expect(reply.outputBytes).toBe(new TextEncoder().encode(text).length)
    expect(reply.usage).toEqual({ ...UNKNOWN, input: 1, output: 2 })
  })
})

describe('the model name', () => {
  test('only the top-level one is replaced, and no other byte', () => {
    const body = '{ "choices":[{"message":{"content":"x","model":"inner"}}] , "model" : "up-1" ,"é":"\\u00e9" }\n'
    const { model } = good(body)
    if (model === undefined) throw new Error('not found')
    expect(textOf(renameModel(bytesOf(body), model, 'mine "x"', codec))).toBe(body.replace('"up-1"', '"mine \\"x\\""'))
  })

  test('none, or not a string', () => {
    expect(good('{"choices":[{}]}').model).toBeUndefined()
    expect(good('{"model":null,"choices":[{}]}').model).toBeUndefined()
  })
})

describe('what is not a reply', () => {
  const table: [string, string, object][] = [
    ['nothing', '', { problem: 'not_json' }],
    ['a page', '<html>bad gateway</html>', { problem: 'not_json' }],
    ['a cut reply', replyWith({ content: 'x' }).slice(0, -5), { problem: 'not_json' }],
    ['a large cut reply', replyWith({ content: 'x'.repeat(20_000) }).slice(0, -1), { problem: 'not_json' }],
    ['an invalid escape', '{"choices":[{"message":{"content":"\\x"}}]}', { problem: 'not_json' }],
    ['an array', '[]', { problem: 'not_json' }],
    ['an error', '{"error":{"message":"overloaded","type":"x"}}', { problem: 'error', message: 'overloaded' }],
    ['an error as text', '{"error":"overloaded"}', { problem: 'error', message: 'overloaded' }],
    [
      'an error beside choices',
      '{"choices":[{}],"error":{"code":1}}',
      { problem: 'error', body: { choices: [{}], error: { code: 1 } } },
    ],
    ['an empty object', '{}', { problem: 'no_choices', body: {} }],
    ['no choices', '{"choices":[],"usage":{"prompt_tokens":1}}', { problem: 'no_choices' }],
    ['choices null', '{"choices":null}', { problem: 'no_choices' }],
  ]
  test.each(table)('%s', (_name, body, expected) => {
    expect(readChatReply(bytesOf(body), codec)).toMatchObject({ ok: false, ...expected })
  })

  test('an error that is null is none', () => {
    expect(good('{"choices":[{}],"error":null}').choices).toBe(1)
  })
})

test.each<[string, object]>([
  [
    'within the last choice',
    { choices: [{ index: 0, message: { content: 'a' }, usage: { prompt_tokens: 3, completion_tokens: 2 } }] },
  ],
  ['within an extension', { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 2 } } }],
])('usage %s is found whether or not the model is to be renamed', (_, more) => {
  const bytes = bytesOf(replyWith({ role: 'assistant', content: 'a' }, more))
  for (const isRenamed of [false, true])
    expect(readChatReply(bytes, codec, isRenamed)).toMatchObject({ ok: true, usage: { input: 3, output: 2 } })
})
