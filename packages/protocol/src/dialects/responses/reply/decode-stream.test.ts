import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { decoded, framed } from '../../../../fixtures/responses/harness.ts'
import {
  call,
  completed,
  itemEvents,
  lifecycle,
  message,
  numbered,
  response,
  thoughts,
  USAGE,
  type Wire,
} from '../../../../fixtures/responses/streams.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { fold } from '../../../canonical/reply.ts'
import { decodeReply } from './decode-reply.ts'

const ITEMS = [
  thoughts('rs_1', ['Two stations are needed.', 'Brest first.'], { encrypted_content: 'gAAA' }),
  message('msg_1', 'High water at Brest: 北 14:05 🌊.'),
  call('a', 'tide_height', '{"port":"Brest"}'),
  call('b', 'tide_height', '{"port":"Cork"}'),
]

const whole = (items: readonly Wire[], more: object = {}) => {
  const read = decodeReply(response(items, more))
  if (!read.ok) throw new Error(read.error.message)
  return read.reply
}
const folded = (events: readonly Wire[]) => fold(decoded(framed(events)))
const kinds = (events: readonly StreamEvent[]): string[] => events.map((event) => event.type)

test('the vendor’s lifecycle is read as one answer, in order, with its figures at the end', () => {
  const events = decoded(framed(lifecycle(ITEMS)))
  expect(fold(events)).toEqual({
    id: 'resp_tide',
    choices: [
      {
        blocks: [
          { type: 'reasoning', style: 'summary', text: 'Two stations are needed.\n\nBrest first.', signature: 'gAAA' },
          { type: 'text', text: 'High water at Brest: 北 14:05 🌊.', citations: [] },
          { type: 'call', id: 'call_a', name: 'tide_height', arguments: '{"port":"Brest"}', custom: false },
          { type: 'call', id: 'call_b', name: 'tide_height', arguments: '{"port":"Cork"}', custom: false },
        ],
        stop: { raw: 'completed', reason: 'tool' },
      },
    ],
    usage: { input: 90, output: 20, cachedInput: 64, cacheWrite: undefined, reasoning: 8, absurd: false },
    omitted: [],
  })
  expect(kinds(events).slice(-4)).toEqual(['close', 'usage', 'stop', 'end'])
})

