import { describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { bytesOf, textOf } from '../../../../fixtures/buffer-codec.ts'
import { checkCuts, dataIn, meterText, openFor, UNITS, unnamed } from '../../../../fixtures/shared/metered.ts'
import { passThrough } from '../pass-through.ts'

const ANSWER = { modelVersion: 'upstream-name', responseId: 'r-1' }
const candidate = (parts: object[], finishReason?: string, index = 0) => ({
  content: { role: 'model', parts },
  index,
  ...(finishReason === undefined ? {} : { finishReason }),
})
const chunk = (parts: object[], finishReason?: string, usageMetadata?: object) => ({
  candidates: [candidate(parts, finishReason)],
  ...(usageMetadata === undefined ? {} : { usageMetadata }),
  ...ANSWER,
})
const USAGE = { promptTokenCount: 20, candidatesTokenCount: 6, thoughtsTokenCount: 4, totalTokenCount: 30 }

const HEAD = unnamed(
  chunk([{ text: 'Comparing.', thought: true }]),
  chunk([{ text: 'High 北 ' }, { text: 'water "14:05"\n' }], undefined, { promptTokenCount: 20, totalTokenCount: 20 }),
  chunk([{ functionCall: { name: 'tide', args: { port: 'Brest' } }, thoughtSignature: 'c2ln' }]),
)
const TAIL = unnamed(chunk([{ text: '' }], 'STOP', USAGE))

describe('a whole stream', () => {
  test('passes byte for byte, the ending only at the end, everything counted', () => {
    const { forwarded, tail, state } = meterText(passThrough, HEAD + TAIL)
    expect(forwarded).toBe(HEAD)
    expect(tail).toBe(TAIL)
    expect(state).toEqual({
      outputBytes: Buffer.byteLength('Comparing.High 北 water "14:05"\n{"port":"Brest"}'),
      sawOutput: true,
      finish: { raw: 'STOP', unified: 'tool_calls' },
      usage: { input: 20, output: 10, cachedInput: undefined, cacheWrite: undefined, reasoning: 4, absurd: false },
      done: true,
      error: undefined,
    })
  })

  test('cut anywhere', () => {
    checkCuts(passThrough, HEAD + TAIL)
    checkCuts(passThrough, (HEAD + TAIL).replaceAll('\n', '\r\n'), { renameTo: 'mine' })
    checkCuts(passThrough, HEAD + TAIL, { asArray: true, renameTo: 'mine' })
  })

  test('the name of the model is replaced on every chunk', () => {
    const { forwarded, tail } = meterText(passThrough, HEAD + TAIL, { renameTo: 'mine' })
    expect(forwarded + tail).toBe((HEAD + TAIL).replaceAll('"upstream-name"', '"mine"'))
  })

  test('CRLF passes; comments and [DONE], over which clients lose the stream, do not', () => {
    const crlf = (HEAD + TAIL).replaceAll('\n', '\r\n')
    const { forwarded, tail } = meterText(passThrough, `: ping\r\n\r\n${crlf}: ping\r\n\r\ndata: [DONE]\r\n\r\n`)
    expect(forwarded + tail).toBe(crlf)
  })
})

describe('one JSON array', () => {
  test('has the same chunks', () => {
    const { forwarded, tail } = meterText(passThrough, HEAD + TAIL, { asArray: true })
    const chunks = dataIn(HEAD + TAIL).map((data) => JSON.stringify(data))
    expect(forwarded).toBe(`[${chunks.slice(0, -1).join(',\r\n')}`)
    expect(tail).toBe(`,\r\n${chunks.at(-1)}]`)
  })

  test.each([
    ['data over two lines', (HEAD + TAIL).replaceAll('data: {', 'data: {\ndata: ')],
    ['comments between', HEAD.replaceAll('data:', ': c\n\ndata:') + TAIL],
    ['only an ending', TAIL],
    ['nothing', ''],
  ])('%s', (_, text) => {
    const { forwarded, tail } = meterText(passThrough, text, { asArray: true, renameTo: 'mine' })
    const renamed = JSON.stringify(dataIn(text.replaceAll('{\ndata: ', '{'))).replaceAll('upstream-name', 'mine')
    expect(JSON.stringify(JSON.parse(forwarded + tail))).toBe(renamed)
  })
})

describe('endings', () => {
  test('a reason on every chunk: only the latest is held', () => {
    const chunks = ['a', 'b', 'c'].map((text) => unnamed(chunk([{ text }], 'STOP', USAGE)))
    const meter = openFor(passThrough)
    const out = chunks.map((text) => textOf(meter.push(bytesOf(text))))
    expect(out).toEqual(['', chunks[0] ?? '', chunks[1] ?? ''])
    expect(textOf(meter.end())).toBe(chunks[2] ?? '')
    expect(meter.state).toMatchObject({ outputBytes: 3, finish: { raw: 'STOP', unified: 'completed' }, done: true })
  })

  test('a chunk without content behind the reason belongs to the ending', () => {
    const late = unnamed({ usageMetadata: { ...USAGE, candidatesTokenCount: 8 }, ...ANSWER })
    const { forwarded, tail, state } = meterText(passThrough, HEAD + TAIL + late)
    expect([forwarded, tail]).toEqual([HEAD, TAIL + late])
    expect(state.usage?.output).toBe(12)
  })

  test('one of several candidates ends before the others', () => {
    const first = unnamed({ candidates: [candidate([{ text: 'a' }], 'MAX_TOKENS')], ...ANSWER })
    const other = unnamed({ candidates: [candidate([{ text: 'b' }], undefined, 1)], ...ANSWER })
    const last = unnamed({ candidates: [candidate([{ text: '' }], 'STOP', 1)], ...ANSWER })
    expect(meterText(passThrough, first + other + last)).toMatchObject({ forwarded: first + other, tail: last })
  })

  test('a blocked prompt', () => {
    const blocked = unnamed({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...ANSWER })
    const { forwarded, tail, state } = meterText(passThrough, blocked)
    expect([forwarded, tail]).toEqual(['', blocked])
    expect(state.finish).toEqual({ raw: 'PROHIBITED_CONTENT', unified: 'content_filtered' })
  })

  test('a stream that just ends has no finish', () => {
    expect(meterText(passThrough, HEAD).state).toMatchObject({ finish: undefined, done: false, error: undefined })
  })
})

describe('failures', () => {
  test.each([
    [
      'an error chunk',
      unnamed({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }),
      'service_unavailable',
    ],
    ['data that is not JSON', 'data: {oops}\n\n', 'upstream_error'],
    ['an end within an event', 'data: {"candidates":[', 'upstream_error'],
  ])('%s', (_, text, code) => {
    for (const asArray of [false, true]) {
      const { forwarded, tail, state } = meterText(passThrough, HEAD + TAIL + text, { asArray })
      expect(forwarded).toBe(meterText(passThrough, HEAD, { asArray }).forwarded)
      expect(tail).toBe('')
      expect(state.error?.code).toBe(code as 'service_unavailable')
    }
  })
})

describe('a stream stopped by the gateway', () => {
  const pieces = HEAD + unnamed(chunk([{ text: 'and so' }], 'STOP'))
  test('is a whole answer to the SDK', async () => {
    const meter = openFor(passThrough, { renameTo: 'mine' })
    const text = textOf(meter.push(bytesOf(pieces))) + textOf(meter.stop(UNITS))
    const server = Bun.serve({
      port: 0,
      fetch: () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const client = new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: `http://localhost:${server.port}` } })
    const stream = await client.models.generateContentStream({ model: 'm', contents: 'x' })
    const chunks = await Array.fromAsync(stream)
    await server.stop(true)
    const last = chunks.at(-1)
    expect(chunks.map((each) => each.text ?? '').join('')).toBe('High 北 water "14:05"\nand so')
    expect(last?.candidates?.[0]?.finishReason).toBe('MAX_TOKENS' as never)
    expect(last?.modelVersion).toBe('mine')
    expect(last?.usageMetadata).toEqual({
      promptTokenCount: 100,
      cachedContentTokenCount: 7,
      candidatesTokenCount: 25,
      totalTokenCount: 125,
    })
  })

  test('is a whole array', () => {
    const meter = openFor(passThrough, { asArray: true })
    const text = textOf(meter.push(bytesOf(pieces))) + textOf(meter.stop(UNITS))
    expect(JSON.parse(text)).toHaveLength(5)
  })
})
