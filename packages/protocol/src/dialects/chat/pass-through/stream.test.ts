import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec } from '../../../../fixtures/buffer-codec.ts'
import {
  BODY,
  chunkOf,
  cut,
  EXPECTED,
  frame,
  run,
  runText,
  STREAM,
  USAGE,
  USAGE_ONLY,
} from '../../../../fixtures/chat/stream-sample.ts'
import { openChatMeter } from './stream.ts'

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

  test('what is kept from a read survives the reuse of its buffer', () => {
    const meter = openChatMeter({ showUsage: true, maxEventBytes: 100_000 }, codec)
    const half = Buffer.from(BODY + frame(USAGE_ONLY) + frame('[DONE]').slice(0, 8))
    expect(Buffer.from(meter.push(half)).toString()).toBe(BODY)
    half.fill(0)
    expect(meter.push(Buffer.from(frame('[DONE]').slice(8)))).toBeEmpty()
    expect(Buffer.from(meter.end()).toString()).toBe(frame(USAGE_ONLY) + frame('[DONE]'))
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
    const open = `${more}${early}: ping\n\n${early}${more}${early}`
    const result = runText(open + early + frame('[DONE]'), { showUsage: true })
    expect(result.now).toBe(open)
    expect(result.later).toBe(early + frame('[DONE]'))
  })

  test('keep-alives behind a held event do not pile up', () => {
    const text = frame(USAGE_ONLY) + ': ping\n\n'.repeat(1000) + frame('[DONE]')
    const { now, later, state } = runText(text, { showUsage: true, maxEventBytes: 500 })
    expect([now, state.done]).toEqual(['', true])
    expect(later.length).toBeLessThan(1000)
    expect(later).toEndWith(frame('[DONE]'))
  })

  test('nothing behind [DONE] is forwarded', () => {
    const text = STREAM + frame(chunkOf('{"content":"late"}')) + frame('garbage')
    expect(runText(text)).toEqual(runText(STREAM))
    expect(run(cut(bytesOf(text), bytesOf(STREAM).length))).toEqual(runText(STREAM))
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

  test('an event that never ends is given up at the limit', () => {
    const meter = openChatMeter({ showUsage: false, maxEventBytes: 1000 }, codec)
    for (let size = 0; size <= 1000; size += 100) {
      expect(meter.state.error).toBeUndefined()
      meter.push(new Uint8Array(100).fill(0x78))
    }
    expect(meter.state.error?.kind).toBe('oversized')
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