describe('bytes cut anywhere give the same events', () => {
  test('at every position', () => {
    const bytes = bytesOf(framed(itemEvents(message('msg_1', 'Brest 北 🌊'), 0)))
    const expected = decoded(bytes)
    for (let at = 1; at < bytes.length; at++) {
      expect(decoded(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected)
    }
  })
  test('one byte at a time, with CRLF and without spaces', () => {
    const odd = bytesOf(framed(lifecycle(ITEMS)).replaceAll('data: ', 'data:').replaceAll('\n', '\r\n'))
    expect(decoded(...[...odd].map((byte) => Uint8Array.of(byte)))).toEqual(decoded(framed(lifecycle(ITEMS))))
  })
})

const created: Wire = { type: 'response.created', response: response([], { status: 'in_progress', usage: null }) }
const rotated = (events: readonly Wire[]): Wire[] =>
  events.map((event, index) => {
    const item = event.item === undefined ? {} : { item: { ...(event.item as object), id: `other_${index}` } }
    return { ...event, item_id: `other_${index}`, ...item }
  })
const without = (events: readonly Wire[], pattern: RegExp): Wire[] => events.filter(({ type }) => !pattern.test(type))

/** Streams that differ from the vendor's, yet can only mean the same. */
const SAME: [what: string, events: readonly Wire[]][] = [
  ['the id of an item changes with every event', rotated(lifecycle(ITEMS))],
  ['no deltas at all, only whole items', without(lifecycle(ITEMS), /delta$/)],
  ['only items that are done', without(lifecycle(ITEMS), /added$|delta$|text\.done|part\.done|arguments\.done/)],
  ['nothing but the last event', [created, completed(ITEMS)]],
  ['no closing events', without(lifecycle(ITEMS), /(text|part|arguments)\.done$/)],
  ['no first event', without(lifecycle(ITEMS), /created|in_progress/)],
  ['the first event twice', [created, ...lifecycle(ITEMS)]],
  ['the last event has no items', lifecycle(ITEMS, completed([]))],
  [
    'unknown events and keep-alives',
    lifecycle(ITEMS).flatMap((event) => [event, { type: 'keepalive' }, { type: 'response.mood' }]),
  ],
  ['items whose index is missing', lifecycle(ITEMS).map(({ output_index: _, ...event }) => event as Wire)],
  [
    'an item is announced twice',
    lifecycle(ITEMS).flatMap((event) => (event.type.endsWith('item.added') ? [event, event] : [event])),
  ],
]

test.each(SAME)('%s', (_, events) => {
  expect<unknown>({ ...folded(events), id: 'resp_tide' }).toEqual(whole(ITEMS))
})

test('an item that was announced with its arguments gets them once', () => {
  const [, , , text, done, last] = lifecycle([call('a', 'tide_height', '{"port":"Brest"}')])
  const added: Wire = {
    type: 'response.output_item.added',
    output_index: 0,
    item: call('a', 'tide_height', '{"port":"Brest"}'),
  }
  const events = [created, added, text, done, last].filter((event) => event !== undefined)
  expect(folded(events).choices[0]?.blocks).toMatchObject([{ arguments: '{"port":"Brest"}' }])
})

test('interleaved items are kept apart, and blocks never overlap', () => {
  const [first, second] = [itemEvents(ITEMS[2] as Wire, 0), itemEvents(ITEMS[3] as Wire, 1)]
  const zipped = first.flatMap((event, index) => [event, second[index] as Wire])
  const events = decoded(framed([created, ...zipped, completed(ITEMS.slice(2))]))
  expect(fold(events)).toEqual(whole(ITEMS.slice(2)))
  let open: number | undefined
  for (const event of events) {
    if (event.type === 'open') {
      expect(open).toBeUndefined()
      open = event.index
    }
    if (event.type === 'delta') expect(event.index).toBe(open as number)
    if (event.type === 'close') open = undefined
  }
})

test('deltas of the first open item are forwarded at once', () => {
  const events = lifecycle([message('msg_1', 'High water.')])
  const upToDelta = events.slice(0, events.findIndex((event) => event.type === 'response.output_text.delta') + 1)
  expect(kinds(decoded(framed(upToDelta)))).toEqual(['start', 'open', 'delta', 'error'])
})

test('full reasoning, a custom tool, a refusal, citations', () => {
  const items: Wire[] = [
    thoughts('rs_1', [], { content: [{ type: 'reasoning_text', text: 'Look it up.' }] }),
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'plot', input: 'tide @ Brest' },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: 'It is 5.1 m.',
          logprobs: [{ token: 'It', logprob: -0.5, top_logprobs: [] }],
          annotations: [
            { type: 'url_citation', url: 'https://tides.example/brest', title: 'Brest', start_index: 0, end_index: 11 },
            { type: 'file_citation', file_id: 'file_1', filename: 'tables.pdf', index: 11 },
            { type: 'file_path', file_id: 'file_2', index: 3 },
          ],
        },
        { type: 'refusal', refusal: 'Not that.' },
      ],
    },
  ]
  const reply = folded(lifecycle(items))
  expect(reply).toEqual(whole(items))
  expect(reply.choices[0]).toEqual({
    blocks: [
      { type: 'reasoning', style: 'full', text: 'Look it up.' },
      { type: 'call', id: 'call_1', name: 'plot', arguments: 'tide @ Brest', custom: true },
      {
        type: 'text',
        text: 'It is 5.1 m.',
        logprobs: [{ token: 'It', logprob: -0.5, top: [] }],
        citations: [
          { kind: 'url', url: 'https://tides.example/brest', title: 'Brest', start: 0, end: 11 },
          { kind: 'document', title: 'tables.pdf', start: 11 },
        ],
      },
      { type: 'refusal', text: 'Not that.' },
    ],
    stop: { raw: 'completed', reason: 'tool' },
  })
  expect(reply.omitted).toEqual(['file_path'])
})

test('what hosted tools did is left out by name, what they drew is kept, and text around them stays', () => {
  const items: Wire[] = [
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: [] },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgoAAAA=' },
    { type: 'image_generation_call', id: 'ig_2', status: 'failed', result: null },
    { type: 'sundial_call', id: 'sd_1' },
    message('msg_1', 'Found it.'),
  ]
  const reply = folded(lifecycle(items))
  expect(reply).toEqual(whole(items))
  expect(reply.omitted).toEqual(['file_search_call', 'image_generation_call', 'sundial_call'])
  expect(reply.choices[0]?.blocks).toEqual([
    { type: 'media', mime: 'image/png', data: 'iVBORw0KGgoAAAA=' },
    { type: 'text', text: 'Found it.', citations: [] },
  ])
})

