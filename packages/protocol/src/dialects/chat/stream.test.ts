import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec, textOf } from '../../framing/fixtures/buffer-codec.ts'
import { type ChatMeterOptions, type ChatMeterState, openChatMeter } from './stream.ts'

const HEAD = '"id":"chatcmpl-9","object":"chat.completion.chunk","created":1767225600,"model":"up-1"'
const chunkOf = (delta: string, finish = 'null', more = '') =>
  `{${HEAD},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":null${more}}`
const USAGE =
  '{"prompt_tokens":61,"completion_tokens":40,"total_tokens":101,"prompt_tokens_details":{"cached_tokens":7}}'
const USAGE_ONLY = `{${HEAD},"choices":[],"usage":${USAGE}}`
const frame = (data: string) => `data: ${data}\n\n`

const TEXTS = ['', 'Chec', 'king', ' 北京', ' 🦊 and', ' \\"quotes\\", a\\nline', ' \\u5317']
const OUTPUT = new TextEncoder().encode('Checking 北京 🦊 and "quotes", a\nline 北').length
const BODY =
  frame(chunkOf('{"role":"assistant","content":""}')) +
  TEXTS.map((text) => frame(chunkOf(`{"content":"${text}"}`, 'null', ',"obfuscation":"usage"'))).join('') +
  frame(chunkOf('{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}')) +
  frame(chunkOf('{"tool_calls":[{"index":0,"function":{"arguments":"{\\"usage\\":{\\"a\\":1}}"}}]}')) +
  ': keep-alive\n\n' +
  frame(chunkOf('{}', '"tool_calls"'))
const STREAM = BODY + frame(USAGE_ONLY) + frame('[DONE]')
const ARGUMENTS = '{"usage":{"a":1}}'.length

type Result = { now: string; later: string; state: ChatMeterState }

function run(chunks: Iterable<Uint8Array>, options: Partial<ChatMeterOptions> = {}): Result {
  const meter = openChatMeter({ showUsage: false, maxEventBytes: 100_000, ...options }, codec)
  const forwarded: Uint8Array[] = []
  for (const chunk of chunks) forwarded.push(meter.push(chunk).slice())
  const later = textOf(meter.end())
  return { now: textOf(new Uint8Array(Buffer.concat(forwarded))), later, state: { ...meter.state } }
}

const runText = (text: string, options: Partial<ChatMeterOptions> = {}) => run([bytesOf(text)], options)

function* cut(bytes: Uint8Array, ...places: number[]): Generator<Uint8Array> {
  let from = 0
  for (const place of [...places.toSorted((one, other) => one - other), bytes.length]) {
    yield bytes.slice(from, place)
    from = place
  }
}

const EXPECTED = {
  outputBytes: OUTPUT + ARGUMENTS,
  sawOutput: true,
  finish: { raw: 'tool_calls', unified: 'tool_calls' },
  usage: { input: 61, output: 40, cachedInput: 7, cacheWrite: undefined, reasoning: undefined, absurd: false },
  done: true,
  error: undefined,
  events: 12,
  severalChoices: 0,
} as const

