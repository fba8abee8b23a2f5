import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { chunkOf, cut, EXPECTED, frame, run, runText, USAGE } from '../../../../fixtures/chat/stream-sample.ts'
import type { ChatMeterState } from './stream.ts'

describe('metering', () => {
  const table: [string, string[], Partial<ChatMeterState>][] = [
    ['only a role is no output', [chunkOf('{"role":"assistant","content":""}')], { sawOutput: false, outputBytes: 0 }],
    ['only null is no output', [chunkOf('{"content":null,"reasoning_content":null}')], { sawOutput: false }],
    ['reasoning', [chunkOf('{"content":null,"reasoning_content":"We"}')], { sawOutput: true, outputBytes: 2 }],
    ['reasoning under both names', [chunkOf('{"reasoning":"We","reasoning_content":"We"}')], { outputBytes: 2 }],
    ['refusal', [chunkOf('{"refusal":"no"}')], { outputBytes: 2 }],
    [
      'a tool call that begins',
      [chunkOf('{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]}')],
      { sawOutput: true, outputBytes: 0 },
    ],
    ['no tool calls', [chunkOf('{"tool_calls":[]}')], { sawOutput: false }],
    [
      'an end without text',
      [chunkOf('{}', '"stop"')],
      { sawOutput: true, finish: { raw: 'stop', unified: 'completed' } },
    ],
    ['an empty finish reason is none', [chunkOf('{"content":""}', '""')], { sawOutput: false, finish: undefined }],
    [
      'a finish reason before the delta',
      ['{"choices":[{"finish_reason":"length","delta":{}}]}'],
      { finish: { raw: 'length', unified: 'incomplete' } },
    ],
    [
      'several choices',
      [1, 2].map(() => '{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"bc"}}]}'),
      { severalChoices: 2, outputBytes: 6 },
    ],
    [
      'several choices behind a known beginning',
      ['', '', ',{"index":1,"delta":{"content":"bc"}}'].map(
        (other) => `{"choices":[{"index":0,"delta":{"content":"a"}}${other}]}`,
      ),
      { severalChoices: 1, outputBytes: 5 },
    ],
    [
      'events whose beginning always differs',
      Array.from({ length: 40 }, (_, index) => `{"id":"${index}","choices":[{"index":0,"delta":{"content":"ab"}}]}`),
      { outputBytes: 80, events: 40 },
    ],
    [
      'a beginning that repeats but has text in it',
      [1, 2, 3].map(() => '{"choices":[{"text":"ab","delta":{"content":"c"}}]}'),
      { outputBytes: 9 },
    ],
    [
      'a beginning that repeats but has an end in it',
      ['"a"', '"b"', '"b"'].map((reason) => `{"choices":[{"finish_reason":${reason},"delta":{"content":"c"}}]}`),
      { finish: { raw: 'b', unified: 'completed' }, outputBytes: 3 },
    ],
    [
      'usage with the last text',
      [chunkOf('{"content":"a"}'), chunkOf('{"content":"b"}', '"stop"').replace('"usage":null', `"usage":${USAGE}`)],
      { usage: EXPECTED.usage, outputBytes: 2, finish: { raw: 'stop', unified: 'completed' } },
    ],
    [
      'usage that grows with every event: the last one counts',
      [1, 2, 3].map(
        (tokens) =>
          `{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":${tokens}}}`,
      ),
      { usage: { ...EXPECTED.usage, input: 9, output: 3, cachedInput: undefined }, outputBytes: 3 },
    ],
    [
      'usage before the choices',
      [chunkOf('{"content":"a"}'), `{"usage":${USAGE},"choices":[{"index":0,"delta":{"content":"a"}}]}`],
      { usage: EXPECTED.usage, outputBytes: 2 },
    ],
    [
      'usage inside the choice',
      [`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":${USAGE}}]}`],
      { usage: EXPECTED.usage },
    ],
    [
      'absurd usage',
      ['{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":2}}'],
      { usage: { ...EXPECTED.usage, input: undefined, output: 2, cachedInput: undefined, absurd: true } },
    ],
    [
      'words of the protocol inside content',
      [chunkOf('{"content":"\\"usage\\":{\\"error\\":1},\\"finish_reason\\":\\"stop\\"}]"}')],
      { usage: undefined, finish: undefined, error: undefined },
    ],
    [
      'a word of the protocol as content',
      [chunkOf('{"content":"usage"}'), chunkOf('{"content":"error"}')],
      { outputBytes: 10, error: undefined },
    ],
    [
      'filter results before anything else',
      ['{"choices":[],"prompt_filter_results":[{"x":1}]}', chunkOf('{"content":"a"}')],
      { events: 2, sawOutput: true },
    ],
    [
      'an error that is null',
      [chunkOf('{"content":"a"}', 'null', ',"error":null'), chunkOf('{"content":"a"}', 'null', ',"error":null')],
      { error: undefined, outputBytes: 2 },
    ],
    [
      'content parts',
      [chunkOf('{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}')],
      { outputBytes: 2 },
    ],
    [
      'log probabilities',
      ['{"choices":[{"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","text":"abc"}]}}]}'],
      { outputBytes: 1 },
    ],
  ]
  test.each(table)('%s', (_name, events, expected) => {
    const text = events.map(frame).join('')
    const { state } = runText(text)
    expect(state).toMatchObject(expected)
    expect(run(cut(bytesOf(text), 1, 50, 90, 120)).state).toEqual(state)
  })
})

