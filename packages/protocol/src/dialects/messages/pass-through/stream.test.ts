import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { bytesOf, textOf } from '../../../../fixtures/buffer-codec.ts'
import { checkCuts, dataIn, meterText, named, openFor, UNITS } from '../../../../fixtures/shared/metered.ts'
import { passThrough } from '../pass-through.ts'

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'upstream-name',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 20, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 1 },
  },
}
const begin = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const close = (index: number) => ({ type: 'content_block_stop', index })
const ending = (reason: string | null, usage: object) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage,
})
const STOP = { type: 'message_stop' }
const PING = { type: 'ping' }

const HEAD = named(
  start,
  begin(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Hm "é"\n' }),
  delta(0, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
  close(0),
  PING,
  begin(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'Hi 北🙂' }),
  delta(1, { type: 'citations_delta', citation: { type: 'page', cited_text: 'not the words of the model' } }),
  close(1),
  begin(2, { type: 'tool_use', id: 'toolu_1', name: 'tide', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"port":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"Brest"}' }),
  close(2),
)
const TAIL = named(ending('tool_use', { output_tokens: 40 }), STOP)

describe('a whole stream', () => {
  test('passes byte for byte, the ending only at the end, everything counted', () => {
    const { forwarded, tail, state } = meterText(passThrough, HEAD + TAIL)
    expect(forwarded).toBe(HEAD)
    expect(tail).toBe(TAIL)
    const spoken = Buffer.byteLength('Hm "é"\n' + 'Hi 北🙂' + '{"port":"Brest"}')
    expect(state).toEqual({
      outputBytes: spoken,
      sawOutput: true,
      finish: { raw: 'tool_use', unified: 'tool_calls' },
      usage: { input: 27, output: 40, cachedInput: 5, cacheWrite: 2, reasoning: undefined, absurd: false },
      done: true,
      error: undefined,
    })
  })

  test('cut anywhere', () => {
    checkCuts(passThrough, HEAD + TAIL)
    checkCuts(passThrough, (HEAD + TAIL).replaceAll('\n', '\r\n'), { renameTo: 'mine' })
  })

  test('the name of the model is replaced where it stands, and nowhere else', () => {
    const odd = HEAD.replaceAll('"Hi', '"model\\":\\"upstream-name\\" Hi')
    const { forwarded } = meterText(passThrough, odd + TAIL, { renameTo: 'mine' })
    expect(forwarded).toBe(odd.replace('"model":"upstream-name"', '"model":"mine"'))
    expect(meterText(passThrough, HEAD + TAIL, { renameTo: 'upstream-name' }).forwarded).toBe(HEAD)
  })

  const oddForms: [string, string][] = [
    ['CRLF', (HEAD + TAIL).replaceAll('\n', '\r\n')],
    ['CR', (HEAD + TAIL).replaceAll('\n', '\r')],
    ['no space after the colon', (HEAD + TAIL).replaceAll(': {', ':{').replaceAll('event: ', 'event:')],
    ['comments, unknown events and fields', `: hello\n\n${named({ type: 'new_thing', x: [1] })}id: 7\n${HEAD}${TAIL}`],
    ['data over two lines', (HEAD + TAIL).replaceAll('data: {"type"', 'data: {\ndata: "type"')],
    ['a byte order mark', `\ufeff${HEAD}${TAIL}`],
  ]
  test.each(oddForms)('%s: passes as it is and is understood', (_, text) => {
    const { forwarded, tail, state } = meterText(passThrough, text)
    expect(forwarded + tail).toBe(text)
    expect(state.usage?.output).toBe(40)
    expect(state.outputBytes).toBe(meterText(passThrough, HEAD + TAIL).state.outputBytes)
    const renamed = meterText(passThrough, text, { renameTo: 'mine' })
    expect(renamed.forwarded).toContain('"mine"')
    expect(renamed.forwarded).not.toContain('upstream-name')
  })
})

describe('endings', () => {
  test('what follows a reason to stop shows that it was not the end', () => {
    const more = named(begin(3, { type: 'text', text: '' }), delta(3, { type: 'text_delta', text: 'more' }), close(3))
    const first = named(ending('pause_turn', { output_tokens: 9 }))
    const { forwarded, tail } = meterText(passThrough, HEAD + first + more + TAIL)
    expect(forwarded).toBe(HEAD + first + more)
    expect(tail).toBe(TAIL)
  })

  test('a ping and unknown events behind the reason wait with it', () => {
    const late = named(ending('end_turn', { output_tokens: 9 }), PING, { type: 'new_thing' }, STOP)
    expect(meterText(passThrough, HEAD + late)).toMatchObject({ forwarded: HEAD, tail: late })
  })

  test('figures that come behind the reason wait with it', () => {
    const late = named(ending('end_turn', { output_tokens: 9 }), ending(null, { output_tokens: 12 }), STOP)
    const { forwarded, tail, state } = meterText(passThrough, HEAD + late)
    expect([forwarded, tail]).toEqual([HEAD, late])
    expect(state).toMatchObject({ usage: { output: 12 }, finish: { raw: 'end_turn' } })
  })

  test('a call that comes whole is counted', () => {
    const whole = named(start, begin(0, { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } }), close(0))
    expect(meterText(passThrough, whole).state).toMatchObject({ outputBytes: '{"a":1}'.length, sawOutput: true })
    const empty = named(start, begin(0, { type: 'text', text: '' }))
    expect(meterText(passThrough, empty).state.sawOutput).toBe(false)
  })

  test('a missing message_stop is added, since clients need it', () => {
    const last = named(ending('end_turn', { output_tokens: 9 }))
    const { tail, state } = meterText(passThrough, HEAD + last)
    expect(tail).toBe(last + named(STOP))
    expect(state.done).toBe(true)
  })

  test('nothing behind message_stop is looked at', () => {
    const { forwarded, tail, state } = meterText(passThrough, `${HEAD}${TAIL}${HEAD}data: rubbish\n\n`)
    expect(forwarded + tail).toBe(HEAD + TAIL)
    expect(state.error).toBeUndefined()
  })

  test('figures of several reports: a late one corrects, an absent one takes nothing back', () => {
    const reports = named(
      ending(null, { output_tokens: 4, input_tokens: 0 }),
      ending('end_turn', { output_tokens: 44, input_tokens: 30, output_tokens_details: { thinking_tokens: 12 } }),
      STOP,
    )
    expect(meterText(passThrough, HEAD + reports).state.usage).toEqual({
      input: 37,
      output: 44,
      cachedInput: 5,
      cacheWrite: 2,
      reasoning: 12,
      absurd: false,
    })
  })

  test('a stream that just ends has no finish', () => {
    const { forwarded, tail, state } = meterText(passThrough, HEAD)
    expect(forwarded + tail).toBe(HEAD)
    expect(state).toMatchObject({ finish: undefined, done: false, error: undefined })
  })

  test.each([
    [0],
    [1],
    [5],
  ])('%d output tokens, told before there was any output, are not what the answer took', (told) => {
    const { message } = start
    const early = { ...start, message: { ...message, usage: { ...message.usage, output_tokens: told } } }
    const begun = named(
      early,
      begin(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'a'.repeat(400) }),
    )
    expect(meterText(passThrough, begun).state.usage).toMatchObject({ input: 27, output: undefined })
  })

  test('output that was told at the start counts where nothing else is told, unless it is a place holder', () => {
    const told = (output: number) => {
      const { message } = start
      const early = { ...start, message: { ...message, usage: { ...message.usage, output_tokens: output } } }
      const last = { type: 'message_delta', delta: { stop_reason: 'end_turn' } }
      return meterText(passThrough, named(early, last, STOP)).state.usage?.output
    }
    expect([told(0), told(1), told(30)]).toEqual([undefined, undefined, 30])
  })
})