describe('forwarding', () => {
  test('the usage chunk is withheld from a client that did not ask, [DONE] leaves at the end', () => {
    expect(runText(STREAM)).toEqual({ now: BODY, later: frame('[DONE]'), state: EXPECTED })
  })

  test('a client that asked gets the usage chunk, after settlement', () => {
    const later = frame(USAGE_ONLY) + frame('[DONE]')
    expect(runText(STREAM, { showUsage: true })).toEqual({ now: BODY, later, state: EXPECTED })
  })

  test('ordinary bytes are forwarded as the very same array', () => {
    const meter = openChatMeter({ showUsage: false, maxEventBytes: 100_000 }, codec)
    for (let round = 0; round < 3; round++) {
      const chunk = bytesOf(frame(chunkOf('{"content":"a"}')).repeat(3))
      expect(meter.push(chunk)).toBe(chunk)
    }
    expect(meter.state.outputBytes).toBe(9)
  })

  test('cut at every byte: the same bytes and the same figures', () => {
    for (const showUsage of [false, true])
      for (const text of [STREAM, STREAM.replaceAll('\n', '\r\n'), STREAM.replaceAll('\n', '\r'), `\ufeff${STREAM}`]) {
        const bytes = bytesOf(text)
        const whole = run([bytes], { showUsage })
        expect(whole.state).toEqual(EXPECTED)
        for (let place = 0; place <= bytes.length; place += text === STREAM ? 1 : 3)
          expect(run(cut(bytes, place), { showUsage })).toEqual(whole)
      }
  })

  test('byte by byte', () => {
    const bytes = bytesOf(STREAM)
    expect(run(cut(bytes, ...bytes.keys()))).toEqual(runText(STREAM))
  })

  test('any cuts, any line ends, any order of spaces: what leaves is the input without the withheld event', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => chunkOf(`{"content":${JSON.stringify(text)}}`)),
      fc
        .string()
        .map((text) =>
          JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] }, null, 1).replaceAll('\n', ' '),
        ),
      fc.constant(chunkOf('{}', '"stop"')),
      fc.constant(`{"usage": ${USAGE}, "choices": []}`),
    )
    const line = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        line,
        fc.constantFrom('data: ', 'data:'),
        fc.array(fc.nat(3000)),
        (pieces, end, field, places) => {
          const frames = [...pieces, '[DONE]'].map((data) => `${field}${data}${end}${end}`)
          const shown = frames.filter((text) => !text.includes('"choices": []'))
          const bytes = bytesOf(frames.join(''))
          const result = run(cut(bytes, ...places.filter((place) => place < bytes.length)))
          expect(result.now + result.later).toBe(shown.join(''))
          expect(result.later).toBe(frames.at(-1) ?? '')
          const texts = pieces.flatMap((data) =>
            JSON.parse(data).choices.map((choice: { delta: { content?: string } }) => choice.delta.content ?? ''),
          )
          expect(result.state.outputBytes).toBe(bytesOf(texts.join('\u0000')).length - Math.max(texts.length - 1, 0))
          expect(result.state.error).toBeUndefined()
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a usage chunk in the middle is not the end: it leaves with what follows', () => {
    const more = frame(chunkOf('{"content":"more"}'))
    const early = frame(USAGE_ONLY)
    const open = `${more}${early}: ping\n\n${early}${more}`
    const result = runText(open + early + frame('[DONE]'), { showUsage: true })
    expect(result.now).toBe(open)
    expect(result.later).toBe(early + frame('[DONE]'))
  })

  test('nothing behind [DONE] is forwarded', () => {
    const text = STREAM + frame(chunkOf('{"content":"late"}')) + frame('garbage')
    expect(runText(text)).toEqual(runText(STREAM))
    expect(run(cut(bytesOf(text), STREAM.length))).toEqual(runText(STREAM))
  })

  test('an upstream that forgets the last blank line, or [DONE]', () => {
    expect(runText(STREAM.slice(0, -2)).later).toBe(frame('[DONE]'))
    expect(runText(STREAM.slice(0, -1)).later).toMatch(/^data: \[DONE\]\n\n/)
    const open = runText(BODY + frame(USAGE_ONLY), { showUsage: true })
    expect(open).toMatchObject({ now: BODY, later: frame(USAGE_ONLY), state: { done: false, error: undefined } })
  })
})

