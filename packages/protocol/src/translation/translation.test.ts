// Every pair of protocols through the public index: a request, a whole response, a stream, an error, and bad input.
import { describe, expect, test } from 'bun:test'
import { addressOf, eventsOf, plain } from '../../fixtures/matrix.ts'
import { type CanonicalReply, fold } from '../canonical/reply.ts'
import { TEXT_DIALECTS } from '../dialects/index.ts'
import {
  PROTOCOLS,
  type Protocol,
  RequestError,
  translateRequest,
  translateResponse,
  translateStream,
  usageOf,
  warningsOf,
} from '../index.ts'

const PAIRS = PROTOCOLS.flatMap((from) => PROTOCOLS.map((to) => [from, to] as const))

/** The same request in each protocol, with a field that is in none of them. */
const REQUESTS: Record<Protocol, Record<string, unknown>> = {
  chat: {
    model: 'harbour-flash',
    max_completion_tokens: 300,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'When is high tide?' },
    ],
    of_nobody: 1,
  },
  responses: {
    model: 'harbour-flash',
    max_output_tokens: 300,
    instructions: 'Be brief.',
    input: 'When is high tide?',
    of_nobody: 1,
  },
  messages: {
    model: 'harbour-flash',
    max_tokens: 300,
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'When is high tide?' }],
    of_nobody: 1,
  },
  'generate-content': {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'When is high tide?' }] }],
    generationConfig: { maxOutputTokens: 300 },
    ofNobody: 1,
  },
}

const SENT: Record<Protocol, { path: string; body: object }> = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'harbour-flash', messages: REQUESTS.chat.messages, max_completion_tokens: 300 },
  },
  responses: {
    path: '/v1/responses',
    body: {
      model: 'harbour-flash',
      instructions: 'Be brief.',
      input: [{ type: 'message', role: 'user', content: 'When is high tide?' }],
      max_output_tokens: 300,
    },
  },
  messages: {
    path: '/v1/messages',
    body: {
      model: 'harbour-flash',
      max_tokens: 300,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'When is high tide?' }],
    },
  },
  'generate-content': {
    path: '/v1beta/models/harbour-flash:generateContent',
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'When is high tide?' }] }],
      generationConfig: { maxOutputTokens: 300 },
    },
  },
}

