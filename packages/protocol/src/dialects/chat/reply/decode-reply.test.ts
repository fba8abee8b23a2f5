import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ANSWERS, reply, usageOf } from '../../../../fixtures/chat/answers.ts'
import { answeringOf, checkRules, eventsOf, framed } from '../../../../fixtures/chat/harness.ts'
import { type Block, type CanonicalReply, fold } from '../../../canonical/reply.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeReply } from './encode-reply.ts'

const USAGE = usageOf({ input: 12, output: 5 })

function decoded(body: unknown): CanonicalReply {
  const read = decodeReply(body)
  if (!read.ok) throw new Error(read.error.message)
  return read.reply
}

describe.each([...ANSWERS])('$name', ({ whole, stream, means }) => {
  const expected: CanonicalReply = { id: 'chatcmpl-7', choices: [], usage: USAGE, omitted: [], ...means }

  // Only at its end a stream says what was found; a whole answer has the search before what cites it.
  const inOrder = expected.choices.map(({ blocks, ...choice }) => ({ ...choice, blocks: searchFirst(blocks) }))
  test('whole', () => expect(decoded(whole)).toEqual({ ...expected, choices: inOrder }))

  test('as a stream', () => {
    const events = eventsOf(framed(stream))
    checkRules(events)
    expect(fold(events)).toEqual(expected)
  })

  test('as a stream that is cut anywhere', () => {
    const text = framed(stream)
    const events = eventsOf(text)
    for (let length = 1; length < 40; length++) expect(eventsOf(text, length)).toEqual(events)
    expect(eventsOf(text.replaceAll('\n', '\r\n').replaceAll('data: ', ': beat\r\ndata:'), 3)).toEqual(events)
  })

  test('written and read again', () => {
    const written = encodeReply({ ...expected, omitted: [] }, answeringOf({ seal: (signature) => signature }))
    const again = decoded(written)
    for (const [index, { blocks, stop }] of inOrder.entries()) {
      expect(again.choices[index]?.blocks).toEqual(blocks.map(asWritten))
      expect(again.choices[index]?.stop?.reason).toBe(stop?.reason ?? 'end')
    }
  })
})

const searchFirst = (blocks: readonly Block[]): Block[] => [
  ...blocks.filter(({ type }) => type === 'search'),
  ...blocks.filter(({ type }) => type !== 'search'),
]

/** What the dialect demands and the upstream did not say. */
function asWritten(block: Block): Block {
  if (block.type === 'call') return { ...block, arguments: block.arguments || '{}' }
  if (block.type !== 'text') return block
  const placed = block.citations.map((citation) => ({ start: 0, end: block.text.length, ...citation }))
  return { ...block, citations: placed }
}

describe('usage', () => {
  const table: [name: string, top: object, expected: object | undefined][] = [
    ['none', { usage: undefined }, undefined],
    ['null', { usage: null }, undefined],
    [
      'counted apart',
      {
        usage: {
          prompt_tokens: 3,
          completion_tokens: 2,
          total_tokens: 9,
          completion_tokens_details: { reasoning_tokens: 4 },
        },
      },
      { input: 3, output: 6, reasoning: 4 },
    ],
    [
      'cache hits',
      { usage: { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 8 } },
      { input: 9, output: 1, cachedInput: 8 },
    ],
    [
      'cached beside',
      { usage: { prompt_tokens: 9, completion_tokens: 1, cached_tokens: 8 } },
      { input: 9, output: 1, cachedInput: 8 },
    ],
    [
      'in an extension',
      { usage: undefined, x_groq: { usage: { prompt_tokens: 9, completion_tokens: 1 } } },
      { input: 9, output: 1 },
    ],
    [
      'in the choice',
      {
        usage: undefined,
        choices: [
          { message: { content: 'x' }, finish_reason: 'stop', usage: { prompt_tokens: 9, completion_tokens: 1 } },
        ],
      },
      { input: 9, output: 1 },
    ],
  ]
  test.each(table)('%s', (_name, top, expected) => {
    expect(decoded(reply({ content: 'x' }, {}, top)).usage).toEqual(expected && usageOf(expected))
  })
})

describe('ends', () => {
  test.each([
    ['stop', 'end', 'stop'],
    ['length', 'length', 'length'],
    ['model_length', 'context', 'length'],
    ['max_tokens', 'length', 'length'],
    ['tool_calls', 'tool', 'tool_calls'],
    ['content_filter', 'filter', 'content_filter'],
    ['eos', 'end', 'stop'],
    ['insufficient_system_resource', 'other', 'stop'],
    ['constructor', 'other', 'stop'],
  ])('%s', (raw, reason, word) => {
    const read = decoded(reply({ content: 'x' }, { finish_reason: raw }))
    expect(read.choices[0]?.stop).toEqual({ raw, reason } as never)
    expect(encodeReply(read, answeringOf()).choices[0]?.finish_reason).toBe(word as never)
  })
})

