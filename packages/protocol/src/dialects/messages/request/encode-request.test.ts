import { describe, expect, test } from 'bun:test'
import {
  assistant,
  call,
  mistakeOf,
  plain,
  result,
  text,
  tide,
  user,
  written,
} from '../../../../fixtures/messages/requests.ts'
import { originOf } from '../../../../fixtures/origins.ts'
import type { CanonicalRequest, Part } from '../../../canonical/request.ts'
import type { Target } from '../../text-dialect.ts'

test('a tool turn with reasoning, an image and a failed result', () => {
  const { body, warnings } = written({
    instructions: [{ text: 'Be brief.' }],
    turns: [
      user(text('Which port is it?'), {
        type: 'media',
        media: 'image',
        source: { kind: 'inline', mime: 'image/png', data: 'iVBO' },
      }),
      assistant(
        { type: 'reasoning', text: 'Two stations.', style: 'summary', signature: 'ours.sig' },
        text('Looks like Brest.'),
        call('call_1', '{"port":"Brest"}'),
        call('call_2', '{"port":"Cork"}'),
      ),
      user(result('call_1', plain('5.1 m')), { ...result('call_2', plain('offline')), isError: true } as Part),
    ],
    tools: [tide],
    toolChoice: { mode: 'auto' },
    parallelCalls: true,
    sampling: { maxOutput: 400 },
    reasoning: { effort: 'low' },
  })
  expect(warnings).toEqual([])
  expect(JSON.stringify(body)).toBe(
    JSON.stringify({
      model: 'm',
      max_tokens: 2448,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Which port is it?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Two stations.', signature: 'sig' },
            { type: 'text', text: 'Looks like Brest.' },
            { type: 'tool_use', id: 'call_1', name: 'tide', input: { port: 'Brest' } },
            { type: 'tool_use', id: 'call_2', name: 'tide', input: { port: 'Cork' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: '5.1 m' },
            { type: 'tool_result', tool_use_id: 'call_2', is_error: true, content: 'offline' },
          ],
        },
      ],
      tools: [{ name: 'tide', input_schema: tide.schema }],
      tool_choice: { type: 'auto' },
    }),
  )
})

test('only what the caller set is sent', () => {
  expect(written({}).body).toEqual({ model: 'm', max_tokens: 32_000, messages: [{ role: 'user', content: 'When?' }] })
  expect(written({}, { maxOutput: 64_000 }).body.max_tokens).toBe(64_000)
})

describe('fields', () => {
  const CASES: [what: string, more: Partial<CanonicalRequest>, body: object, warnings: string[]][] = [
    ['a stream', { stream: true }, { stream: true }, []],
    [
      'temperature',
      { sampling: { temperature: 0.3, topP: 0.9, topK: 5 } },
      { temperature: 0.3, top_p: 0.9, top_k: 5 },
      [],
    ],
    ['a warm temperature', { sampling: { temperature: 1.6 } }, { temperature: 1 }, ['temperature;clipped']],
    ['stop', { sampling: { stop: ['END', '\n'] } }, { stop_sequences: ['END'] }, ['stop;dropped']],
    ['the end user', { endUser: 'u' }, { metadata: { user_id: 'u' } }, []],
    ['tier auto', { tier: 'auto' }, { service_tier: 'auto' }, []],
    ['tier default', { tier: 'default' }, { service_tier: 'standard_only' }, []],
    ['tier flex', { tier: 'flex' }, {}, ['tier;dropped']],
    [
      'marks',
      { instructions: [{ text: 'a', cache: { ttl: '30m' } }] },
      { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
      [],
    ],
    [
      'two instructions',
      { instructions: [{ text: 'a' }, { text: ' ' }, { text: 'b' }] },
      {
        system: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      [],
    ],
    [
      'what this dialect lacks',
      {
        sampling: { presencePenalty: 1, frequencyPenalty: 1, seed: 1, logprobs: {}, logitBias: { 5: 1 } },
        verbosity: 'low',
        metadata: { a: 'b' },
        store: true,
        cacheKey: 'k',
      },
      {},
      [
        'presencePenalty',
        'frequencyPenalty',
        'seed',
        'logprobs',
        'logitBias',
        'verbosity',
        'metadata',
        'store',
        'cacheKey',
      ].map((field) => `${field};dropped`),
    ],
    ['what asks for nothing', { sampling: { presencePenalty: 0 }, store: false, metadata: {} }, {}, []],
    ['bare JSON', { format: { type: 'json' } }, { system: expect.stringContaining('JSON') }, ['format;changed']],
    [
      'a schema',
      { format: { type: 'schema', schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } } } },
      {
        output_config: {
          format: {
            type: 'json_schema',
            schema: {
              type: 'object',
              properties: { n: { type: 'integer', description: '{"minimum":1}' } },
              additionalProperties: false,
            },
          },
        },
      },
      [],
    ],
  ]
  test.each(CASES)('%s', (_, more, body, warnings) => {
    const result = written(more)
    expect(result.body).toMatchObject(body)
    expect(result.warnings).toEqual(warnings)
  })

  test('what older and newer models do not take', () => {
    const sampling = { temperature: 0.3, topP: 0.9, topK: 5 }
    const newest = written({ sampling }, { model: 'claude-opus-4-8' })
    expect(newest.warnings).toEqual(['temperature;dropped', 'topP;dropped', 'topK;dropped'])
    expect(Object.keys(newest.body)).toEqual(['model', 'max_tokens', 'messages'])
    expect(written({ sampling }, { model: 'claude-sonnet-4-5' }).warnings).toEqual(['topP;dropped'])
    const format = { type: 'schema', schema: { type: 'object' } } as const
    const old = written({ format }, { model: 'claude-3-5-haiku-latest' })
    expect(old.body).toMatchObject({ system: expect.stringContaining('{"type":"object"}') })
    expect(old.body.output_config).toBeUndefined()
    expect(old.warnings).toEqual(['format;changed'])
  })
})

