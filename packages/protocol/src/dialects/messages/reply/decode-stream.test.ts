import { describe, expect, test } from 'bun:test'
import {
  begin,
  decoded,
  decodedFrames,
  delta,
  ending,
  expectOrder,
  frame,
  halt,
  json,
  over,
  SHORT,
  start,
  usage,
  type WireObject,
  words,
} from '../../../../fixtures/messages/answers.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { fold } from '../../../canonical/reply.ts'

const call = (id: string, input: unknown = {}): WireObject => ({ type: 'tool_use', id, name: 'tide', input })
const emptyText = { type: 'text', text: '' }
const emptyThinking = { type: 'thinking', thinking: '', signature: '' }
const thought = (index: number, thinking: string): WireObject => delta(index, { type: 'thinking_delta', thinking })
const signed = (index: number, signature: string): WireObject => delta(index, { type: 'signature_delta', signature })

/** Blocks in short: what was said, in order. */
function told(events: readonly StreamEvent[]): string[] {
  return (fold(events).choices[0]?.blocks ?? []).map((block) => {
    if (block.type === 'call') return `#${block.id} ${block.name} ${block.arguments}`
    if (block.type === 'reasoning') return `(${block.text})${block.signature ?? ''}`
    if (block.type === 'redacted') return `[${block.data}]`
    return 'text' in block ? block.text : block.type
  })
}

test('a short answer, event by event', () => {
  expect(decodedFrames(SHORT)).toEqual([
    { type: 'start', id: 'msg_01Harbour', usage: usage({ input: 61, cachedInput: 0, cacheWrite: 0 }) },
    { type: 'open', index: 0, choice: 0, block: { type: 'text' } },
    { type: 'delta', index: 0, text: 'High tide ' },
    { type: 'delta', index: 0, text: 'at noon.' },
    { type: 'close', index: 0 },
    { type: 'usage', usage: usage({ input: 61, output: 7, cachedInput: 0, cacheWrite: 0 }) },
    { type: 'stop', choice: 0, stop: { raw: 'end_turn', reason: 'end' } },
    { type: 'end' },
  ])
})

const tail = [ending('end_turn', { output_tokens: 7 }), over]
const toolTail = [ending('tool_use', { output_tokens: 7 }), over]

