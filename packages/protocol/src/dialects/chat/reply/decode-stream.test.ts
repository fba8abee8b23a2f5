import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bufferCodec, bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { calls, chunk, finish, reply, role, usageChunk, usageOf } from '../../../../fixtures/chat/answers.ts'
import { checkRules, eventsOf, folded, framed } from '../../../../fixtures/chat/harness.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { type Block, fold } from '../../../canonical/reply.ts'
import { openStreamDecoder } from './decode-stream.ts'

const called = (id: string, name: string, args: string) => ({ type: 'call', id, name, arguments: args, custom: false })
const said = (text: string) => ({ type: 'text', text, citations: [] })
const fn = (name: string | undefined, args: string) => ({ function: { ...(name && { name }), arguments: args } })

function blocksOf(chunks: readonly object[]): readonly Block[] {
  const events = eventsOf(framed(chunks))
  checkRules(events)
  return fold(events).choices[0]?.blocks ?? []
}

/** The kinds of events in order, with runs of deltas as one word. */
const kindsOf = (events: readonly StreamEvent[]): string =>
  events
    .map((event) => ('index' in event ? `${event.type}${event.index}` : event.type))
    .filter((kind, at, all) => kind !== all[at - 1])
    .join(' ')

describe('calls', () => {
  const table: [name: string, chunks: object[], blocks: object[]][] = [
    [
      'interleaved, later pieces without ids',
      [
        calls({ index: 0, id: 'a', type: 'function', ...fn('tide', '') }),
        calls({ index: 1, id: 'b', type: 'function', ...fn('wind', '') }),
        calls({ index: 1, ...fn(undefined, '{"b"') }),
        calls({ index: 0, ...fn(undefined, '{"a"') }, { index: 1, ...fn(undefined, ':2}') }),
        calls({ index: 0, ...fn(undefined, ':1}') }),
        finish('tool_calls'),
      ],
      [called('a', 'tide', '{"a":1}'), called('b', 'wind', '{"b":2}')],
    ],
    [
      'interleaved, names and ids anew with every piece',
      [
        calls({ index: 0, id: 'a', ...fn('tide', '{') }),
        calls({ index: 1, id: 'b', ...fn('wind', '{"b"') }),
        calls({ index: 1, id: 'b', ...fn('wind', ':') }),
        calls({ index: 1, id: 'c', ...fn(undefined, '2}') }),
        calls({ index: 0, ...fn(undefined, '}') }),
      ],
      [called('a', 'tide', '{}'), called('b', 'wind', '{"b":2}')],
    ],
    [
      'all with the number 0',
      [
        calls({ index: 0, id: 'a', ...fn('tide', '{}') }),
        calls({ index: 0, id: 'b', ...fn('tide', '{"x":1}') }),
        finish(),
      ],
      [called('a', 'tide', '{}'), called('b', 'tide', '{"x":1}')],
    ],
    [
      'a new id with every piece',
      [
        calls({ index: 0, id: 'a', ...fn('tide', '{"x"') }),
        calls({ index: 0, id: 'b', ...fn(undefined, ':1') }),
        calls({ index: 0, id: 'c', ...fn('', '}') }),
      ],
      [called('a', 'tide', '{"x":1}')],
    ],
    [
      'the name with every piece',
      [
        calls({ index: 0, id: 'a', ...fn('tide', '{"x"') }),
        calls({ index: 0, id: 'a', ...fn('tide', ':1}') }),
        calls({ index: 1, ...fn('wind', '{') }),
        calls({ index: 1, ...fn('wind', '}') }),
      ],
      [called('a', 'tide', '{"x":1}'), { ...called('', 'wind', '{}'), id: expect.stringMatching(/^call_\w+_1$/) }],
    ],
    [
      'no numbers, found by id',
      [
        calls({ id: 'a', ...fn('tide', '{"x"') }),
        calls({ id: 'b', ...fn('wind', '{}') }),
        calls({ id: 'a', ...fn('tide', ':1}') }),
      ],
      [called('a', 'tide', '{"x":1}'), called('b', 'wind', '{}')],
    ],
    [
      'neither numbers nor ids: pieces belong to the last',
      [calls(fn('tide', '{"x"')), calls(fn(undefined, ':')), calls(fn('tide', '1}')), calls(fn('tide', '{}'))],
      [
        { ...called('', 'tide', '{"x":1}'), id: expect.stringMatching(/_0$/) },
        { ...called('', 'tide', '{}'), id: expect.stringMatching(/_1$/) },
      ],
    ],
    [
      'the name comes late',
      [calls({ index: 0, id: 'a', function: { arguments: '{' } }), calls({ index: 0, ...fn('tide', '}') })],
      [called('a', 'tide', '{}')],
    ],
    [
      'numbers that begin at 1 and have gaps',
      [calls({ index: 1, id: 'a', ...fn('tide', '{}') }), calls({ index: 7, id: 'b', ...fn('wind', '{}') })],
      [called('a', 'tide', '{}'), called('b', 'wind', '{}')],
    ],
    [
      'braces within strings end nothing',
      [
        calls({ index: 0, id: 'a', ...fn('tide', '{"x":"}\\"}') }),
        calls({ index: 1, id: 'b', ...fn('wind', '{}') }),
        calls({ index: 0, ...fn(undefined, '"}') }),
      ],
      [called('a', 'tide', '{"x":"}\\"}"}'), called('b', 'wind', '{}')],
    ],
    [
      'text after calls, and between their pieces',
      [
        calls({ index: 0, id: 'a', ...fn('tide', '{') }),
        chunk({ content: 'Wait' }),
        chunk({ content: '.' }),
        calls({ index: 0, ...fn(undefined, '}') }),
        chunk({ content: ' Done.' }),
      ],
      [called('a', 'tide', '{}'), said('Wait. Done.')],
    ],
    [
      'cut within its arguments',
      [calls({ index: 0, id: 'a', ...fn('tide', '{"x') }), finish('length')],
      [called('a', 'tide', '{"x')],
    ],
    [
      'two answers in a row',
      [
        chunk({ content: 'One.' }),
        calls({ index: 0, id: 'a', ...fn('tide', '{}') }),
        finish('tool_calls'),
        { ...role, id: 'chatcmpl-8' },
        chunk({ content: 'Two.' }),
        calls({ index: 0, id: 'b', ...fn('wind', '{}') }),
        finish('tool_calls'),
      ],
      [said('One.'), called('a', 'tide', '{}'), said('Two.'), called('b', 'wind', '{}')],
    ],
  ]
  test.each(table)('%s', (_name, chunks, blocks) => {
    expect(blocksOf([role, ...chunks])).toEqual(blocks as unknown as Block[])
  })

  test('one that is complete does not keep the next waiting', () => {
    const events: StreamEvent[] = []
    const decoder = openStreamDecoder((event) => void events.push(event), bufferCodec)
    const push = (one: object) => decoder.push(bytesOf(framed([one], false)))
    push(calls({ index: 0, id: 'a', ...fn('tide', '{"x":1}') }))
    push(calls({ index: 1, id: 'b', ...fn('wind', '{') }))
    expect(kindsOf(events)).toBe('start open0 delta0 close0 open1 delta1')
    // The third waits for the second, and is then there at once.
    push(calls({ index: 2, id: 'c', ...fn('wave', '{}') }))
    expect(kindsOf(events)).toBe('start open0 delta0 close0 open1 delta1')
    push(calls({ index: 1, ...fn(undefined, '}') }))
    expect(kindsOf(events)).toBe('start open0 delta0 close0 open1 delta1 close1 open2 delta2')
    decoder.push(bytesOf('data: [DONE]\n\n'))
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['close', 'stop', 'end'])
  })
})

