import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { originOf } from '../../../../fixtures/origins.ts'
import { target } from '../../../../fixtures/responses/harness.ts'
import {
  call,
  PNG,
  rejected,
  request,
  result,
  said,
  TIDE,
  turn,
  written,
} from '../../../../fixtures/responses/requests.ts'
import type { MediaPart, Part, Turn } from '../../../canonical/request.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'

test('the shortest request has nothing that the caller did not set', () => {
  expect(written({}).body).toEqual({
    model: 'upstream-model',
    input: [{ type: 'message', role: 'user', content: 'How high is the tide?' }],
    include: ['reasoning.encrypted_content'],
    store: false,
  })
})

test('all that can be said is said', () => {
  const { body, warned } = written({
    stream: true,
    endUser: 'u1',
    metadata: { a: 'b' },
    cacheKey: 'k',
    tier: 'flex',
    parallelCalls: false,
    verbosity: 'high',
    toolChoice: { mode: 'required' },
    tools: [TIDE],
    instructions: [{ text: 'Be brief.' }],
    sampling: { temperature: 0.5, topP: 0.9, maxOutput: 400, logprobs: { top: 2 } },
    reasoning: { effort: 'low', show: 'summary' },
    format: { type: 'schema', schema: { type: 'object' } },
  })
  expect(Object.entries(body)).toEqual([
    ['model', 'upstream-model'],
    ['instructions', 'Be brief.'],
    ['input', [{ type: 'message', role: 'user', content: 'How high is the tide?' }]],
    ['max_output_tokens', 400],
    ['temperature', 0.5],
    ['top_p', 0.9],
    ['top_logprobs', 2],
    ['tools', [{ type: 'function', name: 'tide', parameters: TIDE.schema, strict: false }]],
    ['tool_choice', 'required'],
    ['parallel_tool_calls', false],
    ['text', { format: { type: 'json_schema', name: 'output', schema: { type: 'object' } }, verbosity: 'high' }],
    ['reasoning', { effort: 'low', summary: 'auto' }],
    ['include', ['reasoning.encrypted_content', 'message.output_text.logprobs']],
    ['store', false],
    ['stream', true],
    ['metadata', { a: 'b' }],
    ['safety_identifier', 'u1'],
    ['prompt_cache_key', 'k'],
    ['service_tier', 'flex'],
  ])
  expect(warned).toEqual([])
})

test('what this dialect has no word for is dropped with a warning', () => {
  const sampling = { topK: 4, presencePenalty: 1, frequencyPenalty: 1, seed: 7, stop: ['x'], logitBias: { 1: 2 } }
  const { body, warned } = written({ sampling, store: true })
  expect(warned).toEqual([
    ...(['topK;dropped', 'presencePenalty;dropped', 'frequencyPenalty;dropped', 'seed;dropped'] as const),
    ...(['stop;dropped', 'logitBias;dropped', 'store;dropped'] as const),
  ])
  expect(Object.keys(body)).toEqual(['model', 'input', 'include', 'store'])
})

test('a list is wrapped in an object', () => {
  const format = { type: 'schema', schema: { type: 'array', items: { type: 'string' } } } as const
  const { body, tools } = encodeRequest(request({ from: originOf('generate-content'), format }), target())
  expect(body.text).toMatchObject({ format: { schema: { properties: { value: format.schema } }, strict: true } })
  expect(tools.valueInObject).toBe(true)
})

describe('instructions', () => {
  test('several are developer items at the beginning', () => {
    const { body, input } = written({ instructions: [{ text: 'Be brief.' }, { text: 'Use metres.' }] })
    expect(body.instructions).toBeUndefined()
    expect(input.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'developer: Be brief.',
      'developer: Use metres.',
      'user: How high is the tide?',
    ])
  })
  test('alone they are the input', () => {
    const { body, input } = written({ instructions: [{ text: 'Say hello.' }], turns: [] })
    expect(body.instructions).toBeUndefined()
    expect(input).toEqual([{ type: 'message', role: 'developer', content: 'Say hello.' }])
  })
  test('in the middle they stay there', () => {
    const { input } = written({ turns: [said('Hi'), said('In feet.', 'system'), said('Now?')] })
    expect(input.map(({ role }) => role)).toEqual(['user', 'developer', 'user'])
  })
  test.each([
    // The vendor looks for the word in `input` alone.
    ['chat', ['developer: Answer in JSON.', 'user: How high is the tide?']],
    [
      'generate-content',
      ['developer: Answer in JSON.', 'developer: Answer with a JSON object.', 'user: How high is the tide?'],
    ],
  ] as const)('JSON mode asked for by %s keeps them in the input', (from, expected) => {
    const { body, input } = written({
      from: originOf(from),
      format: { type: 'json' },
      instructions: [{ text: 'Answer in JSON.' }],
    })
    expect(body.instructions).toBeUndefined()
    expect(input.map(({ role, content }) => `${role}: ${content}`)).toEqual([...expected])
  })
  test('JSON mode asks in words where the dialect of the caller needs none', () => {
    const { body, input } = written({ from: originOf('generate-content'), format: { type: 'json' } })
    expect(body.instructions).toBeUndefined()
    expect(input[0]).toEqual({ type: 'message', role: 'developer', content: 'Answer with a JSON object.' })
  })
})