test('two answers in a row are one, with the figures of the last', () => {
  const second = { ...USAGE, input_tokens: 200, total_tokens: 220 }
  const last = completed([message('msg_2', 'Then this.')], { usage: second })
  const events = [
    ...lifecycle([message('msg_1', 'First this. ')]),
    ...lifecycle([message('msg_2', 'Then this.')], last),
  ]
  const read = decoded(framed(events))
  expect(kinds(read).filter((kind) => kind === 'start' || kind === 'end')).toEqual(['start', 'end'])
  const { choices, usage } = fold(read)
  expect(choices[0]?.blocks.map((block) => 'text' in block && block.text)).toEqual(['First this. ', 'Then this.'])
  expect(usage?.input).toBe(200)
})

test('an answer that was cut short says so', () => {
  const items = [message('msg_1', 'High wa')]
  const ending = (reason: string): Wire => ({
    type: 'response.incomplete',
    response: response(items, { status: 'incomplete', incomplete_details: { reason } }),
  })
  expect(folded(lifecycle(items, ending('max_output_tokens'))).choices[0]?.stop).toEqual({
    raw: 'max_output_tokens',
    reason: 'length',
  })
  expect(folded(lifecycle(items, ending('content_filter'))).choices[0]?.stop).toEqual({
    raw: 'content_filter',
    reason: 'filter',
  })
})

test('[DONE] ends a stream that has output, though no last event came', () => {
  const text = framed(lifecycle(ITEMS).slice(0, -1))
  const events = decoded(`${text}data: [DONE]\n\n`, framed([{ type: 'error', message: 'too late' }]))
  expect(fold(events)).toMatchObject({ choices: [{ stop: { reason: 'tool' } }], usage: undefined })
  expect(events.at(-1)).toEqual({ type: 'end' })
  expect(decoded('data: [DONE]\n\n')).toMatchObject([{ type: 'error', error: { code: 'upstream_error' } }])
})

describe('an answer that fails ends in one error and nothing more', () => {
  const begun = framed(lifecycle([message('msg_1', 'High wa')]).slice(0, -1))
  const rows: [what: string, rest: string, code: string][] = [
    ['cut', '', 'upstream_error'],
    ['bad JSON', 'data: {"type":"response.out\n\n', 'upstream_error'],
    ['JSON that is no object', 'data: 17\n\n', 'upstream_error'],
    [
      'flat error',
      framed([{ type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null }]),
      'rate_limit_exceeded',
    ],
    [
      'nested error',
      framed([{ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }]),
      'bad_request',
    ],
    [
      'error without a type',
      'data: {"error":{"code":"context_length_exceeded","message":"too long"}}\n\n',
      'context_length_exceeded',
    ],
    [
      'failed',
      framed([
        { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'x' } } },
      ]),
      'upstream_error',
    ],
    ['failed without a reason', framed([{ type: 'response.failed', response: { error: null } }]), 'upstream_error'],
    [
      'completed that failed',
      framed([
        { type: 'response.completed', response: { status: 'failed', error: { code: 'invalid_prompt', message: 'x' } } },
      ]),
      'bad_request',
    ],
    ['cancelled', framed([{ type: 'response.cancelled', response: { status: 'cancelled' } }]), 'upstream_error'],
  ]
  test.each(rows)('%s', (_, rest, code) => {
    const events = decoded(begun, rest, framed([completed([message('msg_9', 'more')])]))
    // A cut is a cut only if nothing follows.
    const read = rest === '' ? decoded(begun) : events
    expect(read.filter((event) => event.type === 'error')).toMatchObject([{ error: { code } }])
    expect(read.at(-1)?.type).toBe('error')
    expect(JSON.stringify(read)).not.toContain('more')
  })

  test('its usage is reported before', () => {
    const failed = {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' }, usage: USAGE },
    }
    expect(kinds(decoded(begun, framed([failed]))).slice(-2)).toEqual(['usage', 'error'])
  })

  test('an empty stream', () => {
    expect(decoded('')).toMatchObject([{ type: 'error', error: { code: 'upstream_error' } }])
  })
})

