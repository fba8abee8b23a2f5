import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { ANSWERS } from '../../../../fixtures/generate-content/answers.ts'
import { answerOf, eventsOf, sse } from '../../../../fixtures/generate-content/events.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { decodeReply } from './decode-reply.ts'

const withoutFields = (_: string, value: unknown): unknown => (value === undefined ? null : value)
const same = (value: unknown): string => JSON.stringify(value, withoutFields)

describe.each(ANSWERS.map((answer) => [answer.name, answer] as const))('%s', (_, { chunks, reply }) => {
  const FRAMINGS: [name: string, text: string][] = [
    ['events', sse(chunks)],
    ['events with CRLF', sse(chunks, '\r\n')],
    [
      'events without the space, with comments and an ending of chat',
      `: hi\n\n${sse(chunks).replaceAll('data: ', 'data:')}data: [DONE]\n\n`,
    ],
    ['the last event without its blank line', sse(chunks).trimEnd()],
    ['one array', `[${chunks.map((chunk) => JSON.stringify(chunk, undefined, 1)).join(',\r\n')}]`],
  ]
  test.each(FRAMINGS)('as %s', (_name, text) => expect(answerOf([text])).toEqual(reply))

  test('cut at every byte', () => {
    for (const [, text] of [FRAMINGS[1] ?? ['', ''], FRAMINGS[4] ?? ['', '']]) {
      const bytes = bytesOf(text)
      const whole = same(eventsOf([bytes]))
      for (let at = 1; at < bytes.length; at += 3) {
        expect(same(eventsOf([bytes.subarray(0, at), bytes.subarray(at)]))).toBe(whole)
      }
      expect(same(eventsOf([...bytes].map((byte) => new Uint8Array([byte]))))).toBe(whole)
    }
  })

  test('the rules of events are kept', () => expectLawful(eventsOf([sse(chunks)])))

  test('unstreamed it is the same', () => {
    // A service may answer with all chunks in one array.
    expect(decodeReply(chunks)).toEqual({ ok: true, reply })
  })
})

/** Those written at the top of canonical/event.ts. */
function expectLawful(events: StreamEvent[]): void {
  const open = new Map<number, number>()
  let next = 0
  expect(events[0]?.type).toBe('start')
  expect(events.filter(({ type }) => type === 'start' || type === 'end')).toHaveLength(2)
  expect(events.at(-1)?.type).toBe('end')
  for (const event of events) {
    if (event.type === 'open') {
      expect(event.index).toBe(next++)
      expect([...open.values()]).not.toContain(event.choice)
      open.set(event.index, event.choice)
    } else if ('index' in event) expect(open.has(event.index)).toBe(true)
    if (event.type === 'close') open.delete(event.index)
    if (event.type === 'usage' || event.type === 'stop') expect(open.size).toBe(0)
  }
}

test('input tokens known at the start are reported at the start', () => {
  const [start] = eventsOf([sse(ANSWERS[0]?.chunks ?? [])])
  expect(start).toMatchObject({ type: 'start', id: 'r-1', usage: { input: 20, output: undefined } })
})

test('calls without ids get unique ids', () => {
  const ask = (port: string) => {
    const parts = [
      { functionCall: { name: 'tide', args: { port } } },
      { functionCall: { name: 'tide', args: { port } } },
    ]
    const { choices } = answerOf([sse([{ candidates: [{ content: { parts }, finishReason: 'STOP' }] }])])
    return choices[0]?.blocks.map((block) => (block.type === 'call' ? block.id : '')) ?? []
  }
  const ids = [...ask('Brest'), ...ask('Cork')]
  expect(new Set(ids).size).toBe(4)
  expect(ids).toEqual([...ask('Brest'), ...ask('Cork')])
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
})

describe('places of sources in text that is not plain', () => {
  const chunksWith = (words: object) => [
    { candidates: [{ content: { parts: [{ text: 'High wá' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'ter.' }] } }] },
    {
      candidates: [
        {
          finishReason: 'STOP',
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'https://b.example' } }],
            groundingSupports: [{ segment: { startIndex: 5, endIndex: 11, ...words }, groundingChunkIndices: [0] }],
          },
        },
      ],
    },
  ]
  test.each([
    ['are those of the cited words', { text: 'wáter' }, { cited: 'wáter', start: 5, end: 10 }],
    ['are left out rather than wrong', {}, {}],
    ['are left out where the words are others', { text: 'tide' }, { cited: 'tide' }],
  ])('%s', (_, words, place) => {
    const [block] = answerOf([sse(chunksWith(words))]).choices[0]?.blocks ?? []
    const citations = [{ kind: 'url', url: 'https://b.example', ...place }]
    expect(block).toEqual({ type: 'text', text: 'High wáter.', citations } as never)
  })
})

