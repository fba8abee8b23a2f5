import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { bytesOf, textOf } from '../../../../fixtures/buffer-codec.ts'
import { checkCuts, dataIn, meterText, named, openFor, UNITS } from '../../../../fixtures/shared/metered.ts'
import { passThrough } from '../pass-through.ts'

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_767_225_600,
  model: 'upstream-name',
  instructions: null,
  error: null,
  incomplete_details: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  tool_choice: 'auto',
  tools: [{ type: 'function', name: 'model', parameters: { model: 'not this one' } }],
}
const shown = (status: string, output: object[], more: object = {}) => ({ ...RESPONSE, status, output, ...more })
const USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29,
}
type Event = { type: string; [field: string]: unknown }
/** Numbers the events, as every stream of this dialect does. */
const numbered = (events: Event[], from = 0) =>
  named(...events.map(({ type, ...rest }, index) => ({ type, sequence_number: from + index, ...rest })))

const THOUGHT = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }
const part = (text: string) => ({ type: 'output_text', text, annotations: [] })
const SPOKEN = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part('Hi 北"')] }
const CALL = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{"a":1}' }

const begun: Event[] = [
  { type: 'response.created', response: shown('in_progress', []) },
  { type: 'response.in_progress', response: shown('in_progress', []) },
]
const at = (item_id: string, output_index: number) => ({ item_id, output_index })
const thinking: Event[] = [
  { type: 'response.output_item.added', output_index: 0, item: { ...THOUGHT, summary: [] } },
  {
    type: 'response.reasoning_summary_part.added',
    ...at('rs_1', 0),
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  },
  { type: 'response.reasoning_summary_text.delta', ...at('rs_1', 0), summary_index: 0, delta: 'Hm.' },
  { type: 'response.reasoning_summary_text.done', ...at('rs_1', 0), summary_index: 0, text: 'Hm.' },
  { type: 'response.reasoning_summary_part.done', ...at('rs_1', 0), summary_index: 0, part: THOUGHT.summary[0] },
  { type: 'response.output_item.done', output_index: 0, item: THOUGHT },
]
const spokenSoFar: Event[] = [
  { type: 'response.output_item.added', output_index: 1, item: { ...SPOKEN, status: 'in_progress', content: [] } },
  { type: 'response.content_part.added', ...at('msg_1', 1), content_index: 0, part: part('') },
  {
    type: 'response.output_text.delta',
    ...at('msg_1', 1),
    content_index: 0,
    delta: 'Hi ',
    logprobs: [],
    obfuscation: 'xx',
  },
  { type: 'response.output_text.delta', ...at('msg_1', 1), content_index: 0, delta: '北"', logprobs: [] },
]
const spoken: Event[] = [
  ...spokenSoFar,
  { type: 'response.output_text.done', ...at('msg_1', 1), content_index: 0, text: 'Hi 北"', logprobs: [] },
  { type: 'response.content_part.done', ...at('msg_1', 1), content_index: 0, part: part('Hi 北"') },
  { type: 'response.output_item.done', output_index: 1, item: SPOKEN },
]
const callingSoFar: Event[] = [
  { type: 'response.output_item.added', output_index: 2, item: { ...CALL, arguments: '', status: 'in_progress' } },
  { type: 'response.function_call_arguments.delta', ...at('fc_1', 2), delta: '{"a":' },
]
const calling: Event[] = [
  ...callingSoFar,
  { type: 'response.function_call_arguments.delta', ...at('fc_1', 2), delta: '1}' },
  { type: 'response.function_call_arguments.done', ...at('fc_1', 2), name: 'tide', arguments: '{"a":1}' },
  { type: 'response.output_item.done', output_index: 2, item: { ...CALL, status: 'completed' } },
]
const body = [...begun, ...thinking, ...spoken, ...calling]
const HEAD = numbered(body)
const LAST: Event = {
  type: 'response.completed',
  response: shown('completed', [THOUGHT, SPOKEN, CALL], { usage: USAGE }),
}
const TAIL = numbered([LAST], body.length)