describe('ends', () => {
  const text = chunk({ content: 'Well.' })
  const table: [name: string, stream: string, stop: object | undefined][] = [
    ['as it should be', framed([role, text, finish(), usageChunk]), { raw: 'stop', reason: 'end' }],
    ['no [DONE]', framed([role, text, finish()], false), { raw: 'stop', reason: 'end' }],
    ['no [DONE] and no blank line', framed([role, text, finish()], false).trimEnd(), { raw: 'stop', reason: 'end' }],
    ['usage last, no reason, no [DONE]', framed([role, text, usageChunk], false), undefined],
    ['no reason', framed([role, text]), undefined],
    ['calls and no reason', framed([calls({ index: 0, id: 'a', ...fn('f', '{}') })]), { raw: '', reason: 'tool' }],
    [
      'a reason with every piece',
      framed([
        chunk({ content: 'a' }, { finish_reason: 'stop' }),
        chunk({ content: 'b' }, { finish_reason: 'length' }),
      ]),
      { raw: 'length', reason: 'length' },
    ],
    [
      'empty chunks behind it',
      framed([text, finish('length'), chunk({}), chunk(undefined)]),
      { raw: 'length', reason: 'length' },
    ],
    [
      'a stop of its own behind calls',
      framed([calls({ index: 0, id: 'a', ...fn('f', '{}') }), finish('tool_calls'), finish('stop', { content: '' })]),
      { raw: 'stop', reason: 'tool' },
    ],
    ['a repeated start', framed([role, role, text, role, finish()]), { raw: 'stop', reason: 'end' }],
    [
      'nothing after [DONE] counts',
      `${framed([text, finish()])}data: {"error":{}}\n\n`,
      { raw: 'stop', reason: 'end' },
    ],
  ]
  test.each(table)('%s', (_name, stream, stop) => {
    const events = eventsOf(stream)
    checkRules(events)
    expect(events.at(-1)).toEqual({ type: 'end' })
    expect(fold(events).choices[0]?.stop).toEqual(stop as never)
  })

  test('a chunk about the prompt alone is not the answer', () => {
    const [first] = eventsOf(framed([{ id: '', choices: [], prompt_filter_results: [] }, role, text, finish()]))
    expect(first).toEqual({ type: 'start', id: 'chatcmpl-7', usage: undefined })
  })

  test('a message at the end that says everything again', () => {
    const whole = chunk(undefined, { message: { content: 'Well.' }, finish_reason: 'stop' })
    expect(blocksOf([role, text, whole])).toEqual([said('Well.')] as Block[])
    expect(blocksOf([whole])).toEqual([said('Well.')] as Block[])
  })

  test('usage with every chunk: the last one counts', () => {
    const usage = (completion_tokens: number) => ({ usage: { prompt_tokens: 4, completion_tokens } })
    const { usage: last } = folded([
      chunk({ content: 'a' }, {}, usage(1)),
      chunk({ content: 'b' }, {}, usage(2)),
      finish(),
    ])
    expect(last).toEqual(usageOf({ input: 4, output: 2 }))
  })

  test('usage that is null afterwards is not forgotten', () => {
    const { usage } = folded([role, text, usageChunk, chunk({}, { finish_reason: 'stop' }, { usage: null })])
    expect(usage).toEqual(usageOf({ input: 12, output: 5 }))
  })

  test('one JSON body in place of a stream', () => {
    const events = eventsOf(JSON.stringify(reply({ content: 'Well.' })), 5)
    checkRules(events)
    expect(fold(events)).toMatchObject({ choices: [{ blocks: [said('Well.')] }], usage: { input: 12 } })
  })
})