test('garbage after a complete answer does not change it', () => {
  expect(fold(decoded(framed(lifecycle(ITEMS)), 'data: {oops\n\n'))).toEqual(whole(ITEMS))
})

test('nothing that an upstream sends makes it throw', () => {
  const junk = fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, [], {}, [null]))
  const types = [
    ...new Set(
      lifecycle([...ITEMS, { type: 'custom_tool_call', id: 'c', call_id: 'd', name: 'n', input: 'i' }]).map(
        ({ type }) => type,
      ),
    ),
  ]
  const event = fc.record(
    {
      type: fc.constantFrom(...types, 'error', 'response.failed'),
      output_index: fc.oneof(fc.nat(3), junk),
      content_index: junk,
      summary_index: junk,
      item_id: junk,
      item: fc.oneof(junk, fc.constantFrom(...ITEMS)),
      part: junk,
      delta: junk,
      text: junk,
      arguments: junk,
      annotation: junk,
      logprobs: junk,
      response: fc.oneof(junk, fc.record({ output: junk, usage: junk, status: junk })),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const read = decoded(framed(events))
      const last = read.at(-1)?.type
      return (last === 'end' || last === 'error') && read.filter(({ type }) => type === last).length === 1
    }),
    { numRuns: 300 },
  )
})

describe('streamed and whole answers are read alike', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((given) => given.isWellFormed())
  const number = fc.nat(1e6)
  const item: fc.Arbitrary<(index: number) => Wire> = fc.oneof(
    fc.array(text, { minLength: 1, maxLength: 3 }).map((texts) => (index: number) => message(`msg_${index}`, ...texts)),
    text.map((refusal) => (index: number) => ({
      type: 'message',
      id: `msg_${index}`,
      role: 'assistant',
      content: [{ type: 'refusal', refusal }],
    })),
    fc.tuple(fc.array(text, { maxLength: 3 }), fc.option(text, { nil: undefined })).map(
      ([summary, sealed]) =>
        (index: number) =>
          thoughts(`rs_${index}`, summary, sealed === undefined ? {} : { encrypted_content: sealed }),
    ),
    text.map(
      (full) => (index: number) => thoughts(`rs_${index}`, [], { content: [{ type: 'reasoning_text', text: full }] }),
    ),
    text.map((given) => (index: number) => call(String(index), 'tide_height', given)),
    text.map((input) => (index: number) => ({
      type: 'custom_tool_call',
      id: `c${index}`,
      call_id: `k${index}`,
      name: 'plot',
      input,
    })),
    fc.constant((index: number) => ({ type: 'web_search_call', id: `ws_${index}`, status: 'completed' })),
  )
  test('whatever they hold, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), number, number, fc.nat(1_000), (makers, input, output, seed) => {
        const items = makers.map((make, index) => make(index))
        const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output }
        const events = lifecycle(items, completed(items, { usage }), (given) => given.match(/.{1,4}/gsu) ?? [])
        const bytes = bytesOf(framed(numbered(events)))
        const at = seed % bytes.length
        expect(fold(decoded(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(whole(items, { usage }))
      }),
      { numRuns: 150 },
    )
  })
})

test('reasoning that arrives only with the end of its part stands before the text that follows it', () => {
  const at = { output_index: 0, item_id: 'rs_1', summary_index: 0 }
  const text = { output_index: 1, item_id: 'msg_1', content_index: 0 }
  for (const [type, part] of [
    ['response.reasoning_summary_part.done', { type: 'summary_text', text: 'Brest first.' }],
    ['response.reasoning_part.done', { type: 'reasoning_text', text: 'Brest first.' }],
  ] as const) {
    const events = [
      { type: 'response.created', response: response([], { status: 'in_progress' }) },
      { type: 'response.output_item.added', output_index: 0, item: thoughts('rs_1', []) },
      { type, ...at, content_index: 0, part },
      { type: 'response.output_text.delta', ...text, delta: 'High.' },
      completed([message('msg_1', 'High.')]),
    ]
    const blocks = folded(numbered(events)).choices[0]?.blocks
    expect(blocks?.map((block) => ('text' in block ? block.text : ''))).toEqual(['Brest first.', 'High.'])
  }
})