describe('failures', () => {
  const SAID = sse([{ candidates: [{ content: { parts: [{ text: 'High ' }] } }] }])
  const OVERLOADED = { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }
  const CASES: [name: string, text: string, code: string][] = [
    ['nothing', '', 'upstream_error'],
    ['nothing but white space', ' \r\n\r\n', 'upstream_error'],
    ['a cut', SAID, 'upstream_error'],
    ['a cut inside an event', `${SAID}data: {"candidates":[{"con`, 'upstream_error'],
    [
      'a cut inside an array',
      '[{"candidates":[{"content":{"parts":[{"text":"H"}]},"finishReason":"STOP"}]},{"cand',
      'upstream_error',
    ],
    ['bad JSON', `${SAID}data: {oops}\n\n${SAID}`, 'upstream_error'],
    ['no object', `${SAID}data: 7\n\n`, 'upstream_error'],
    ['an error at once', sse([OVERLOADED]), 'service_unavailable'],
    ['an error in the middle', SAID + sse([OVERLOADED]), 'service_unavailable'],
    ['an error as a plain body', JSON.stringify(OVERLOADED, undefined, 2), 'service_unavailable'],
    ['an error in an array', JSON.stringify([OVERLOADED]), 'service_unavailable'],
    ['a page of HTML', '<html>\n<body>502</body></html>\n', 'upstream_error'],
  ]
  test.each(CASES)('%s', (_, text, code) => {
    const events = eventsOf([text, SAID])
    const failing = text === '' || text === ' \r\n\r\n' || text === SAID ? eventsOf([text]) : events
    expect(failing.filter(({ type }) => type === 'error')).toHaveLength(1)
    expect(failing.at(-1)).toMatchObject({ type: 'error', error: { code } })
    expect(failing.some(({ type }) => type === 'end' || type === 'stop')).toBe(false)
  })

  test('an event beyond all measure', () => {
    const piece = new Uint8Array(8 * 1024 * 1024).fill(0x20)
    const events = eventsOf(['data: {"a":"', ...Array.from({ length: 9 }, () => piece)])
    expect(events).toMatchObject([{ type: 'error', error: { code: 'upstream_error' } }])
  })

  test('any input: nothing is thrown, and there is one outcome', () => {
    const value = fc.anything({
      maxDepth: 3,
      maxKeys: 3,
      key: fc.constantFrom(
        'candidates',
        'content',
        'parts',
        'text',
        'functionCall',
        'name',
        'args',
        'partialArgs',
        'jsonPath',
        'stringValue',
        'finishReason',
        'index',
        'usageMetadata',
        'promptTokenCount',
        'groundingMetadata',
        'groundingChunks',
        'web',
        '__proto__',
      ),
    })
    const chunkOf = fc.record({
      candidates: fc.array(fc.record({ content: fc.record({ parts: fc.array(value) }), index: value })),
      usageMetadata: value,
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(value, chunkOf)), (chunks) => {
        const json = chunks.map(
          (chunk) => JSON.stringify(chunk, (_, held) => (typeof held === 'bigint' ? 1 : held)) ?? 'null',
        )
        const events = eventsOf(json.map((data) => `data: ${data}\n\n`))
        const endings = events.filter(({ type }) => type === 'end' || type === 'error')
        expect(endings).toEqual(events.slice(-1))
      }),
      { numRuns: 100 },
    )
  })
})

