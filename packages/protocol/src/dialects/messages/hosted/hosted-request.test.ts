import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { readHostedRequest } from './hosted-request.ts'

const joined = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces as Uint8Array[]).toString()

function hosted(request: unknown, edits: Parameters<ReturnType<typeof readHostedRequest>['body']>[0] = {}) {
  const bytes = bytesOf(typeof request === 'string' ? request : JSON.stringify(request))
  return JSON.parse(joined(readHostedRequest(bytes, bufferCodec).body(edits)))
}

test('says model and stream, and edits the body without touching what stays', () => {
  const text =
    '{ "model":"a\\u002fb", "stream": true , "max_tokens": 1.0e3,\n"messages":[{"role":"user","content":"Hi"}] }'
  const request = readHostedRequest(bytesOf(text), bufferCodec)
  expect([request.model, request.stream]).toEqual(['a/b', true])
  const version = { name: 'anthropic_version', json: '"v"' }
  expect(joined(request.body({ set: [version], remove: ['model', 'stream'] }))).toBe(
    '{ "max_tokens": 1.0e3,\n"messages":[{"role":"user","content":"Hi"}],"anthropic_version":"v" }',
  )
  expect(joined(request.body({}))).toBe(text)
  const add = [
    { name: 'max_tokens', json: '1' },
    { name: 'other', json: '2' },
  ]
  expect(JSON.parse(joined(request.body({ add })))).toMatchObject({ max_tokens: 1000, other: 2 })
})

const MARK = { type: 'ephemeral', ttl: '1h' }
const text = (value: string, more = {}) => ({ type: 'text', text: value, ...more })
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' }

/** The request with the mark of its own, as it is sent. */
const marked = (request: object) => hosted({ model: 'm', cache_control: MARK, ...request })

describe('the cache mark of the request itself is put on the last block that can have one', () => {
  test.each<[string, object, object]>([
    [
      'a text becomes a block',
      { messages: [{ role: 'user', content: 'Say "ü"\n' }] },
      { messages: [{ role: 'user', content: [text('Say "ü"\n', { cache_control: MARK })] }] },
    ],
    [
      'only the last turn is changed',
      {
        messages: [
          { role: 'user', content: [text('a')] },
          { role: 'user', content: [text('b'), text('c')] },
        ],
      },
      {
        messages: [
          { role: 'user', content: [text('a')] },
          { role: 'user', content: [text('b'), text('c', { cache_control: MARK })] },
        ],
      },
    ],
    [
      'reasoning and empty texts have none',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [text('a'), text(''), thinking] },
        ],
      },
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [text('a', { cache_control: MARK }), text(''), thinking] },
        ],
      },
    ],
    [
      'a turn without such a block leaves it to the one before',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [thinking] },
        ],
      },
      {
        messages: [
          { role: 'user', content: [text('Hi', { cache_control: MARK })] },
          { role: 'assistant', content: [thinking] },
        ],
      },
    ],
    [
      'without any, the instructions have it, and else the tools',
      { messages: [], system: '', tools: [{ name: 'a' }, { name: 'b' }] },
      { messages: [], system: '', tools: [{ name: 'a' }, { name: 'b', cache_control: MARK }] },
    ],
    [
      'instructions are a text, too',
      { messages: [{ role: 'user', content: '' }], system: 'Be brief.' },
      { messages: [{ role: 'user', content: '' }], system: [text('Be brief.', { cache_control: MARK })] },
    ],
    [
      'a block that has one keeps it',
      { messages: [{ role: 'user', content: [text('a', { cache_control: { type: 'ephemeral' } })] }] },
      { messages: [{ role: 'user', content: [text('a', { cache_control: { type: 'ephemeral' } })] }] },
    ],
    [
      'a mark that is null is none',
      { messages: [{ role: 'user', content: [text('a', { cache_control: null })] }] },
      { messages: [{ role: 'user', content: [text('a', { cache_control: MARK })] }] },
    ],
  ])('%s', (_, request, sent) => {
    expect(marked(request)).toEqual({ model: 'm', ...sent })
  })

  test('a request without one is not changed, and null marks nothing', () => {
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
    expect(hosted(request)).toEqual(request)
    expect(hosted({ ...request, cache_control: null })).toEqual(request)
  })

  test('other edits of the same request hold, too', () => {
    const request = { model: 'm', cache_control: MARK, messages: [{ role: 'user', content: 'Hi' }], stream: true }
    expect(hosted(request, { remove: ['model', 'stream'], set: [{ name: 'v', json: '1' }] })).toEqual({
      messages: [{ role: 'user', content: [text('Hi', { cache_control: MARK })] }],
      v: 1,
    })
  })
})
