import { describe, expect, test } from 'bun:test'
import { ANSWERING, decoded, usage } from '../../../../fixtures/messages/answers.ts'
import { ASK, helped, iterated, unstreamed, withServed } from '../../../../fixtures/messages/sdk.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import type { Block, CanonicalReply } from '../../../canonical/reply.ts'
import { fold, unfold } from '../../../canonical/reply.ts'
import { openSseParser } from '../../../framing/sse.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import { encodeStreamError } from '../error.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeReply } from './encode-reply.ts'
import { heartbeat, openStreamEncoder } from './encode-stream.ts'

function written(events: Iterable<StreamEvent>, answering: ReplyContext = ANSWERING): string {
  const encoder = openStreamEncoder(answering)
  return [...events].map((event) => encoder.write(event)).join('')
}

const parsed = (text: string): Record<string, unknown>[] =>
  openSseParser()
    .push(text)
    .map(({ event, data }) => {
      const value = JSON.parse(data)
      expect(value.type).toBe(event)
      return value
    })

const reply = (blocks: Block[], more: Partial<CanonicalReply> = {}, stop = 'end' as const): CanonicalReply => ({
  id: 'up_1',
  choices: [{ blocks, stop: { raw: 'x', reason: stop } }],
  usage: usage({ input: 90, cachedInput: 64, output: 20, reasoning: 8 }),
  omitted: [],
  ...more,
})

const said = (text: string): Block => ({ type: 'text', text, citations: [] })
const thought = (text: string, signature?: string): Block => ({
  type: 'reasoning',
  text,
  style: 'full',
  ...(signature === undefined ? {} : { signature }),
})
const call = (id: string, text: string, custom = false): Block => ({
  type: 'call',
  id,
  name: 'tide',
  arguments: text,
  custom,
})

test('the frames of an answer, one by one', () => {
  const frames = parsed(written(unfold(reply([thought('Compare.', 'S'), said('It is 5.1 m.')]))))
  const first = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, input_tokens: 33, output_tokens: 1 }
  expect(frames).toMatchObject([
    { type: 'message_start', message: { id: 'msg_Harbour42', model: 'public-name', content: [], usage: first } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Compare.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'gw1.S' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'It is 5.1 m.' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
      usage: {
        input_tokens: 26,
        cache_read_input_tokens: 64,
        cache_creation_input_tokens: 0,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 8 },
      },
    },
    { type: 'message_stop' },
  ])
})

test('the input is known from the first frame on, if only by estimate', () => {
  const firstUsage = (event: StreamEvent) => parsed(written([event]))[0]?.message as { usage: object }
  expect(firstUsage({ type: 'start', id: undefined, usage: undefined }).usage).toMatchObject({ input_tokens: 33 })
  const known = usage({ input: 90, cachedInput: 64, cacheWrite: 6 })
  expect(firstUsage({ type: 'start', id: undefined, usage: known }).usage).toMatchObject({
    input_tokens: 20,
    cache_read_input_tokens: 64,
    cache_creation_input_tokens: 6,
    output_tokens: 1,
  })
})

/** In short: what an SDK's client sees. */
type Seen = { content: readonly object[]; stop_reason: string | null }