describe('framing', () => {
  const event = chunkOf('{"content":"a"}')
  const table: [string, string][] = [
    ['no space', `data:${event}\n\n`],
    ['CRLF', `data: ${event}\r\n\r\n`],
    ['CR', `data: ${event}\r\r`],
    ['mixed line ends', `data: ${event}\n\r\n`],
    ['spaces around', `data:  ${event} \n\n`],
    ['a name', `event: message\ndata: ${event}\n\n`],
    ['a name behind', `data: ${event}\nevent: message\n\n`],
    ['an id and a retry', `id: 1\nretry: 10\ndata: ${event}\n\n`],
    ['a comment in front', `: ping\ndata: ${event}\n\n`],
    ['a comment before', `: ping\n\ndata: ${event}\n\n`],
    ['blank lines', `\n\n\r\n\ndata: ${event}\n\n`],
    ['data without value', `data\n\ndata:\n\ndata: ${event}\n\n`],
    ['a byte order mark', `\ufeffdata: ${event}\n\n`],
    ['pretty JSON over lines', JSON.stringify(JSON.parse(event), null, 2).replace(/^/gm, 'data: ').concat('\n\n')],
  ]
  test.each(table)('%s', (_name, text) => {
    const { now, state } = runText(text)
    expect(now).toBe(text)
    expect(state).toMatchObject({ outputBytes: 1, events: 1, sawOutput: true, error: undefined })
  })

  test('keep-alives alone are no events and no output', () => {
    expect(runText(': ping\n\n: ping\n\n')).toMatchObject({
      now: ': ping\n\n: ping\n\n',
      state: { events: 0, sawOutput: false },
    })
  })
})

// Not part of the repository: answers recorded from real services, one event's data per line.
const recordings = join(process.env.TRIVIUM_RECORDINGS ?? '', 'chat')
if (process.env.TRIVIUM_RECORDINGS !== undefined && existsSync(recordings))
  describe('recordings', () => {
    for (const file of readdirSync(recordings).filter((name) => name.endsWith('.chunks.txt')))
      test(file, () => {
        const lines = readFileSync(join(recordings, file), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
        const text = [...lines, '[DONE]'].map(frame).join('')
        const { now, later, state } = runText(text, { showUsage: true })
        expect(now + later).toBe(text)
        expect(state).toMatchObject({ events: lines.length, done: true, error: undefined, sawOutput: true })
        expect(state.finish?.raw).toBeString()
        expect(state.usage).toMatchObject({ input: expect.any(Number), output: expect.any(Number), absurd: false })
        expect(state.outputBytes).toBeGreaterThan(0)
      })
  })
