import { describe, expect, test } from 'bun:test'
import { ANSWERS, usage } from '../../../../fixtures/generate-content/answers.ts'
import { answerOf, framesOf } from '../../../../fixtures/generate-content/events.ts'
import { answeringOf } from '../../../../fixtures/generate-content/harness.ts'
import type { StreamEvent } from '../../../canonical/event.ts'
import { type Block, type CanonicalReply, unfold } from '../../../canonical/reply.ts'
import { openSseParser } from '../../../framing/sse.ts'
import { encodeStreamError } from '../error.ts'
import type { WireReply } from '../wire.ts'
import { decodeReply } from './decode-reply.ts'
import { encodeReply } from './encode-reply.ts'
import { arrayFraming, heartbeat, openStreamEncoder } from './encode-stream.ts'
import { decodeAscii, encodeAscii } from './signature.ts'

const replyOf = (blocks: Block[], more: Partial<CanonicalReply> = {}): CanonicalReply => ({
  id: 'upstream-1',
  choices: [{ blocks, stop: { raw: 'stop', reason: 'end' } }],
  usage: usage(90, 20, 8, 64),
  omitted: [],
  ...more,
})
const text = (said: string, more: object = {}): Block => ({ type: 'text', text: said, citations: [], ...more })
const call = (args: string, more: object = {}): Block => ({
  type: 'call',
  id: 'call_1',
  name: 'tide',
  arguments: args,
  custom: false,
  ...more,
})
const thought = (said: string, more: object = {}): Block => ({ type: 'reasoning', text: said, style: 'full', ...more })

const chunksOf = (frames: string): WireReply[] =>
  openSseParser()
    .push(frames)
    .map(({ data }) => JSON.parse(data) as WireReply)

test('an unstreamed answer', () => {
  const reply = replyOf([thought('Compare.', { signature: 's' }), text('5.1 m.'), call('{"port":"Brest"}')])
  expect(encodeReply(reply, answeringOf())).toEqual({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Compare.', thought: true, thoughtSignature: encodeAscii('gw1.s') },
            { text: '5.1 m.' },
            { functionCall: { id: 'call_1', name: 'tide', args: { port: 'Brest' } } },
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 90,
      cachedContentTokenCount: 64,
      candidatesTokenCount: 12,
      thoughtsTokenCount: 8,
      totalTokenCount: 110,
    },
    modelVersion: 'tide-1',
    responseId: 'abc123',
  })
})

test('the same answer, streamed: exactly these bytes', () => {
  const events: StreamEvent[] = [
    { type: 'start', id: 'u', usage: undefined },
    { type: 'open', index: 0, choice: 0, block: { type: 'reasoning', style: 'full' } },
    { type: 'delta', index: 0, text: 'Compare.' },
    { type: 'signature', index: 0, value: 's' },
    { type: 'close', index: 0 },
    { type: 'open', index: 1, choice: 0, block: { type: 'text' } },
    { type: 'delta', index: 1, text: 'It is\n' },
    { type: 'delta', index: 1, text: '"5.1 m".' },
    { type: 'close', index: 1 },
    { type: 'open', index: 2, choice: 0, block: { type: 'call', id: 'c', name: 'tide', custom: false } },
    { type: 'delta', index: 2, text: '{"port":' },
    { type: 'delta', index: 2, text: '"Brest"}' },
    { type: 'close', index: 2 },
    { type: 'usage', usage: usage(90, 20, 8, 64) },
    { type: 'stop', choice: 0, stop: { raw: 'tool_calls', reason: 'tool' } },
    { type: 'end' },
  ]
  const data = (part: string, more = '', outer = '') =>
    `data: {"candidates":[{"content":{"role":"model","parts":[${part}]},${more}"index":0}]${outer},"modelVersion":"tide-1","responseId":"abc123"}\n\n`
  expect(framesOf(events, answeringOf())).toBe(
    data('{"text":"Compare.","thought":true}') +
      data(`{"text":"","thought":true,"thoughtSignature":"${encodeAscii('gw1.s')}"}`) +
      data('{"text":"It is\\n"}') +
      data('{"text":"\\"5.1 m\\"."}') +
      data('{"functionCall":{"id":"c","name":"tide","args":{"port":"Brest"}}}') +
      data(
        '{"text":""}',
        '"finishReason":"STOP",',
        ',"usageMetadata":{"promptTokenCount":90,"cachedContentTokenCount":64,"candidatesTokenCount":12,"thoughtsTokenCount":8,"totalTokenCount":110}',
      ),
  )
})