const ITEM = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }
const TEXT = { type: 'output_text', text: 'At five.', annotations: [] }
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  usage: { input_tokens: 12, output_tokens: 7 },
}
const RESPONSES: Record<Protocol, Record<string, unknown>> = {
  chat: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'At five.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 7 },
  },
  responses: { ...RESPONSE, output: [{ ...ITEM, content: [TEXT] }] },
  messages: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'At five.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 12, output_tokens: 7 },
  },
  'generate-content': {
    candidates: [{ content: { role: 'model', parts: [{ text: 'At five.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7 },
  },
}

/** The events of a stream; in two of the protocols each has a name, its type. */
const STREAMS: Record<Protocol, readonly object[]> = {
  chat: [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'At' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: ' five.' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } },
  ],
  responses: [
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, content: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'At' },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: ' five.' },
    { type: 'response.output_item.done', output_index: 0, item: { ...ITEM, content: [TEXT] } },
    { type: 'response.completed', response: RESPONSES.responses },
  ],
  messages: [
    { type: 'message_start', message: { ...RESPONSES.messages, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'At' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' five.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ],
  'generate-content': [
    { candidates: [{ content: { role: 'model', parts: [{ text: 'At' }] } }] },
    {
      candidates: [{ content: { role: 'model', parts: [{ text: ' five.' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7 },
    },
  ],
}

const encoder = new TextEncoder()
const frameOf = (event: object): string =>
  'type' in event ? `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` : `data: ${JSON.stringify(event)}\n\n`
const streamOf = (protocol: Protocol, count = Number.POSITIVE_INFINITY): Uint8Array => {
  const frames = STREAMS[protocol].slice(0, count).map(frameOf).join('')
  return encoder.encode(protocol === 'chat' && count > 9 ? `${frames}data: [DONE]\n\n` : frames)
}

const translated = (from: Protocol, to: Protocol, body: unknown = REQUESTS[from]) =>
  translateRequest(body, { from, to, id: 'demo-1', now: 1_767_225_600_000, addressed: addressOf(from) })

const textOf = ({ choices }: CanonicalReply): string | undefined => {
  const block = choices[0]?.blocks[0]
  return block?.type === 'text' ? block.text : undefined
}

/** The client's bytes, from the upstream's in pieces of seven. */
function streamed(from: Protocol, to: Protocol, bytes: Uint8Array) {
  const stream = translateStream(translated(from, to).translation)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 7) pieces.push(stream.push(bytes.subarray(at, at + 7)))
  pieces.push(stream.end())
  return { stream, bytes: new Uint8Array(Buffer.concat(pieces)) }
}

const USED = { input: 12, output: 7 }

describe.each(PAIRS)('a client of %s and an upstream of %s', (from, to) => {
  test('a request, with a warning about what has no equivalent', () => {
    const { body, path, stream, translation } = translated(from, to)
    expect({ path, body: plain(body), stream }).toMatchObject({ ...SENT[to], stream: false })
    const field = from === 'generate-content' ? 'ofNobody' : 'of_nobody'
    expect(warningsOf(translation)).toEqual([{ field, reason: 'dropped' }])
  })

  test('a response', () => {
    const { translation } = translated(from, to)
    const response = translateResponse(RESPONSES[to], translation)
    const read = TEXT_DIALECTS[from].decodeReply(plain(response.body))
    if (!read.ok) throw new Error(read.error.message)
    expect([textOf(read.reply), read.reply.choices[0]?.stop?.reason]).toEqual(['At five.', 'end'])
    expect(read.reply.usage).toMatchObject(USED)
    expect(usageOf(response)).toMatchObject(USED)
  })

  test('a stream, cut anywhere', () => {
    const { stream, bytes } = streamed(from, to, streamOf(to))
    const reply = fold(eventsOf(TEXT_DIALECTS[from], bytes))
    expect([textOf(reply), reply.choices[0]?.stop?.reason]).toEqual(['At five.', 'end'])
    expect(usageOf(stream)).toMatchObject(USED)
    expect(stream.state).toMatchObject({ done: true, error: undefined })
  })

  test('an error of the upstream, in a response and in a stream', () => {
    const { translation } = translated(from, to)
    const upstream = { code: 'rate_limit_exceeded', message: 'Slow down.' } as const
    const { status, body } = TEXT_DIALECTS[to].encodeError(upstream, 'req_1')
    const response = translateResponse(plain(body), translation, status)
    expect(response).toMatchObject({ ok: false, status: 429, error: { code: 'rate_limit_exceeded' } })
    expect(TEXT_DIALECTS[from].decodeError(429, plain(response.body)).code).toBe('rate_limit_exceeded')
    expect(usageOf(response)).toBeUndefined()
    const cut = streamed(from, to, streamOf(to, 1))
    expect(cut.stream.state.error?.code).toBe('upstream_error')
    expect(new TextDecoder().decode(cut.bytes)).toContain(cut.stream.state.error?.message ?? '')
    expect(eventsOf(TEXT_DIALECTS[from], cut.bytes).at(-1)).toMatchObject({ type: 'error' })
  })
})

test('what a client cannot be shown of a response is a warning', () => {
  const { translation } = translated('chat', 'generate-content')
  const parts = [{ executableCode: { language: 'PYTHON', code: '5' } }, { text: 'At five.' }]
  translateResponse({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }, translation)
  expect(warningsOf(translation)).toContainEqual({ field: 'executableCode', reason: 'omitted' })
})

describe('reasoning comes back to an upstream of the protocol that signed it', () => {
  const thinking = { type: 'thinking', thinking: 'Tides.', signature: 'c2lnbmVk' }
  const signed = { ...RESPONSES.messages, content: [thinking, { type: 'text', text: 'At five.' }] }
  const asked = { ...REQUESTS.messages, thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 4_000 }
  const [question] = REQUESTS.messages.messages as object[]

  test.each<[Protocol, number]>([
    ['messages', 1],
    ['responses', 0],
  ])('%s', (to, signatures) => {
    const first = translateResponse(signed, translated('messages', 'messages', asked).translation)
    if (!first.ok) throw new Error(first.error.message)
    const messages = [question, { role: 'assistant', content: first.body.content }, question]
    const next = translated('messages', to, { ...asked, messages })
    expect(JSON.stringify(next.body).split('c2lnbmVk').length - 1).toBe(signatures)
    const lost = warningsOf(next.translation).some(({ field }) => field === 'pastReasoning' || field === 'thinking')
    expect(lost).toBe(signatures === 0)
  })
})

describe('bad input is a RequestError that names the field', () => {
  test.each<[Protocol, unknown, string | undefined]>([
    ['chat', { model: 'm', messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    ['responses', { model: 'm', input: [{ type: 'message', role: 'user', content: 5 }] }, 'input[0].content'],
    ['messages', { model: 'm', max_tokens: 'x', messages: [] }, 'max_tokens'],
    ['generate-content', { contents: [{ parts: [5] }] }, 'contents[0].parts[0]'],
  ])('%s', (from, body, param) => {
    for (const to of PROTOCOLS) {
      const attempt = () => translated(from, to, body)
      expect(attempt).toThrow(RequestError)
      expect(attempt).toThrow(
        expect.objectContaining({ info: expect.objectContaining({ code: 'bad_request', param }) }),
      )
    }
  })

  const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  const itself: Record<string, unknown> = {}
  itself.messages = [itself]
  const HOSTILE: [what: string, body: unknown, code: string][] = [
    ['a number', 5, 'bad_request'],
    ['null', null, 'bad_request'],
    ['a text', '{}', 'bad_request'],
    ['a list', [], 'bad_request'],
    ['deep nesting', { messages: nested(600) }, 'bad_request'],
    ['itself', itself, 'bad_request'],
    ['a bigint', { messages: 1n }, 'bad_request'],
    ['a function', { messages: () => 1 }, 'bad_request'],
    ['__proto__', JSON.parse('{"__proto__":{"a":1}}'), 'bad_request'],
    ['more values than allowed', { messages: Array(1_000_001).fill(0) }, 'request_too_large'],
  ]
  test.each(HOSTILE)('%s', (_, body, code) => {
    for (const [from, to] of PAIRS)
      expect(() => translated(from, to, body)).toThrow(
        expect.objectContaining({ info: expect.objectContaining({ code }) }),
      )
    const { translation } = translated('chat', 'messages')
    expect(translateResponse(body, translation)).toMatchObject({ ok: false, error: { code: 'upstream_error' } })
  })

  test('a bound of the host’s own', () => {
    const limits = { characters: 20 }
    const options = { from: 'chat', to: 'messages', id: 'a', now: 0, limits } as const
    expect(() => translateRequest(REQUESTS.chat, options)).toThrow('more than 20 characters')
  })
})

// JSON.stringify fails on such a value, and takes seconds to say so.
describe('arguments of a call that are nested without end are text', () => {
  const text = `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`
  const call = { id: 'a', type: 'function', function: { name: 'tide', arguments: text } }
  const said = { role: 'assistant', content: null, tool_calls: [call] }
  const history = [{ role: 'user', content: 'Tides?' }, said, { role: 'tool', tool_call_id: 'a', content: text }]

  test.each(PROTOCOLS)('between chat and %s', (other) => {
    expect(() => JSON.stringify(translated('chat', other, { model: 'm', messages: history }).body)).not.toThrow()
    const choices = [{ index: 0, message: said, finish_reason: 'tool_calls' }]
    const response = translateResponse({ choices }, translated(other, 'chat').translation)
    expect(() => JSON.stringify(response.body)).not.toThrow()
    const parts = `[{"functionCall":{"name":"tide","args":${text}}}]`
    const { stream } = streamed(
      other,
      'generate-content',
      encoder.encode(`data: {"candidates":[{"content":{"parts":${parts}}}]}\n\n`),
    )
    expect(stream.state.error?.code).toBe('upstream_error')
  })
})