const CASES: [what: string, given: CanonicalReply, seen: Seen, answering?: Partial<ReplyContext>][] = [
  [
    'text and calls',
    reply([said('Look: 北⛵️ "quoted"\n'), call('a', '{"port":"Brest"}'), call('b', '')]),
    {
      content: [
        { type: 'text', text: 'Look: 北⛵️ "quoted"\n' },
        { type: 'tool_use', id: 'a', name: 'tide', input: { port: 'Brest' } },
        { type: 'tool_use', id: 'b', name: 'tide', input: {} },
      ],
      stop_reason: 'end_turn',
    },
  ],
  [
    'reasoning without a signature, which is marked so that it is recognized later',
    reply([thought('Hm.'), said('So.')]),
    {
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'gw1.' },
        { type: 'text', text: 'So.' },
      ],
      stop_reason: 'end_turn',
    },
  ],
  [
    'a signature without reasoning',
    reply([thought('', 'S'), said('So.')]),
    {
      content: [
        { type: 'thinking', thinking: '', signature: 'gw1.S' },
        { type: 'text', text: 'So.' },
      ],
      stop_reason: 'end_turn',
    },
  ],
  [
    'signed calls: the signature goes before, in a thought of its own',
    reply([
      { type: 'call', id: 'a', name: 'tide', arguments: '{"port":"Brest"}', custom: false, signature: 'S' },
      { type: 'call', id: 'b', name: 'tide', arguments: '', custom: false, signature: 'T' },
      { type: 'call', id: 'c', name: 'note', arguments: 'say "so"', custom: true, signature: 'U' },
      call('d', '{}'),
    ]),
    {
      content: [
        { type: 'thinking', thinking: '', signature: 'gw1.S' },
        { type: 'tool_use', id: 'a', name: 'tide', input: { port: 'Brest' } },
        { type: 'thinking', thinking: '', signature: 'gw1.T' },
        { type: 'tool_use', id: 'b', name: 'tide', input: {} },
        { type: 'thinking', thinking: '', signature: 'gw1.U' },
        { type: 'tool_use', id: 'c', name: 'note', input: { input: 'say "so"' } },
        { type: 'tool_use', id: 'd', name: 'tide', input: {} },
      ],
      stop_reason: 'end_turn',
    },
  ],
  [
    'hidden reasoning: only what the client must send back',
    reply([thought('Hm.', 'S'), thought('Unsigned.'), said('So.')]),
    {
      content: [
        { type: 'thinking', thinking: '', signature: 'gw1.S' },
        { type: 'text', text: 'So.' },
      ],
      stop_reason: 'end_turn',
    },
    { hideReasoning: true },
  ],
  [
    'redacted reasoning',
    reply([{ type: 'redacted', data: 'opaque' }, said('So.')]),
    {
      content: [
        { type: 'redacted_thinking', data: 'gw1.opaque' },
        { type: 'text', text: 'So.' },
      ],
      stop_reason: 'end_turn',
    },
  ],
  [
    'a refusal',
    reply([{ type: 'refusal', text: 'I will not.' }]),
    { content: [{ type: 'text', text: 'I will not.' }], stop_reason: 'refusal' },
  ],
  ['nothing', reply([]), { content: [], stop_reason: 'end_turn' }],
  [
    'empty text is not begun',
    reply([said(''), call('a', '{}')]),
    { content: [{ type: 'tool_use', input: {} }], stop_reason: 'end_turn' },
  ],
  [
    'images have no place, and leave no gap',
    reply([{ type: 'media', mime: 'image/png', data: 'AAAA' }, said('There.')]),
    { content: [{ type: 'text', text: 'There.' }], stop_reason: 'end_turn' },
  ],
  [
    'free text of a custom tool',
    reply([call('a', 'say "hi"\n\\北', true)]),
    { content: [{ type: 'tool_use', input: { input: 'say "hi"\n\\北' } }], stop_reason: 'end_turn' },
  ],
  [
    'citations of URLs, and of documents by their name',
    reply([
      {
        type: 'text',
        text: 'So.',
        citations: [
          { kind: 'url', url: 'https://a.example', title: 'A', cited: 'so' },
          { kind: 'document', title: 'Log' },
        ],
      },
    ]),
    {
      content: [
        {
          type: 'text',
          citations: [
            { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'so' },
            { type: 'char_location', document_title: 'Log', cited_text: '' },
          ],
        },
      ],
      stop_reason: 'end_turn',
    },
  ],
]

