import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { answering, decoded, encoded, unframed, type WireEvent } from '../../../../fixtures/responses/harness.ts'
import { BLOCKS, FIGURES, reply, stopped, text } from '../../../../fixtures/responses/replies.ts'
import { type Block, type CanonicalReply, fold, unfold } from '../../../canonical/reply.ts'
import { encodeReply } from './encode-reply.ts'
import { openStreamEncoder } from './encode-stream.ts'

const eventsOf = (given: CanonicalReply, with_ = answering()): WireEvent[] => unframed(encoded(unfold(given), with_))
const last = (events: readonly WireEvent[]): WireEvent => events.at(-1) as WireEvent
const typesOf = (events: readonly WireEvent[]): string[] => events.map(({ type }) => type.replace('response.', ''))

test('the lifecycle of reasoning, text and a call', () => {
  const blocks = [BLOCKS[0], text('It is 5.1 m.'), BLOCKS[5]] as Block[]
  const events = eventsOf(reply(blocks))
  expect(typesOf(events)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ])
  expect(events[7]).toMatchObject({ item: { type: 'reasoning', id: 'rs_h7_0', encrypted_content: 'sealed(S1)' } })
  expect(events[16]).toMatchObject({ output_index: 2, name: 'tide_height', arguments: '{"port":"Brest"}' })
})

test('reasoning in full is streamed as a summary, and follows as what it is', () => {
  const events = eventsOf(reply([{ type: 'reasoning', text: 'Compare.', style: 'full' }]))
  expect(typesOf(events)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'content_part.added',
    'reasoning_text.delta',
    'reasoning_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ])
  expect(events.find(({ type }) => type === 'response.output_item.done')).toMatchObject({
    item: {
      summary: [{ type: 'summary_text', text: 'Compare.' }],
      content: [{ type: 'reasoning_text', text: 'Compare.' }],
    },
  })
})

test('numbers count up from 0, places are without gaps, and every piece has its item and its part', () => {
  const events = eventsOf(reply(BLOCKS))
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  const added = events.filter(({ type }) => type === 'response.output_item.added')
  expect(added.map((event) => event.output_index)).toEqual(added.map((_, index) => index))
  const ids = added.map((event) => (event.item as { id: string }).id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const event of events) {
    if (event.item_id !== undefined) expect(ids[event.output_index as number]).toBe(event.item_id as string)
  }
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
  expect((last(events).response as { output: unknown[] }).output).toEqual(done)
})

test('texts next to each other are parts of one message', () => {
  const events = eventsOf(reply([text('One.'), text('Two.'), { type: 'refusal', text: 'Three.' }]))
  const parts = events.filter(({ type }) => type === 'response.content_part.added')
  expect(parts.map((event) => event.content_index)).toEqual([0, 1, 2])
  expect(last(events)).toMatchObject({
    response: { output: [{ content: [{ text: 'One.' }, { text: 'Two.' }, { refusal: 'Three.' }] }] },
  })
})

describe('endings', () => {
  const rows = [
    ['end', 'completed', undefined, 'completed'],
    ['tool', 'completed', undefined, 'completed'],
    ['length', 'incomplete', 'max_output_tokens', 'incomplete'],
    ['context', 'incomplete', 'max_output_tokens', 'incomplete'],
    ['filter', 'incomplete', 'content_filter', 'incomplete'],
    ['malformed_tool', 'failed', undefined, 'incomplete'],
  ] as const
  test.each(rows)('%s', (reason, status, why, itemStatus) => {
    const given = reason === 'end' ? reply([text('a'), text('b')]) : stopped([text('a'), text('b')], reason)
    const events = eventsOf(given)
    const { response } = last(events) as WireEvent & { response: Record<string, unknown> }
    expect(last(events).type).toBe(`response.${status}`)
    expect(response).toMatchObject({ status, output: [{ status: itemStatus }] })
    expect(response.incomplete_details).toEqual(why === undefined ? null : { reason: why })
    expect(response.error).toEqual(status === 'failed' ? expect.objectContaining({ code: 'server_error' }) : null)
    expect(events.find(({ type }) => type === 'response.output_item.done')).toMatchObject({
      item: { status: itemStatus },
    })
  })

  test('an upstream that does not say why it ended completed', () => {
    const events = eventsOf(reply([text('a')], { choices: [{ blocks: [text('a')], stop: undefined }] }))
    expect(last(events).type).toBe('response.completed')
  })
})

describe('usage', () => {
  test('all figures', () => {
    expect(last(eventsOf(reply([text('a')])))).toMatchObject({
      response: {
        usage: {
          input_tokens: 90,
          input_tokens_details: { cached_tokens: 64, cache_write_tokens: 6 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 8 },
          total_tokens: 110,
        },
      },
    })
  })
  const unknown = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined, absurd: false }
  test.each([
    ['none: both are estimated, by the bytes of text and arguments', undefined, 1_000, 9],
    ['only the input', { ...unknown, input: 50, output: undefined }, 50, 9],
    ['only the output', { ...unknown, input: undefined, output: 4 }, 1_000, 4],
    ['zero is a figure', { ...unknown, input: 0, output: 0 }, 0, 0],
  ])('%s', (_, usage, input_tokens, output_tokens) => {
    const blocks: Block[] = [text('北🌊'), { type: 'call', id: 'c', name: 'n', arguments: '{}', custom: false }]
    const figures = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
    const given = reply(blocks, { usage })
    expect(last(eventsOf(given))).toMatchObject({ response: { usage: figures } })
    expect(encodeReply(given, answering())).toMatchObject({ usage: figures })
  })
})