describe('what is said', () => {
  const CASES: [what: string, frames: WireObject[], expected: string[]][] = [
    [
      'reasoning with a signature, then text, then calls',
      [
        start(),
        begin(0, emptyThinking),
        thought(0, 'Two '),
        thought(0, 'ports.'),
        signed(0, 'c2ln'),
        halt(0),
        begin(1, emptyText),
        words(1, 'Let me look.'),
        halt(1),
        begin(2, call('a')),
        json(2, ''),
        json(2, '{"port":'),
        json(2, '"Brest"}'),
        halt(2),
        begin(3, call('b')),
        json(3, '{"port":"Cork"}'),
        halt(3),
        ...toolTail,
      ],
      ['(Two ports.)c2ln', 'Let me look.', '#a tide {"port":"Brest"}', '#b tide {"port":"Cork"}'],
    ],
    ['signed reasoning without text', [start(), begin(0, emptyThinking), signed(0, 's'), halt(0), ...tail], ['()s']],
    [
      'the last signature counts',
      [start(), begin(0, emptyThinking), signed(0, 'a'), signed(0, 'b'), halt(0), ...tail],
      ['()b'],
    ],
    [
      'redacted reasoning',
      [start(), begin(0, { type: 'redacted_thinking', data: 'opaque' }), halt(0), ...tail],
      ['[opaque]'],
    ],
    [
      'a call whose input is whole at once',
      [start(), begin(0, call('a', { port: 'Cork' })), halt(0), ...toolTail],
      ['#a tide {"port":"Cork"}'],
    ],
    [
      'pieces win over an input given at once',
      [start(), begin(0, call('a', { p: 1 })), json(0, '{"p":2}'), halt(0), ...toolTail],
      ['#a tide {"p":2}'],
    ],
    ['a call without input', [start(), begin(0, call('a')), json(0, ''), halt(0), ...toolTail], ['#a tide {}']],
    [
      'a call that was cut by the limit',
      [start(), begin(0, call('a')), json(0, '{"port": "Br'), halt(0), ending('max_tokens', {}), over],
      ['#a tide {"port": "Br'],
    ],
    [
      'interleaved calls are kept apart',
      [
        start(),
        begin(0, call('a')),
        begin(1, call('b')),
        json(0, '{"p":'),
        json(1, '{"q":'),
        json(0, '1}'),
        json(1, '2}'),
        halt(1),
        halt(0),
        ...toolTail,
      ],
      ['#a tide {"p":1}', '#b tide {"q":2}'],
    ],
    [
      'blocks that are never ended',
      [start(), begin(0, emptyText), words(0, 'a'), begin(1, call('x')), json(1, '{}'), ...toolTail],
      ['a', '#x tide {}'],
    ],
    [
      'the same index again without an end',
      [start(), begin(0, emptyText), words(0, 'a'), begin(0, emptyText), words(0, 'b'), halt(0), ...tail],
      ['a', 'b'],
    ],
    [
      'text that begins in its start',
      [start(), begin(0, { type: 'text', text: 'Hi' }), words(0, ' there'), halt(0), ...tail],
      ['Hi there'],
    ],
    [
      'reasoning inside a block begun as text',
      [start(), begin(0, emptyText), thought(0, 'hm'), words(0, 'So.'), halt(0), ...tail],
      ['', '(hm)', 'So.'],
    ],
    ['deltas without a block', [start(), words(0, 'a'), words(0, 'b'), ...tail], ['ab']],
    [
      'no index at all',
      [
        start(),
        { type: 'content_block_start', content_block: emptyText },
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } },
        { type: 'content_block_stop' },
        ...tail,
      ],
      ['a'],
    ],
    [
      'a whole answer that comes twice',
      [
        start({ content: [{ type: 'text', text: 'Go.' }] }),
        start({ content: [{ type: 'text', text: 'Go.' }] }),
        ...tail,
      ],
      ['Go.'],
    ],
    ['a start that comes twice', [start(), start(), ...SHORT.slice(1)], ['High tide at noon.']],
    ['a start that never comes', [...SHORT.slice(1)], ['High tide at noon.']],
    [
      'two answers in a row: the first',
      [...SHORT, start({ id: 'msg_02' }), begin(0, emptyText), words(0, 'More.'), halt(0), ...tail],
      ['High tide at noon.'],
    ],
    [
      'an answer that is whole in its start',
      [start({ content: [call('a', { p: 1 }), { type: 'text', text: 'Go.' }], stop_reason: 'tool_use' }), over],
      ['#a tide {"p":1}', 'Go.'],
    ],
    [
      'pings, unknown events and unknown deltas between',
      [
        { type: 'ping' },
        ...SHORT.slice(0, 3),
        { type: 'ping' },
        { type: 'news', x: 1 },
        delta(0, { type: 'sparkle_delta', x: 1 }),
        ...SHORT.slice(3),
      ],
      ['High tide at noon.'],
    ],
  ]
  test.each(CASES)('%s', (_, frames, expected) => {
    const events = decodedFrames(frames)
    expect(told(events)).toEqual(expected)
    expect(events.at(-1)).toEqual({ type: 'end' })
    expectOrder(events)
  })
})

describe('blocks of hosted tools are left out, and reported', () => {
  test('calls, results, fallbacks, and unknown kinds', () => {
    const hosted = ['server_tool_use', 'web_fetch_tool_result', 'advisor_tool_result', 'fallback', 'novelty']
    const frames = hosted.flatMap((type, at) => [
      begin(at, { type, name: 'x', input: {} }),
      json(at, '{"q":1}'),
      halt(at),
    ])
    const events = decodedFrames([start(), ...frames, begin(9, emptyText), words(9, 'Found.'), halt(9), ...tail])
    expect(fold(events).omitted).toEqual(hosted)
    expect(told(events)).toEqual(['Found.'])
  })
})