describe('what the official SDK reads', () => {
  test.each(CASES)('%s', async (_, given, seen, more = {}) => {
    const answering = { ...ANSWERING, ...more }
    const stream = written(unfold(given), answering)
    const whole = JSON.stringify(encodeReply(given, answering))
    for (const message of [await helped(stream), await unstreamed(whole)]) {
      expect(message.content).toHaveLength(seen.content.length)
      expect(message).toMatchObject(seen as never)
      expect(message.usage).toMatchObject({ input_tokens: 26, cache_read_input_tokens: 64, output_tokens: 20 })
    }
    expect((await iterated(stream)).at(-1)).toEqual({ type: 'message_stop' })
  })

  test('what is streamed is what is not streamed', () => {
    for (const [, given, , more = {}] of CASES) {
      const answering = { ...ANSWERING, ...more }
      const whole = decodeReply(encodeReply(given, answering))
      expect(whole.ok && whole.reply).toEqual(fold(decoded(written(unfold(given), answering))))
    }
  })

  test('a ping before anything else is harmless', async () => {
    const stream = heartbeat + heartbeat + written(unfold(reply([said('Noon.')])))
    expect(await helped(stream)).toMatchObject({ content: [{ text: 'Noon.' }], stop_reason: 'end_turn' })
    expect((await iterated(stream))[0]?.type).toBe('message_start')
  })

  test('an error after some text is thrown', async () => {
    const encoder = openStreamEncoder(ANSWERING)
    const error = { code: 'upstream_error', message: 'It broke.' } as const
    const [first, second, third] = [...unfold(reply([said('Noon')]))]
    const begun = [first, second, third].map((event) => (event === undefined ? '' : encoder.write(event))).join('')
    const stream = begun + encoder.abandon(error) + encodeStreamError(error, 'req_1')
    await expect(helped(stream)).rejects.toMatchObject({ type: 'api_error' })
    await withServed(stream, async (client) => {
      const texts: string[] = []
      const run = async () => {
        for await (const event of await client.messages.create({ ...ASK, stream: true })) {
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') texts.push(event.delta.text)
        }
      }
      await expect(run()).rejects.toMatchObject({ error: { request_id: 'req_1' } })
      expect(texts).toEqual(['Noon'])
    })
  })
})

describe('why it ended', () => {
  test.each([
    [{ raw: 'stop', reason: 'end' }, [], 'end_turn'],
    [{ raw: 'length', reason: 'length' }, [], 'max_tokens'],
    [{ raw: 'x', reason: 'tool' }, [], 'tool_use'],
    [{ raw: 'x', reason: 'filter' }, [], 'refusal'],
    [{ raw: 'x', reason: 'refusal' }, [], 'refusal'],
    [{ raw: 'x', reason: 'pause' }, [], 'pause_turn'],
    [{ raw: 'x', reason: 'context' }, [], 'model_context_window_exceeded'],
    [{ raw: 'x', reason: 'malformed_tool' }, [], 'end_turn'],
    [{ raw: 'x', reason: 'other' }, [], 'end_turn'],
    [{ raw: 'x', reason: 'stop_sequence' }, [], 'end_turn'],
    [{ raw: 'x', reason: 'stop_sequence', sequence: 'END' }, [], 'stop_sequence'],
    [undefined, [], 'end_turn'],
    [undefined, [call('a', '{}')], 'tool_use'],
  ] as const)('%o', (stop, blocks, word) => {
    const given: CanonicalReply = { ...reply([]), choices: [{ blocks, stop }] }
    const sequence = stop !== undefined && 'sequence' in stop ? stop.sequence : null
    expect(encodeReply(given, ANSWERING)).toMatchObject({ stop_reason: word, stop_sequence: sequence })
    const last = parsed(written(unfold(given))).at(-2)
    expect(last).toMatchObject({ delta: { stop_reason: word, stop_sequence: sequence } })
  })

  test('with the explanation of a refusal', () => {
    const stop = { raw: 'refusal', reason: 'filter', detail: 'Too risky.' } as const
    expect(encodeReply({ ...reply([]), choices: [{ blocks: [], stop }] }, ANSWERING)).toMatchObject({
      stop_details: { type: 'refusal', category: null, explanation: 'Too risky.' },
    })
  })
})

describe('usage that was not reported is estimated', () => {
  const blocks = [thought('12345678'), said('🌊🌊'), call('a', '{"p":"1234567"}')]
  test.each<[what: string, given: CanonicalReply['usage'], expected: object]>([
    ['all of it', undefined, { input_tokens: 33, output_tokens: 8 }],
    ['the output', usage({ input: 50 }), { input_tokens: 50, output_tokens: 8 }],
    ['the input', usage({ output: 5 }), { input_tokens: 33, output_tokens: 5 }],
    ['a cache larger than the input', usage({ input: 5, output: 5, cachedInput: 9 }), { input_tokens: 0 }],
  ])('%s', (_, given, expected) => {
    const answer = reply(blocks, { usage: given })
    expect(encodeReply(answer, ANSWERING).usage).toMatchObject(expected)
    expect(parsed(written(unfold(answer))).at(-2)?.usage).toMatchObject(expected)
  })
})