describe('renaming', () => {
  const renamed = (text: string) => text.replaceAll('"model":"up-1"', '"model":"mine \\"1\\""')
  const options = { renameTo: 'mine "1"' }

  test('every event, also the held ones, cut anywhere', () => {
    const bytes = bytesOf(STREAM)
    for (const showUsage of [false, true]) {
      const plain = run([bytes], { showUsage })
      const expected = { ...plain, now: renamed(plain.now), later: renamed(plain.later) }
      for (let place = 0; place <= bytes.length; place += 7)
        expect(run(cut(bytes, place), { showUsage, ...options })).toEqual(expected)
    }
  })

  test('a model behind the choices, none at all, one inside content, one inside a choice', () => {
    const texts = [
      '{"choices":[{"index":0,"delta":{"content":"a"}}],"model":"up-1"}',
      '{"choices":[{"index":0,"delta":{"content":"b"}}]}',
      '{"choices":[{"index":0,"model":"inner","delta":{"content":"\\"model\\":\\"x\\"","model":"inner"}}],"model":"up-1"}',
    ]
    const text = [...texts, ...texts].map(frame).join('')
    expect(runText(text, options).now).toBe(renamed(text))
  })

  test('an event of several lines keeps its meaning', () => {
    const text = 'event: message\ndata: {"model":"up-1",\ndata: "choices":[{"delta":{"content":"abc"}}]}\n\n'
    const { now, state } = runText(text, options)
    expect(now).toBe(renamed(text))
    expect(state).toMatchObject({ outputBytes: 3, events: 1 })
  })

  test('the same array when the name is right already', () => {
    const meter = openChatMeter({ showUsage: false, maxEventBytes: 1000, renameTo: 'up-1' }, codec)
    const chunk = bytesOf(frame(chunkOf('{"content":"a"}')).repeat(2))
    expect(meter.push(chunk)).toBe(chunk)
  })
})

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
    expect(run(cut(bytesOf(text), 1, 50, 90, 120).map((part) => part)).state).toEqual(state)
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

describe('errors end the forwarding before the event that has them', () => {
  const first = frame(chunkOf('{"content":"a"}'))
  const table: [string, string, object][] = [
    [
      'an error event',
      frame('{"error":{"message":"overloaded","code":"x"}}'),
      { kind: 'upstream', message: 'overloaded', body: { error: { message: 'overloaded', code: 'x' } } },
    ],
    ['an error as text', frame('{"error":"overloaded"}'), { kind: 'upstream', message: 'overloaded' }],
    [
      'an error beside choices',
      frame(chunkOf('{"content":"b"}', '"error"', ',"error":{"message":"m"}')),
      { kind: 'upstream', message: 'm' },
    ],
    ['an error object', frame('{"object":"error","message":"m"}'), { kind: 'upstream', message: 'm' }],
    ['an event named error', 'event: error\ndata: {"message":"m"}\n\n', { kind: 'upstream', message: 'm' }],
    ['not JSON', frame('garbage'), { kind: 'malformed' }],
    ['broken JSON', frame('{"choices":[{"delta":{"content":"b"}}'), { kind: 'malformed' }],
    ['a string that does not end', frame('{"choices":[{"delta":{"content":"b'), { kind: 'malformed' }],
    ['not an object', frame('[1]'), { kind: 'malformed' }],
    ['an event above the limit', frame(chunkOf(`{"content":"${'x'.repeat(2000)}"}`)), { kind: 'oversized' }],
    ['a line above the limit that never ends', `data: ${'x'.repeat(2000)}`, { kind: 'oversized' }],
  ]
  test.each(table)('%s', (_name, text, expected) => {
    const bytes = bytesOf(first + text + frame(chunkOf('{"content":"never seen"}')) + frame('[DONE]'))
    for (const places of [[], [first.length], [first.length + 5], [3, 40, 260, 300]]) {
      const { now, later, state } = run(cut(bytes, ...places), { maxEventBytes: 1000 })
      expect([now, later]).toEqual([first, ''])
      expect(state.error).toMatchObject(expected)
      expect(state).toMatchObject({ outputBytes: 1, done: false })
    }
  })

  test('as the very first event', () => {
    const { now, state } = runText(frame('{"error":{"message":"m"}}'))
    expect([now, state.error?.kind, state.sawOutput]).toEqual(['', 'upstream', false])
  })

  test('an upstream that ends within an event', () => {
    const { now, later, state } = runText(first + first.slice(0, 120))
    expect([now, later, state.error?.kind, state.outputBytes]).toEqual([first, '', 'cut', 1])
  })

  test('the largest event allowed passes, however it arrives', () => {
    const event = frame(chunkOf(`{"content":"${'x'.repeat(500)}"}`))
    for (const spare of [0, -1]) {
      const options = { maxEventBytes: event.length + spare }
      for (const places of [[], [event.length - 1], [event.length - 2], [10, 11, 12]])
        expect(run(cut(bytesOf(event), ...places), options).state.error?.kind).toBe(
          spare === 0 ? undefined : 'oversized',
        )
    }
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