describe('failures', () => {
  const overloaded = named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
  test.each([
    ['an error event', overloaded, 'service_unavailable'],
    [
      'an error by its event line only',
      'event: error\ndata: {"error":{"type":"rate_limit_error"}}\n\n',
      'rate_limit_exceeded',
    ],
    ['data that is not JSON', 'event: ping\ndata: {oops}\n\n', 'upstream_error'],
    ['data that is no object', 'data: 17\n\n', 'upstream_error'],
    ['an end within an event', 'event: ping\ndata: {"type":"pi', 'upstream_error'],
  ])('%s', (_, text, code) => {
    const { forwarded, tail, state } = meterText(passThrough, HEAD + text)
    expect(forwarded).toBe(HEAD)
    expect(tail).toBe('')
    expect(state.error?.code).toBe(code as 'service_unavailable')
  })

  test('an event above the limit, whole or not', () => {
    const huge = `event: ping\ndata: {"x":"${'x'.repeat(16 * 1024 * 1024)}"}\n\n`
    for (const text of [huge, huge.slice(0, -4)]) {
      const { forwarded, state } = meterText(passThrough, HEAD + text)
      expect(forwarded).toBe(HEAD)
      expect(state.error?.message).toContain('too large')
    }
  })

  test('an event without its blank line at the end is whole', () => {
    const text = (HEAD + TAIL).slice(0, -2)
    const { tail, state } = meterText(passThrough, text)
    expect(tail.startsWith(TAIL.slice(0, -2))).toBe(true)
    expect(state).toMatchObject({ done: true, error: undefined })
  })
})

test('a stream stopped by the gateway is a whole answer to the SDK', async () => {
  const meter = openFor(passThrough)
  const open = named(begin(3, { type: 'text', text: '' }), delta(3, { type: 'text_delta', text: 'and so' }))
  const text = textOf(meter.push(bytesOf(HEAD + open))) + textOf(meter.stop(UNITS))
  expect(dataIn(text.slice(HEAD.length + open.length)).map(({ type }) => type)).toEqual([
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const client = new Anthropic({ apiKey: 'x', baseURL: `http://localhost:${server.port}` })
  const message = await client.messages
    .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    .finalMessage()
  await server.stop(true)
  expect(message.stop_reason).toBe('max_tokens')
  expect(message.content.at(-1)).toMatchObject({ type: 'text', text: 'and so' })
  expect(message.usage).toMatchObject({ input_tokens: 90, cache_read_input_tokens: 7, output_tokens: 25 })
})