describe('thinking', () => {
  const signedTurn = [
    user(text('q')),
    assistant({ type: 'reasoning', text: '', style: 'summary', signature: 'ours.s' }, call('a')),
    user(result('a', plain('x'))),
  ]
  const unsignedTurn = [
    user(text('q')),
    assistant({ type: 'reasoning', text: 'hm', style: 'summary', signature: 'theirs' }, call('a')),
    user(result('a', plain('x'))),
  ]
  const enabled = (budget_tokens: number): object => ({ type: 'enabled', budget_tokens })
  type Row = [
    what: string,
    more: Partial<CanonicalRequest>,
    target: Partial<Target>,
    expected: object,
    warnings: string[],
  ]
  const NEW = { model: 'claude-opus-4-8' }
  const CASES: Row[] = [
    ['none', { reasoning: { effort: 'none' } }, {}, { thinking: { type: 'disabled' } }, []],
    ['off', { reasoning: { mode: 'off', effort: 'high' } }, {}, { thinking: { type: 'disabled' } }, []],
    ['minimal', { reasoning: { effort: 'minimal' } }, {}, { thinking: enabled(1024), max_tokens: 32_000 }, []],
    [
      'high, without a cap',
      { reasoning: { effort: 'high' } },
      {},
      { thinking: enabled(16_384), max_tokens: 32_000 },
      [],
    ],
    [
      'high, with room',
      { reasoning: { effort: 'high' }, sampling: { maxOutput: 20_000 } },
      {},
      { thinking: enabled(16_384), max_tokens: 20_000 },
      [],
    ],
    [
      'more than the model has',
      { reasoning: { effort: 'max' }, sampling: { maxOutput: 1000 } },
      { maxOutput: 8000 },
      { thinking: enabled(7000), max_tokens: 8000 },
      [],
    ],
    [
      'no cap, and a model whose own limit is the budget: half is left for the answer',
      { reasoning: { effort: 'medium' } },
      { maxOutput: 8192 },
      { thinking: enabled(4096), max_tokens: 8192 },
      [],
    ],
    [
      'no room at all',
      { reasoning: { effort: 'low' }, sampling: { maxOutput: 500 } },
      { maxOutput: 600 },
      { thinking: { type: 'disabled' }, max_tokens: 500 },
      ['reasoning;off'],
    ],
    ['a small budget', { reasoning: { budget: 100 } }, {}, { thinking: enabled(1024) }, []],
    ['as it likes', { reasoning: { mode: 'auto' } }, {}, { thinking: enabled(8192) }, []],
    [
      'no temperature',
      { reasoning: { effort: 'low' }, sampling: { temperature: 0.2, topK: 3, topP: 0.5 } },
      {},
      { temperature: undefined, top_k: undefined, top_p: undefined },
      ['temperature;dropped', 'topP;dropped', 'topK;dropped'],
    ],
    [
      'a forced tool',
      { reasoning: { effort: 'low' }, tools: [tide], toolChoice: { mode: 'required' } },
      {},
      { thinking: { type: 'disabled' }, tool_choice: { type: 'any' } },
      ['reasoning;off'],
    ],
    [
      'a call that was signed here',
      { reasoning: { effort: 'low' }, turns: signedTurn },
      {},
      { thinking: enabled(2048) },
      [],
    ],
    [
      'a call that was not',
      { reasoning: { effort: 'low' }, turns: unsignedTurn },
      {},
      { thinking: { type: 'disabled' } },
      ['reasoning;off'],
    ],
    [
      'adaptive',
      { reasoning: { effort: 'xhigh', show: 'summary' } },
      NEW,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' }, max_tokens: 32_000 },
      [],
    ],
    [
      'adaptive, minimal',
      { reasoning: { effort: 'minimal', show: 'none' } },
      NEW,
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'low' } },
      [],
    ],
    [
      'adaptive, as it likes',
      { reasoning: { mode: 'auto' } },
      NEW,
      { thinking: { type: 'adaptive' }, output_config: undefined },
      [],
    ],
    [
      'adaptive, a word it lacks',
      { reasoning: { effort: 'xhigh' } },
      { model: 'claude-sonnet-4-6' },
      { output_config: { effort: 'high' } },
      [],
    ],
    [
      'a model that does not think',
      { reasoning: { effort: 'low' } },
      { model: 'claude-3-5-sonnet-20241022' },
      { thinking: undefined },
      ['reasoning;dropped'],
    ],
    [
      'nothing asked of such a model',
      { reasoning: { effort: 'none' } },
      { model: 'claude-3-haiku-20240307' },
      { thinking: undefined },
      [],
    ],
  ]
  test.each(CASES)('%s', (_, more, target, expected, warnings) => {
    const result = written(more, target)
    expect(result.warnings).toEqual(warnings)
    for (const [field, value] of Object.entries(expected)) expect([field, result.body[field]]).toEqual([field, value])
  })

  test('a caller of this dialect gets an error if its budget leaves no room', () => {
    const sampling = { maxOutput: 1024 }
    expect(mistakeOf({ from: originOf('messages'), reasoning: { mode: 'on', budget: 1024 }, sampling })).toMatchObject({
      code: 'bad_request',
      param: 'thinking.budget_tokens',
    })
  })
})