describe('a whole stream', () => {
  test('passes byte for byte, the ending only at the end, everything counted', () => {
    const { forwarded, tail, state } = meterText(passThrough, HEAD + TAIL)
    expect(forwarded).toBe(HEAD)
    expect(tail).toBe(TAIL)
    expect(state).toEqual({
      outputBytes: Buffer.byteLength('Hm.Hi 北"{"a":1}'),
      sawOutput: true,
      finish: { raw: 'completed', unified: 'tool_calls' },
      usage: { input: 20, output: 9, cachedInput: 8, cacheWrite: 2, reasoning: 4, absurd: false },
      done: true,
      error: undefined,
    })
  })

  test('cut anywhere', () => {
    checkCuts(passThrough, HEAD + TAIL)
    checkCuts(passThrough, (HEAD + TAIL).replaceAll('\n', '\r\n'), { renameTo: 'mine' })
  })

  test('the name of the model is replaced in every response, and nowhere else', () => {
    const { forwarded, tail } = meterText(passThrough, HEAD + TAIL, { renameTo: 'mine' })
    expect(forwarded + tail).toBe((HEAD + TAIL).replaceAll('"upstream-name"', '"mine"'))
    expect(tail).toContain('not this one')
    const drawn = numbered([
      ...begun,
      { type: 'response.output_item.done', output_index: 0, item: { type: 'image_generation_call', model: 'painter' } },
    ])
    expect(meterText(passThrough, drawn, { renameTo: 'mine' }).forwarded).toContain('"painter"')
  })

  test.each([
    ['CRLF', (HEAD + TAIL).replaceAll('\n', '\r\n')],
    ['comments and unknown events', `: hello\n\n${HEAD}${named({ type: 'keepalive' })}${TAIL}`],
    ['without event lines', (HEAD + TAIL).replaceAll(/event: .*\n/g, '')],
    ['the type behind the rest', (HEAD + TAIL).replaceAll(/\{"type":("[^"]+"),(.*)\}\n/g, '{$2,"type":$1}\n')],
  ])('%s: passes as it is and is understood', (_, text) => {
    const { forwarded, tail, state } = meterText(passThrough, text)
    expect(forwarded + tail).toBe(text)
    expect(state).toMatchObject({ done: true, error: undefined, usage: { output: 9 } })
    expect(state.outputBytes).toBe(meterText(passThrough, HEAD + TAIL).state.outputBytes)
  })
})

describe('endings', () => {
  const finishOf = (last: Event, before = begun) =>
    meterText(passThrough, numbered([...before, ...spoken, last])).state.finish
  const incomplete = (reason: string): Event => ({
    type: 'response.incomplete',
    response: shown('incomplete', [], { incomplete_details: { reason } }),
  })
  test('say why', () => {
    expect(finishOf({ ...LAST, response: shown('completed', [SPOKEN]) })).toEqual({
      raw: 'completed',
      unified: 'completed',
    })
    expect(finishOf(incomplete('max_output_tokens'))).toEqual({ raw: 'max_output_tokens', unified: 'incomplete' })
    expect(finishOf(incomplete('content_filter'))).toEqual({ raw: 'content_filter', unified: 'content_filtered' })
  })

  test('items that come whole, without deltas, are counted', () => {
    const whole = [...begun, { type: 'response.output_item.done', output_index: 0, item: SPOKEN }, LAST]
    expect(meterText(passThrough, numbered(whole)).state.outputBytes).toBe(Buffer.byteLength('Hi 北"'))
  })

  test('audio is not text', () => {
    const sound = { type: 'response.audio.delta', delta: 'AAAA' }
    expect(meterText(passThrough, numbered([...begun, sound])).state.outputBytes).toBe(0)
  })
})

describe('failures', () => {
  const error = { code: 'rate_limit_exceeded', message: 'slow down' }
  test.each<[string, string, string]>([
    [
      'response.failed',
      named({ type: 'response.failed', response: shown('failed', [], { error }) }),
      'rate_limit_exceeded',
    ],
    ['a nested error event', named({ type: 'error', error }), 'rate_limit_exceeded'],
    ['a flat error event', named({ type: 'error', ...error }), 'rate_limit_exceeded'],
    ['data that is not JSON', 'data: {oops}\n\n', 'upstream_error'],
    ['an end within an event', 'event: response.completed\ndata: {"type":"resp', 'upstream_error'],
  ])('%s', (_, text, code) => {
    const { forwarded, tail, state } = meterText(passThrough, HEAD + text)
    expect(forwarded).toBe(HEAD)
    expect(tail).toBe('')
    expect(state.error?.code).toBe(code as 'rate_limit_exceeded')
  })
})

describe('a stream stopped by the gateway', () => {
  const interleaved: Event[] = [
    ...spokenSoFar,
    ...callingSoFar,
    { type: 'response.output_text.delta', ...at('msg_1', 1), content_index: 0, delta: '!', logprobs: [] },
  ]
  test.each<[string, Event[], unknown[]]>([
    ['within a text', spokenSoFar, [{ ...SPOKEN, status: 'incomplete' }]],
    ['within a call', [...spoken, ...callingSoFar], [SPOKEN, { ...CALL, arguments: '{"a":', status: 'incomplete' }]],
    ['between two items', spoken, [SPOKEN]],
    [
      'within two at once',
      interleaved,
      [
        { ...SPOKEN, content: [part('Hi 北"!')], status: 'incomplete' },
        { ...CALL, arguments: '{"a":', status: 'incomplete' },
      ],
    ],
  ])('%s: is a whole answer to the SDK', async (_, events, output) => {
    const meter = openFor(passThrough, { renameTo: 'mine' })
    const before = numbered([...begun, ...thinking, ...events])
    const frames = textOf(meter.push(bytesOf(before)))
    const ending = textOf(meter.stop(UNITS))
    const numbers = dataIn(frames + ending).map(({ sequence_number }) => sequence_number)
    expect(numbers).toEqual(numbers.map((_, index) => index))

    const server = Bun.serve({
      port: 0,
      fetch: () => new Response(frames + ending, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const client = new OpenAI({ apiKey: 'x', baseURL: `http://localhost:${server.port}` })
    const final = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
    await server.stop(true)
    expect(final).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      model: 'mine',
    })
    expect(final.usage).toMatchObject({ input_tokens: 100, output_tokens: 25, total_tokens: 125 })
    expect(JSON.parse(JSON.stringify(final.output))).toMatchObject([THOUGHT, ...output])
  })

  const stopped = (text: string) => {
    const meter = openFor(passThrough)
    meter.push(bytesOf(text))
    return dataIn(textOf(meter.stop(UNITS)))
  }
  const outputOf = (events: Record<string, unknown>[]) =>
    (events.at(-1)?.response as { output: Record<string, unknown>[] }).output

  test('goes on counting where the upstream was', () => {
    const events = stopped(numbered([...begun, ...spokenSoFar], 40))
    expect(events[0]?.sequence_number).toBe(46)
  })

  test('within the second part of an item', () => {
    const second: Event[] = [
      ...spoken.slice(0, -1),
      { type: 'response.content_part.added', ...at('msg_1', 1), content_index: 1, part: part('') },
      { type: 'response.output_text.delta', ...at('msg_1', 1), content_index: 1, delta: 'and', logprobs: [] },
    ]
    const events = stopped(numbered([...begun, ...second]))
    expect(events[0]).toMatchObject({ type: 'response.output_text.done', content_index: 1, text: 'and' })
    expect(outputOf(events)).toMatchObject([{ content: [part('Hi 北"'), part('and')] }])
  })

  test('items that were first streamed and then repeated are kept once', () => {
    const long = 'x'.repeat(240_000)
    const text = [0, 1, 2].map((output_index) =>
      named(
        { type: 'response.output_item.added', output_index, item: CALL },
        { type: 'response.function_call_arguments.delta', output_index, delta: long },
        { type: 'response.output_item.done', output_index, item: { ...CALL, arguments: long } },
      ),
    )
    expect(outputOf(stopped(numbered(begun) + text.join('')))).toHaveLength(3)
  })

  test('keeps no more than its limit', () => {
    const meter = openFor(passThrough)
    const { output_index: _, ...huge } = { output_index: 0, ...SPOKEN, content: [part('x'.repeat(900_000))] }
    meter.push(bytesOf(numbered(begun)))
    for (const output_index of [0, 1, 2])
      meter.push(bytesOf(named({ type: 'response.output_item.done', output_index, item: huge })))
    meter.push(bytesOf(named({ type: 'response.output_item.done', output_index: 3, item: CALL })))
    const last = dataIn(textOf(meter.stop(UNITS))).at(-1)?.response as { output: { type: string }[] }
    expect(last.output.map(({ type }) => type)).toEqual(['message', 'function_call'])
  })
})

describe('a stream that failed on its way', () => {
  const error = { code: 'upstream_error', message: 'gone' } as const
  test('closes what was begun, and goes on with its numbers', () => {
    const meter = openFor(passThrough, { renameTo: 'mine' })
    const before = numbered([...begun, ...thinking, ...spokenSoFar])
    const text = textOf(meter.push(bytesOf(before))) + textOf(meter.abandon?.(error, 'req_1') ?? new Uint8Array(0))
    const events = dataIn(text)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['response.output_item.done', 'response.failed', 'error'])
    expect(events.at(-2)?.response).toMatchObject({
      id: 'resp_1',
      status: 'failed',
      model: 'mine',
      error: { message: 'gone' },
      output: [THOUGHT, { ...SPOKEN, status: 'incomplete' }],
    })
  })

  test('before anything was begun there is nothing to close, but clients want a beginning', () => {
    const events = dataIn(textOf(openFor(passThrough).abandon?.(error, 'req_1') ?? new Uint8Array(0)))
    expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.failed', 'error'])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2])
  })
})