describe('calls and results', () => {
  test('in the caller’s order, reasoning before its call, results with images and errors', () => {
    const { input, warned } = written({
      turns: [
        turn(
          'assistant',
          { type: 'reasoning', text: 'Two.', style: 'summary', signature: 'sealed(S)' },
          { type: 'text', text: 'Looking.' },
          call('c1'),
          call('c2', 'plot', true),
        ),
        turn(
          'user',
          result('c2', {
            parts: [
              { type: 'text', text: 'see' },
              { type: 'media', media: 'image', source: { kind: 'inline', mime: 'image/png', data: PNG } },
            ],
          }),
          result('c1', { isError: true }),
          { type: 'text', text: 'And now?' },
        ),
      ],
    })
    expect(input).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Two.' }], encrypted_content: 'S' },
      { type: 'message', role: 'assistant', content: 'Looking.' },
      { type: 'function_call', call_id: 'c1', name: 'tide', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'plot', input: '{"a":1}' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
        ],
      },
      { type: 'function_call_output', call_id: 'c1', output: 'ERROR: 5.1 m' },
      { type: 'message', role: 'user', content: 'And now?' },
    ])
    expect(warned).toEqual([])
  })

  test('a call without a result gets one if the conversation continues, and only then', () => {
    const open = turn('assistant', call('c1'), call('c2'))
    const { input, warned } = written({ turns: [open, turn('user', result('c2'), { type: 'text', text: 'Well?' })] })
    expect(input.slice(2)).toEqual([
      { type: 'function_call_output', call_id: 'c2', output: '5.1 m' },
      { type: 'function_call_output', call_id: 'c1', output: 'ERROR: no output' },
      { type: 'message', role: 'user', content: 'Well?' },
    ])
    expect(warned).toEqual(['turns;assumed'])
    expect(written({ turns: [open] }).input.map(({ type }) => type)).toEqual(['function_call', 'function_call'])
  })

  test('reasoning with a foreign signature or none is dropped without a warning', () => {
    const { input, warned } = written({
      turns: [
        turn(
          'assistant',
          { type: 'reasoning', text: 'Secret plan.', style: 'full', signature: 'foreign' },
          { type: 'reasoning', text: 'Secret plan.', style: 'full' },
          { type: 'redacted', data: 'foreign' },
          call('c1'),
        ),
        turn('user', result('c1')),
      ],
    })
    expect(input.map(({ type }) => type)).toEqual(['function_call', 'function_call_output'])
    expect(warned).toEqual([])
  })

  test('the same id twice becomes two, and results go to them in order', () => {
    const { input } = written({
      turns: [turn('assistant', call('x'), call('x')), turn('user', result('x'), result('x'))],
    })
    expect(input.map(({ call_id }) => call_id)).toEqual(['x', 'x_2', 'x', 'x_2'])
    const later = [
      turn('assistant', call('x')),
      turn('user', result('x')),
      turn('assistant', call('x')),
      turn('user', result('x')),
    ]
    expect(written({ turns: later }).input.map(({ call_id }) => call_id)).toEqual(['x', 'x', 'x_2', 'x_2'])
  })

  test('an id that no vendor takes is always replaced by the same', () => {
    const ids = () =>
      written({ turns: [turn('assistant', call('a b/c')), turn('user', result('a b/c'))] }).input.map(
        ({ call_id }) => call_id,
      )
    expect(ids()[0]).toMatch(/^call_[a-z0-9]+$/)
    expect(new Set([...ids(), ...ids()]).size).toBe(1)
  })

  test('arguments that are missing are an empty object, and a result without content is empty text', () => {
    const { input } = written({
      turns: [
        turn('assistant', { type: 'call', id: 'c', name: 'now', arguments: '', custom: false }),
        turn('user', result('c', { parts: [] })),
      ],
    })
    expect(input).toMatchObject([{ arguments: '{}' }, { output: '' }])
  })

  test('what only the caller’s dialect can say is dropped with a warning', () => {
    const { input, warned } = written({ turns: [turn('user', { type: 'foreign', what: 'x', at: 'y' }), said('Hi')] })
    expect(input).toHaveLength(1)
    expect(warned).toEqual(['turns;dropped'])
  })

  test('words to be continued are sent as they are, with a warning', () => {
    const { input, warned } = written({ turns: [said('Hi'), said('High water is', 'assistant')] })
    expect(input.at(-1)).toEqual({ type: 'message', role: 'assistant', content: 'High water is' })
    expect(warned).toEqual(['turns;changed'])
  })

  test('a name is written into the text', () => {
    const { input, warned } = written({ turns: [{ ...said('Hi'), name: 'Ada' }] })
    expect(input).toMatchObject([{ content: 'Ada: Hi' }])
    expect(warned).toEqual(['name;changed'])
  })
})