test('a failure closes what is open as incomplete, and ends in both forms of an error, numbered on', () => {
  const encoder = openStreamEncoder(answering())
  const events = [...unfold(reply([BLOCKS[0] as Block, text('It is 5'), BLOCKS[5] as Block]))]
  const begun = events
    .slice(0, events.findIndex(({ type }) => type === 'close') + 3)
    .map(encoder.write)
    .join('')
  const rest = unframed(encoder.abandon({ code: 'upstream_error', message: 'It failed.' }))
  const all = [...unframed(begun), ...rest]
  expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, index) => index))
  expect(typesOf(rest)).toEqual(['output_text.done', 'content_part.done', 'output_item.done', 'failed', 'error'])
  const [done, failed, error] = rest.slice(-3) as [WireEvent, WireEvent, WireEvent]
  expect(done).toMatchObject({ item: { type: 'message', status: 'incomplete', content: [{ text: 'It is 5' }] } })
  expect(failed).toMatchObject({
    response: {
      id: 'resp_h7',
      status: 'failed',
      model: 'harbour-large',
      error: { code: 'server_error', message: 'It failed.' },
      output: [{ type: 'reasoning' }, { type: 'message' }],
      usage: { input_tokens: 1_000 },
    },
  })
  expect(error).toMatchObject({
    code: 'upstream_error',
    message: 'It failed.',
    error: { type: 'server_error', code: 'upstream_error' },
  })
})

test('a call that was cut is not announced as complete', () => {
  const encoder = openStreamEncoder(answering())
  for (const event of [...unfold(reply([BLOCKS[5] as Block]))].slice(0, 3)) encoder.write(event)
  const rest = unframed(encoder.abandon({ code: 'upstream_timeout', message: 'Too slow.' }))
  expect(typesOf(rest)).toEqual(['output_item.done', 'failed', 'error'])
  expect(rest[0]).toMatchObject({ item: { type: 'function_call', status: 'incomplete' } })
})

test('a failure before anything was written is a whole stream', () => {
  const rest = unframed(openStreamEncoder(answering()).abandon({ code: 'service_unavailable', message: 'Away.' }))
  expect(typesOf(rest)).toEqual(['created', 'in_progress', 'failed', 'error'])
})