describe('errors', () => {
  const text = chunk({ content: 'Well' })
  const table: [name: string, stream: string, error: object][] = [
    ['nothing', '', { code: 'upstream_error' }],
    ['only comments', ': x\n\n: y\n\n', { code: 'upstream_error' }],
    ['only [DONE]', 'data: [DONE]\n\n', { code: 'upstream_error' }],
    ['cut', framed([role, text], false), { code: 'upstream_error', message: expect.stringContaining('complete') }],
    ['cut within an event', framed([role, text, finish()], false).slice(0, -30), { code: 'upstream_error' }],
    [
      'one of two choices is cut',
      framed(
        [
          {
            choices: [
              { index: 0, delta: { content: 'a' } },
              { index: 1, delta: { content: 'b' }, finish_reason: 'stop' },
            ],
          },
        ],
        false,
      ),
      { code: 'upstream_error' },
    ],
    ['not JSON', `${framed([role], false)}data: {oops\n\n`, { code: 'upstream_error' }],
    ['not an object', 'data: [1]\n\n', { code: 'upstream_error' }],
    [
      'an error',
      framed([text, { error: { message: 'x', type: 'rate_limit_error' } }]),
      { code: 'rate_limit_exceeded' },
    ],
    [
      'an error event',
      `event: error\ndata: {"message":"x","type":"overloaded_error"}\n\n`,
      { code: 'service_unavailable' },
    ],
    ['an error event in prose', `event: error\ndata: out of order\n\n`, { code: 'upstream_error' }],
    [
      'an error body',
      '{"error":{"message":"x","code":"context_length_exceeded"}}',
      { code: 'context_length_exceeded' },
    ],
    ['a page', '<html>bad gateway</html>', { code: 'upstream_error' }],
  ]
  test.each(table)('%s', (_name, stream, error) => {
    const events = eventsOf(stream)
    expect(events.at(-1)).toMatchObject({ type: 'error', error })
    expect(events.filter(({ type }) => type === 'error' || type === 'end')).toHaveLength(1)
    expect(eventsOf(stream, 1)).toEqual(events)
  })

  test('an event without an end', () => {
    const events: StreamEvent[] = []
    const decoder = openStreamDecoder((event) => void events.push(event), bufferCodec)
    const piece = bytesOf(`data: {"choices":[{"delta":{"content":"${'x'.repeat(1 << 20)}`)
    for (let times = 0; times < 20; times++) decoder.push(piece)
    decoder.end()
    expect(events.map(({ type }) => type)).toEqual(['error'])
  })
})