describe('what is no answer', () => {
  const table: [name: string, body: unknown, error: object][] = [
    ['nothing', undefined, { code: 'upstream_error' }],
    ['a text', 'hello', { code: 'upstream_error' }],
    ['an empty object', {}, { code: 'upstream_error' }],
    ['no choices', { choices: [] }, { code: 'upstream_error' }],
    ['an error', { error: { message: 'slow down', type: 'rate_limit_error' } }, { code: 'rate_limit_exceeded' }],
    ['an error beside choices', { error: { message: 'x' }, choices: [{}] }, { code: 'upstream_error' }],
    ['an error as text', { error: 'overloaded' }, { code: 'upstream_error' }],
    ['an error object', { object: 'error', message: 'x', code: 400 }, { code: 'bad_request' }],
    ['a validator', { detail: [{ msg: 'x' }] }, { code: 'upstream_error' }],
  ]
  test.each(table)('%s', (_name, body, error) => {
    expect(decodeReply(body)).toMatchObject({ ok: false, error })
  })

  test.each([
    [{ choices: [null] }],
    [{ choices: [{ index: 5e9 }] }],
    [{ choices: [{ message: 5 }], error: null }],
  ])('an answer all the same: %j', (body) =>
    expect(decodeReply(body)).toMatchObject({ ok: true, reply: { choices: [{ blocks: [] }] } }))
})

describe('written', () => {
  const base: CanonicalReply = { id: 'x', choices: [], usage: undefined, omitted: [] }

  test('everything that clients count on is there', () => {
    expect(encodeReply(base, answeringOf())).toEqual({
      id: 'chatcmpl-a1b2',
      object: 'chat.completion',
      created: 1_767_225_600,
      model: 'harbour-1',
      choices: [
        { index: 0, message: { role: 'assistant', content: '', refusal: null }, logprobs: null, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 0,
        total_tokens: 7,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
  })

  const thinking = {
    ...base,
    choices: [
      {
        blocks: [
          { type: 'reasoning', text: 'Hé', style: 'full', signature: 'S' } as const,
          { type: 'redacted', data: 'x' } as const,
          { type: 'text', text: 'One. ', citations: [] } as const,
          {
            type: 'text',
            text: 'Two.',
            citations: [
              { kind: 'url', url: 'https://x.test', start: 1 },
              { kind: 'document', title: 'Only a title' },
            ],
          } as const,
        ],
        stop: { raw: 'end_turn', reason: 'end' } as const,
      },
    ],
  }

  test('blocks become one message; places of citations move along', () => {
    const { choices, usage } = encodeReply(thinking, answeringOf())
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'One. Two.',
      refusal: null,
      reasoning_content: 'Hé',
      annotations: [
        { type: 'url_citation', url_citation: { start_index: 6, end_index: 9, title: '', url: 'https://x.test' } },
      ],
    })
    expect(usage.completion_tokens).toBe(12)
  })

  test('hidden reasoning is not shown', () => {
    const { choices } = encodeReply(thinking, answeringOf({ hideReasoning: true }))
    expect(choices[0]?.message).not.toHaveProperty('reasoning_content')
  })

  test('usage as it was reported', () => {
    const usage = usageOf({ input: 90, output: 20, cachedInput: 64, cacheWrite: 3, reasoning: 8 })
    expect(encodeReply({ ...base, usage }, answeringOf()).usage).toEqual({
      prompt_tokens: 90,
      completion_tokens: 20,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 8 },
    })
  })

  test('a caller that speaks of functions is answered so', () => {
    const call = { type: 'call', id: 'c', name: 'tide', arguments: '', custom: false } as const
    const { choices } = encodeReply(
      { ...base, choices: [{ blocks: [call], stop: undefined }] },
      answeringOf({ echo: { legacy_functions: true } }),
    )
    expect(choices[0]).toMatchObject({
      message: { content: null, function_call: { name: 'tide', arguments: '{}' } },
      finish_reason: 'function_call',
    })
    expect(choices[0]?.message).not.toHaveProperty('tool_calls')
  })
})

test('no body makes the decoder throw', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const places = [{ choices: [value] }, { choices: [{ message: value }] }, { choices: value, usage: value }]
      const deeper = ['content', 'tool_calls', 'annotations', 'images', 'function_call', 'reasoning_details']
      const inside = deeper.map((field) => ({
        choices: [{ message: { [field]: value }, logprobs: { content: value } }],
      }))
      for (const body of [value, ...places, ...inside]) decodeReply(body)
    }),
    { numRuns: 300 },
  )
})