test.each([
  ['chat', 'n'],
  ['generate-content', 'generationConfig.candidateCount'],
] as const)('several answers are rejected, as %s calls them', (from, param) => {
  expect(rejected({ from: originOf(from), sampling: { choices: 2 } })).toMatchObject({
    code: 'unsupported_parameter',
    param,
  })
  expect(written({ from: originOf(from), sampling: { choices: 1 } }).warned).toEqual([])
})

test.each([
  [{ budget: 2_048 }, { effort: 'low' }],
  [{ mode: 'off', budget: 2_048 }, { effort: 'none' }],
  [{ mode: 'auto' }, undefined],
  [{ show: 'full' }, { summary: 'auto' }],
  [{ show: 'none' }, undefined],
] as const)('reasoning %j', (reasoning, expected) => {
  expect(written({ reasoning }).body.reasoning as unknown).toEqual(expected)
})

describe('what was written is read as what was meant', () => {
  const words = fc.string({ minLength: 1, maxLength: 12 })
  const name = fc.stringMatching(/^[a-z_][a-z0-9_-]{0,20}$/)
  const image: fc.Arbitrary<MediaPart> = fc.record({
    type: fc.constant('media' as const),
    media: fc.constant('image' as const),
    source: fc.oneof(
      fc.constant({ kind: 'inline' as const, mime: 'image/png', data: PNG }),
      fc.webUrl().map((url) => ({ kind: 'url' as const, url })),
    ),
  })
  const textPart = words.map((text) => ({ type: 'text' as const, text }))
  const userTurn = fc
    .array(fc.oneof(textPart, image), { minLength: 1, maxLength: 3 })
    .map((parts) => turn('user', ...parts))
  const exchange = fc
    .record({
      thought: words,
      text: words,
      names: fc.array(name, { minLength: 1, maxLength: 3 }),
      custom: fc.boolean(),
      output: fc.array(fc.oneof(textPart, image), { minLength: 1, maxLength: 2 }),
    })
    .map(({ thought, text, names, custom, output }) => (round: number): Turn[] => [
      turn(
        'assistant',
        { type: 'reasoning', text: thought, style: custom ? 'full' : 'summary', signature: 'sealed(S)' },
        { type: 'text', text },
        ...names.map(
          (called, index): Part => ({
            type: 'call',
            id: `c${round}_${index}`,
            name: called,
            arguments: '{"a":1}',
            custom,
          }),
        ),
      ),
      turn('user', ...names.map((_, index): Part => ({ type: 'result', callId: `c${round}_${index}`, parts: output }))),
    ])
  const tool = fc.record({ name, description: words, schema: fc.constant({ type: 'object' }), strict: fc.boolean() })

  test('whatever this dialect can express', () => {
    fc.assert(
      fc.property(
        fc.array(userTurn, { minLength: 1, maxLength: 3 }),
        fc.array(exchange, { maxLength: 2 }),
        fc.uniqueArray(tool, { selector: (each) => each.name, minLength: 1, maxLength: 3 }),
        fc.array(words, { maxLength: 3 }),
        fc.record({
          temperature: fc.double({ min: 0, max: 2, noNaN: true }),
          maxOutput: fc.integer({ min: 1, max: 1e6 }),
        }),
        (users, exchanges, tools, texts, sampling) => {
          const given = request({
            from: originOf('responses'),
            model: 'upstream-model',
            tools,
            sampling,
            store: false,
            toolChoice: { mode: 'auto' },
            turns: [...users, ...exchanges.flatMap((make, round) => make(round)), said('So?')],
            instructions: texts.map((text) => ({ text })),
            reasoning: { effort: 'high', show: 'summary', wantsEncrypted: true },
          })
          const { body } = encodeRequest(given, target({ unseal: (signature) => signature }))
          const { echo: _, ...back } = decodeRequest(JSON.parse(JSON.stringify(body)), undefined)
          expect(JSON.parse(JSON.stringify(back, (key, value) => (key === 'at' ? undefined : value)))).toEqual(
            JSON.parse(JSON.stringify(given)),
          )
        },
      ),
      { numRuns: 150 },
    )
  })
})