describe('events that are alike but for one text', () => {
  const texts = [
    'a',
    '"quoted"',
    'back\\slash',
    '\\"',
    'line\nbreak',
    '北🦊',
    '{"content":"x"}',
    '","role":"',
    ' ',
    '\u2028',
    '',
  ]

  test.each([
    ['content', {}],
    ['content', { reasoning_content: null }],
    ['reasoning_content', { content: null }],
    ['reasoning', { role: 'assistant', content: '' }],
  ])('%s beside %j', (field, others) => {
    const pieces = [...texts, ...texts]
    const chunks = pieces.map((text) => chunk({ ...others, [field]: text }, { logprobs: null }, { usage: null }))
    const [block] = blocksOf([...chunks, finish()])
    expect(block).toMatchObject({ text: pieces.join('') })
  })

  test('what differs in anything else is read in full', () => {
    const events = eventsOf(
      framed([
        ...Array.from({ length: 5 }, () => chunk({ content: 'a' })),
        chunk({ content: 'b' }, { logprobs: { content: [{ token: 'b', logprob: -1 }] } }),
        chunk({ content: 'c' }, { index: 1 }),
        chunk({ content: 'd', tool_calls: [{ index: 0, id: 'x', ...fn('f', '{}') }] }),
        chunk({ content: 'e' }, { finish_reason: 'length' }),
      ]),
    )
    checkRules(events)
    expect(fold(events).choices).toEqual([
      {
        blocks: [
          { ...said('aaaaabd'), logprobs: [{ token: 'b', logprob: -1, top: [] }] },
          called('x', 'f', '{}'),
          said('e'),
        ],
        stop: { raw: 'length', reason: 'length' },
      },
      { blocks: [said('c')], stop: undefined },
    ] as never)
  })
})

test('no stream makes the decoder throw or break the rules', () => {
  const piece = fc.oneof(
    fc.record({
      index: fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 2 })),
      id: fc.constantFrom(undefined, '', 'a', 'b'),
      function: fc.record({
        name: fc.constantFrom(undefined, '', 'tide', 'wind'),
        arguments: fc.constantFrom(undefined, '', '{', '}', '{}', '{"x":"', '"', {}),
      }),
    }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const delta = fc.record(
    {
      content: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 })),
      reasoning_content: fc.oneof(fc.string(), fc.constant(null)),
      refusal: fc.constantFrom('', 'no', null),
      tool_calls: fc.array(piece, { maxLength: 3 }),
      function_call: fc.jsonValue({ maxDepth: 1 }),
      annotations: fc.jsonValue({ maxDepth: 3 }),
      images: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: [] },
  )
  const one = fc.record(
    {
      index: fc.constantFrom(0, 0, 0, 1, 5e9, 'x'),
      delta: fc.oneof({ weight: 9, arbitrary: delta }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) }),
      finish_reason: fc.constantFrom(null, null, '', 'stop', 5),
      logprobs: fc.jsonValue({ maxDepth: 2 }),
      usage: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  )
  const event = fc.record({
    id: fc.constantFrom('x', 5),
    choices: fc.array(one, { maxLength: 2 }),
    usage: fc.jsonValue({ maxDepth: 1 }),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), fc.boolean(), (chunks, done) => {
      const events = eventsOf(framed(chunks, done))
      checkRules(events)
      expect(eventsOf(framed(chunks, done), 11)).toEqual(events)
    }),
    { numRuns: 400 },
  )
})