describe('a property: streamed and unstreamed are the same answer', () => {
  const signature = fc.option(fc.constantFrom('c2ln', 'YWJj'), { nil: undefined })
  const said = fc.record({ text: fc.string({ minLength: 1, unit: 'grapheme' }), thought: fc.boolean(), signature })
  const called = fc.record({
    name: fc.constantFrom('tide', 'port'),
    args: fc.dictionary(fc.string(), fc.jsonValue()),
    signature,
  })
  type Drawn = { text?: string; thought?: boolean; name?: string; args?: object; signature: string | undefined }
  const partOf = ({ text, thought, name, args, signature }: Drawn): { text?: string; thoughtSignature?: string } => ({
    ...(text === undefined ? { functionCall: { name, args } } : { text, ...(thought ? { thought } : {}) }),
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  })
  /** In two, the signature with the second or in a piece of its own. */
  const cutAt = (part: { text?: string; thoughtSignature?: string }, place: number): object[] => {
    if (part.text === undefined) return [part]
    const letters = [...part.text]
    const at = place % letters.length
    const { thoughtSignature, ...plain } = part
    const signed = thoughtSignature === undefined ? {} : { thoughtSignature }
    if (at === 0) return [plain, ...(thoughtSignature === undefined ? [] : [{ text: '', thoughtSignature }])]
    return [
      { ...plain, text: letters.slice(0, at).join('') },
      { ...plain, text: letters.slice(at).join(''), ...signed },
    ]
  }

  test('cut between any two characters', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(said, called)), fc.infiniteStream(fc.nat()), (parts, random) => {
        const whole = parts.map(partOf)
        const pieces = whole.flatMap((part) => cutAt(part, random.next().value ?? 0))
        const answer = (some: object[], finishReason?: string) => ({
          candidates: [{ content: { parts: some }, ...(finishReason === undefined ? {} : { finishReason }) }],
          responseId: 'r-2',
        })
        const streamed = answerOf([sse([...pieces.map((piece) => answer([piece])), answer([], 'STOP')])])
        expect(decodeReply(answer(whole, 'STOP'))).toEqual({ ok: true, reply: streamed })
      }),
      { numRuns: 200 },
    )
  })
})

describe('unstreamed', () => {
  const FAILED: [name: string, body: unknown, code: string][] = [
    ['an error', { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' } }, 'rate_limit_exceeded'],
    ['text', 'oops', 'upstream_error'],
    ['nothing', null, 'upstream_error'],
    ['another kind of object', { choices: [] }, 'upstream_error'],
    ['no answer in it', { candidates: [], usageMetadata: { promptTokenCount: 1 } }, 'upstream_error'],
  ]
  test.each(FAILED)('%s', (_, body, code) => {
    expect(decodeReply(body)).toMatchObject({ ok: false, error: { code } })
  })

  test('an answer that does not say why it ended is one', () => {
    expect(decodeReply({ candidates: [{ content: { parts: [{ text: 'Hi' }] } }] })).toMatchObject({
      ok: true,
      reply: { choices: [{ blocks: [{ text: 'Hi' }], stop: undefined }] },
    })
  })

  const REASONS: [word: string, reason: string][] = [
    ['STOP', 'end'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'filter'],
    ['RECITATION', 'filter'],
    ['LANGUAGE', 'filter'],
    ['SPII', 'filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'filter'],
    ['MALFORMED_FUNCTION_CALL', 'malformed_tool'],
    ['UNEXPECTED_TOOL_CALL', 'malformed_tool'],
    ['OTHER', 'other'],
    ['FINISH_REASON_UNSPECIFIED', 'other'],
    ['constructor', 'other'],
  ]
  test.each(REASONS)('%s means %s', (raw, reason) => {
    const decoded = decodeReply({ candidates: [{ finishReason: raw, finishMessage: 'because' }] })
    const detail = reason === 'end' ? {} : { detail: 'because' }
    expect(decoded).toMatchObject({ ok: true, reply: { choices: [{ stop: { raw, reason, ...detail } }] } })
  })

  const FIGURES: [wire: object, figures: object | undefined][] = [
    [{ trafficType: 'ON_DEMAND' }, undefined],
    [
      { promptTokenCount: 9, toolUsePromptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 15 },
      { input: 13, output: 2 },
    ],
    [
      { promptTokenCount: 9, totalTokenCount: 9 },
      { input: 9, output: 0 },
    ],
    [{ promptTokenCount: 9 }, { input: 9, output: undefined }],
    [
      { candidatesTokenCount: 2, totalTokenCount: 11 },
      { input: 9, output: 2 },
    ],
    [
      { promptTokenCount: -1, candidatesTokenCount: 2 },
      { input: undefined, output: 2, absurd: true },
    ],
    [
      { promptTokenCount: 5, cachedContentTokenCount: 9, candidatesTokenCount: 1 },
      { input: 5, cachedInput: 5, absurd: true },
    ],
  ]
  test.each(FIGURES)('figures %j', (usageMetadata, figures) => {
    const decoded = decodeReply({ candidates: [{ finishReason: 'STOP' }], usageMetadata })
    const read = decoded.ok ? decoded.reply.usage : undefined
    if (figures === undefined) expect(read).toBeUndefined()
    else expect(read).toMatchObject(figures)
  })
})