describe('citations', () => {
  test.each<[citation: WireObject, expected: object]>([
    [
      {
        type: 'web_search_result_location',
        url: 'https://a.example',
        title: 'A',
        cited_text: 'so',
        encrypted_index: 'x',
      },
      { kind: 'url', url: 'https://a.example', title: 'A', cited: 'so' },
    ],
    [
      {
        type: 'search_result_location',
        source: 'https://b.example',
        title: null,
        cited_text: 'no',
        search_result_index: 0,
      },
      { kind: 'url', url: 'https://b.example', cited: 'no' },
    ],
    [
      { type: 'char_location', document_index: 0, document_title: 'Log', cited_text: 'ja', start_char_index: 1 },
      { kind: 'document', title: 'Log', cited: 'ja' },
    ],
  ])('%o', (citation, expected) => {
    const cited = delta(0, { type: 'citations_delta', citation })
    const events = decodedFrames([start(), begin(0, emptyText), words(0, 'So.'), cited, halt(0), ...tail])
    expect(fold(events).choices[0]?.blocks[0]).toMatchObject({ text: 'So.', citations: [expected] })
  })
})

describe('what fails', () => {
  const errorEvent = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const CASES: [what: string, text: string, code: string][] = [
    ['an error event', SHORT.slice(0, 3).map(frame).join('') + frame(errorEvent) + frame(over), 'service_unavailable'],
    ['an error event without its name', `data: ${JSON.stringify(errorEvent)}\n\n`, 'service_unavailable'],
    [
      'an error of another kind of service',
      'data: {"error":{"message":"no","type":"rate_limit_error"}}\n\n',
      'rate_limit_exceeded',
    ],
    ['what is no JSON', `${frame(start())}event: content_block_delta\ndata: {"type":\n\n`, 'upstream_error'],
    ['a cut in the middle of a block', SHORT.slice(0, 3).map(frame).join(''), 'upstream_error'],
    ['a cut before the reason', SHORT.slice(0, 5).map(frame).join(''), 'upstream_error'],
    ['a page instead of a stream', '<html>Bad gateway</html>', 'upstream_error'],
    ['nothing', '', 'upstream_error'],
    ['an event without end', `data: ${'x'.repeat(17 * 1024 * 1024)}`, 'upstream_error'],
  ]
  test.each(CASES)('%s', (_, text, code) => {
    const events = decoded(text)
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code } })
    expect(events.filter(({ type }) => type === 'error' || type === 'end')).toHaveLength(1)
  })
})

describe('bytes', () => {
  const frames = [start(), begin(0, emptyText), words(0, '潮 at 北 🌊⛵️'), words(0, 'ça'), halt(0), ...tail]
  const text = frames.map(frame).join('')
  const whole = decoded(text)

  test('cut at every place: the same events', () => {
    const length = Buffer.byteLength(text)
    for (let cut = 1; cut < length; cut++) expect(decoded(text, [cut])).toEqual(whole)
  })

  test('one by one', () => {
    const cuts = Array.from({ length: Buffer.byteLength(text) - 1 }, (_, at) => at + 1)
    expect(decoded(text, cuts)).toEqual(whole)
  })

  test.each<[what: string, change: (text: string) => string]>([
    ['CRLF', (given) => given.replaceAll('\n', '\r\n')],
    ['no space after the colon', (given) => given.replaceAll('data: ', 'data:').replaceAll('event: ', 'event:')],
    ['comments between', (given) => given.replaceAll('\n\n', '\n\n: keep-alive\n\n')],
    ['no event lines', (given) => given.replace(/event: .*\n/g, '')],
    ['a byte order mark', (given) => `\ufeff${given}`],
    ['[DONE] at the end', (given) => given.slice(0, given.indexOf('event: message_stop')).concat('data: [DONE]\n\n')],
    ['no blank line at the end', (given) => given.trimEnd()],
    ['pings that are no JSON', (given) => given.replaceAll('\n\n', '\n\nevent: ping\ndata: pong\n\n')],
    ['pings without data', (given) => given.replaceAll('\n\n', '\n\nevent: ping\ndata:\n\n')],
  ])('%s', (_, change) => {
    expect(decoded(change(text))).toEqual(whole)
  })
})