describe('streamed or not, the client reads the same', () => {
  const REPLIES: [name: string, reply: CanonicalReply][] = [
    ...ANSWERS.map(({ name, reply }): [string, CanonicalReply] => [name, reply]),
    ['nothing', replyOf([])],
    ['a refusal', replyOf([{ type: 'refusal', text: 'No.' }])],
    ['a custom call', replyOf([call('ls -l', { custom: true })])],
  ]
  test.each(REPLIES)('%s', (_, reply) => {
    const answering = answeringOf({ seal: (signature) => signature })
    const frames = framesOf(unfold(reply), answering)
    const whole = decodeReply(encodeReply(reply, answering))
    if (!whole.ok) throw new Error(whole.error.message)
    const streamed = answerOf([frames])
    const isSaid = (block: Block): boolean => block.type !== 'text' || block.text !== ''
    // Positions of sources can only be given once the whole text is known.
    const plain = (read: CanonicalReply) =>
      JSON.stringify(
        read.choices.map(({ blocks, stop }) => ({ blocks: blocks.filter(isSaid), stop })),
        (key, value) =>
          key === 'citations'
            ? value.map(({ start: _s, end: _e, ...rest }: { start?: number; end?: number }) => rest)
            : value,
      )
    expect(plain(streamed)).toBe(plain(whole.reply))
    expect(streamed.usage).toEqual(whole.reply.usage)
    for (const chunk of chunksOf(frames)) {
      for (const candidate of chunk.candidates ?? []) expect(candidate.content?.parts?.length).toBeGreaterThan(0)
    }
    expect(frames.replace(/data: \{[^\n]*\}\n\n/g, '')).toBe('')
  })
})

describe('each block', () => {
  const hidden = answeringOf({ hideReasoning: true })
  const BLOCKS: [name: string, block: Block, part: object | undefined][] = [
    ['no arguments', call(''), { functionCall: { id: 'call_1', name: 'tide', args: {} } }],
    [
      'arguments that were cut',
      call('{"a":'),
      { functionCall: { id: 'call_1', name: 'tide', args: { _raw: '{"a":' } } },
    ],
    [
      'arguments that are no object',
      call('[1]'),
      { functionCall: { id: 'call_1', name: 'tide', args: { value: [1] } } },
    ],
    [
      'free text',
      call('ls', { custom: true }),
      { functionCall: { id: 'call_1', name: 'tide', args: { input: 'ls' } } },
    ],
    [
      'redacted reasoning',
      { type: 'redacted', data: 'd' },
      { text: '', thoughtSignature: encodeAscii('redacted:gw1.d') },
    ],
    [
      'an image',
      { type: 'media', mime: 'image/png', data: 'AAAA' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ],
  ]
  test.each(BLOCKS)('%s', (_, block, part) => {
    const reply = replyOf([block])
    expect(encodeReply(reply, answeringOf()).candidates).toMatchObject([{ content: { parts: [part] } }])
    expect(chunksOf(framesOf(unfold(reply), answeringOf()))[0]?.candidates?.[0]?.content?.parts as object).toEqual([
      part,
    ])
  })

  test('hidden reasoning: only its signature', () => {
    const reply = replyOf([thought('secret', { signature: 's' }), thought('secret'), text('5 m')])
    const signed = { text: '', thought: true, thoughtSignature: encodeAscii('gw1.s') }
    expect(encodeReply(reply, hidden).candidates).toMatchObject([{ content: { parts: [signed, { text: '5 m' }] } }])
    const chunks = chunksOf(framesOf(unfold(reply), hidden))
    expect(chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])).toEqual([
      signed,
      { text: '5 m' },
      { text: '' },
    ])
  })
})