describe('reasoning', () => {
  const hidden = answering({ hideReasoning: true })
  test('that are not to be shown leave only what their vendor wants back', () => {
    const given = reply(BLOCKS.slice(0, 2))
    const streamed = encoded(unfold(given), hidden)
    expect(streamed).not.toContain('ompare')
    expect(last(unframed(streamed))).toMatchObject({
      response: { output: [{ type: 'reasoning', summary: [], encrypted_content: 'sealed(S1)' }] },
    })
    expect(encodeReply(given, hidden).output).toEqual([
      { id: 'rs_h7_0', type: 'reasoning', summary: [], encrypted_content: 'sealed(S1)' },
    ])
  })
  test('that only their vendor can read, and signatures of calls and texts, travel in items of their own', () => {
    const blocks: Block[] = [
      { type: 'redacted', data: 'R' },
      { type: 'text', text: 'Hm.', citations: [], signature: 'T' },
      { type: 'text', text: 'So.', citations: [] },
      { type: 'call', id: 'call_1', name: 'now', arguments: '{}', custom: false, signature: 'C' },
    ]
    const { output } = encodeReply(reply(blocks), answering()) as {
      output: { encrypted_content?: string; type: string }[]
    }
    expect(output.map((item) => item.encrypted_content ?? item.type)).toEqual([
      'redacted.sealed(R)',
      'message',
      'after.sealed(T)',
      'message',
      'function_call',
      'after.sealed(C)',
    ])
    expect(last(eventsOf(reply(blocks)))).toMatchObject({ response: { output } })
  })
})

test('a function that the caller keeps in a namespace gets its own name back', () => {
  const namespaces = new Map([['port__tide_height', { namespace: 'port', name: 'tide_height' }]])
  const given = reply([{ type: 'call', id: 'call_1', name: 'port__tide_height', arguments: '{}', custom: false }])
  const named = { name: 'tide_height', namespace: 'port' }
  const events = eventsOf(given, answering({ namespaces }))
  for (const type of ['added', 'done']) {
    expect(events.find((event) => event.type === `response.output_item.${type}`)).toMatchObject({ item: named })
  }
  expect(events.find(({ type }) => type.endsWith('arguments.done'))).toMatchObject({ name: 'tide_height' })
  expect(encodeReply(given, answering({ namespaces })).output).toMatchObject([named])
})

test('choices that this dialect cannot request are left out', () => {
  const given = reply([], {
    choices: [
      { blocks: [text('a')], stop: undefined },
      { blocks: [text('zz')], stop: undefined },
    ],
  })
  expect(encoded(unfold(given))).not.toContain('zz')
})

test('what the request said is repeated in every Response object', () => {
  const echo = { instructions: 'Be brief.', tools: [{ type: 'function', name: 'now' }] }
  for (const event of eventsOf(reply([text('a')]), answering({ echo }))) {
    if (event.response !== undefined) expect(event.response).toMatchObject(echo)
  }
})

describe('a stream has the content of the unstreamed answer', () => {
  const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).filter((given) => given.isWellFormed())
  const block: fc.Arbitrary<(index: number) => Block> = fc.oneof(
    words.map((given) => () => text(given)),
    words.map((given) => (): Block => ({ type: 'refusal', text: given })),
    fc.record({ text: words, style: fc.constantFrom('summary' as const, 'full' as const), signed: fc.boolean() }).map(
      ({ signed, ...thoughts }) =>
        (): Block => ({ type: 'reasoning', ...thoughts, ...(signed ? { signature: 'S' } : {}) }),
    ),
    fc.record({ name: words, arguments: words, custom: fc.boolean() }).map(
      (given) =>
        (index: number): Block => ({
          type: 'call',
          id: `call_${index}`,
          ...given,
        }),
    ),
  )
  /** Reasoning in full comes as a summary first. */
  const asRead = (given: Block): Block => (given.type === 'reasoning' ? { ...given, style: 'summary' } : given)
  test('and is read as the same answer again', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), fc.constantFrom('end', 'length', 'filter'), (makers, reason) => {
        const blocks = makers.map((make, index) => make(index))
        const given = reply(blocks, { choices: [{ blocks, stop: { raw: reason, reason: reason as 'end' } }] })
        const frames = encoded(unfold(given), answering({ seal: (signature) => signature }))
        const whole = encodeReply(given, answering({ seal: (signature) => signature }))
        expect(last(unframed(frames)).response).toEqual(JSON.parse(JSON.stringify(whole)))
        expect(fold(decoded(frames)).choices[0]?.blocks).toEqual(blocks.map(asRead))
        expect(fold(decoded(frames)).usage).toEqual(FIGURES)
      }),
      { numRuns: 150 },
    )
  })
})