describe('endings', () => {
  const REASONS: [reason: string, word: string][] = [
    ['end', 'STOP'],
    ['stop_sequence', 'STOP'],
    ['tool', 'STOP'],
    ['pause', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['context', 'MAX_TOKENS'],
    ['filter', 'SAFETY'],
    ['refusal', 'SAFETY'],
    ['malformed_tool', 'MALFORMED_FUNCTION_CALL'],
    ['other', 'OTHER'],
  ]
  test.each(REASONS)('%s is %s', (reason, finishReason) => {
    const reply = replyOf([], {
      choices: [{ blocks: [], stop: { raw: 'x', reason: reason as 'end', detail: 'because' } }],
    })
    const candidate = { content: { parts: [{ text: '' }] }, finishReason, finishMessage: 'because', index: 0 }
    expect(encodeReply(reply, answeringOf()).candidates).toMatchObject([candidate])
    expect(chunksOf(framesOf(unfold(reply), answeringOf())).at(-1)?.candidates as object).toMatchObject([candidate])
  })

  test('a refusal has its own finish reason', () => {
    const reply = replyOf([{ type: 'refusal', text: 'No.' }])
    expect(encodeReply(reply, answeringOf()).candidates).toMatchObject([{ finishReason: 'SAFETY' }])
    expect(framesOf(unfold(reply), answeringOf())).toContain('"finishReason":"SAFETY"')
  })

  test('usage that was not reported is what is billed', () => {
    const reply = replyOf([text('wáter'), call('{}')], { usage: undefined })
    const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 }
    expect(encodeReply(reply, answeringOf()).usageMetadata).toEqual(usageMetadata)
    expect(chunksOf(framesOf(unfold(reply), answeringOf())).at(-1)?.usageMetadata as object).toEqual(usageMetadata)
  })

  test('a figure that is half known is completed', () => {
    const reply = replyOf([text('abcd')], { usage: usage(40) })
    expect(encodeReply(reply, answeringOf()).usageMetadata).toEqual({
      promptTokenCount: 40,
      candidatesTokenCount: 1,
      totalTokenCount: 41,
    })
  })
})

test('several answers at once end in one chunk', () => {
  const choices = [
    { blocks: [text('a')], stop: { raw: 'stop', reason: 'end' as const } },
    { blocks: [text('b')], stop: { raw: 'length', reason: 'length' as const } },
  ]
  const chunks = chunksOf(framesOf(unfold(replyOf([], { choices })), answeringOf()))
  expect(chunks.map((chunk) => chunk.candidates?.map(({ index, finishReason }) => [index, finishReason]))).toEqual([
    [[0, undefined]],
    [[1, undefined]],
    [
      [0, 'STOP'],
      [1, 'MAX_TOKENS'],
    ],
  ])
})

test('sources are counted in bytes where the text is known', () => {
  const citations = [{ kind: 'url' as const, url: 'https://a.example', title: 'A', start: 1, end: 3, cited: 'át' }]
  const [candidate] = encodeReply(replyOf([text('wát', { citations })]), answeringOf())
    .candidates as WireReply['candidates'] & object
  expect(candidate?.groundingMetadata as object).toEqual({
    groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
    groundingSupports: [{ segment: { startIndex: 1, endIndex: 4, text: 'át' }, groundingChunkIndices: [0] }],
  })
})

test('as one array: the same chunks, also when it ends in an error', () => {
  const frames = framesOf(unfold(replyOf([text('a\n\nb'), call('{}')])), answeringOf())
  const array = arrayFraming()
  const whole =
    array.write(frames.slice(0, frames.indexOf('\n\n') + 2)) +
    array.write('') +
    array.write(frames.slice(frames.indexOf('\n\n') + 2)) +
    array.end()
  expect(JSON.parse(whole)).toEqual(chunksOf(frames))
  expect(arrayFraming().end()).toBe('[]')
  const broken = arrayFraming()
  const error = encodeStreamError({ code: 'upstream_error', message: 'a\nb' }, 'req_1')
  expect(JSON.parse(broken.write(heartbeat) + broken.write(error) + broken.end())).toMatchObject([
    { candidates: [{}] },
    { error: { code: 502 } },
  ])
})

test('an aborted stream leaves nothing open', () => {
  const encoder = openStreamEncoder(answeringOf())
  encoder.write({ type: 'open', index: 0, choice: 0, block: { type: 'call', id: 'c', name: 'tide', custom: false } })
  encoder.write({ type: 'delta', index: 0, text: '{"a":' })
  expect(encoder.abandon({ code: 'upstream_error', message: 'cut' })).toBe('')
})

describe('base64 of sealed text', () => {
  const TEXTS: [text: string][] = [[''], ['a'], ['ab'], ['abc'], ['gw1.A-Z_a~z0 9'], ['x'.repeat(1000)]]
  test.each(TEXTS)('%p', (sealed) => {
    const encoded = encodeAscii(sealed)
    expect(encoded).toBe(Buffer.from(sealed).toString('base64'))
    if (sealed === '') return
    expect(decodeAscii(encoded)).toBe(sealed)
    expect(decodeAscii(Buffer.from(sealed).toString('base64url'))).toBe(sealed)
  })
  test('bytes that are no plain text are not ours', () => {
    for (const foreign of ['AAAA', 'gICA', '/w==', 'not base64!', 'skip_thought_signature_validator'])
      expect(decodeAscii(foreign)).toBeUndefined()
  })
})
