import { describe, expect, test } from 'bun:test'
import {
  assistant,
  call,
  mistakeOf,
  plain,
  result,
  text,
  tide,
  user,
  written,
} from '../../../../fixtures/messages/requests.ts'
import { originOf } from '../../../../fixtures/origins.ts'
import type { CanonicalRequest, MediaPart, Part, Source, Turn } from '../../../canonical/request.ts'
import type { TextDialectId } from '../../index.ts'

describe('history', () => {
  const turnsOf = (...turns: Turn[]): { messages: unknown; warnings: string[] } => {
    const { body, warnings } = written({ turns })
    return { messages: body.messages, warnings }
  }

  test('reasoning of other vendors is dropped, with turns that have nothing else', () => {
    const theirs: Part = { type: 'reasoning', text: 'hm', style: 'full' }
    const { messages, warnings } = turnsOf(
      user(text('a')),
      assistant(theirs, { type: 'redacted', data: 'x' }),
      user(text('b')),
    )
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
    expect(warnings).toEqual([])
  })

  test('empty text that another vendor signed is dropped', () => {
    const signed: Part = { type: 'text', text: '', signature: 'theirs' }
    const { messages } = turnsOf(user(text('a')), assistant(text('b'), signed), user(text('c')))
    expect(messages).toMatchObject([{}, { content: 'b' }, {}])
  })

  test('redacted reasoning of this upstream is sent back', () => {
    const { messages } = turnsOf(user(text('a')), assistant({ type: 'redacted', data: 'ours.d' }, text('b')))
    expect(messages).toMatchObject([
      {},
      {
        content: [
          { type: 'redacted_thinking', data: 'd' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  test.each<[args: string, input: unknown, warnings: string[]]>([
    ['', {}, []],
    ['{"a":[1]}', { a: [1] }, []],
    ['{"a":', { _raw: '{"a":' }, ['arguments;changed']],
    ['[1]', { value: [1] }, ['arguments;changed']],
  ])('arguments %p', (args, input, warnings) => {
    const sent = turnsOf(user(text('q')), assistant(call('a', args)), user(result('a', plain('x'))))
    expect(sent.messages).toMatchObject([{}, { content: [{ type: 'tool_use', input }] }, {}])
    expect(sent.warnings).toEqual(warnings)
  })

  test('ids that the vendor does not take are replaced on both sides, always by the same', () => {
    const once = (): string =>
      JSON.stringify(turnsOf(user(text('q')), assistant(call('a b/1')), user(result('a b/1', plain('x')))))
    const ids = [...once().matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map((match) => match[1])
    expect(ids[0]).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(ids).toEqual([ids[0], ids[0]] as never)
    expect(once()).toBe(once())
  })

  test('results with images, and empty results', () => {
    const picture: MediaPart = { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a.example' } }
    const { messages } = turnsOf(
      user(text('q')),
      assistant(call('a'), call('b')),
      user(result('a', plain('see'), picture), result('b', plain(''))),
    )
    expect(messages).toMatchObject([
      {},
      {},
      {
        content: [
          {
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'see' },
              { type: 'image', source: { type: 'url' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'b' },
        ],
      },
    ])
    expect(JSON.stringify(messages)).not.toContain('""')
  })

  test('instructions in the middle: in place where the model takes them', () => {
    const turns: Turn[] = [user(text('a')), { role: 'system', parts: [text('rule')] }, user(text('b'))]
    expect(written({ turns }, { model: 'claude-opus-4-8' }).body.messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'rule' }] },
      { role: 'user', content: 'b' },
    ])
    expect(JSON.stringify(written({ turns }).body.messages)).toContain('<system-instruction>rule')
  })

  test('five marks: the first is dropped', () => {
    const marked = (words: string): Part => ({ type: 'text', text: words, cache: {} })
    const { body } = written({
      instructions: [{ text: 's', cache: {} }],
      tools: [{ ...tide, cache: { ttl: '1h' } }],
      turns: [user(marked('a'), marked('b'), marked('c'))],
    })
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
    expect(body.tools).toEqual([{ name: 'tide', input_schema: tide.schema }])
  })
})

describe('media', () => {
  const media = (kind: MediaPart['media'], source: Source, more: Partial<MediaPart> = {}): MediaPart => ({
    type: 'media',
    media: kind,
    source,
    at: 'messages[0].content[0]',
    ...more,
  })
  const inline = (mime: string, data: string): Source => ({ kind: 'inline', mime, data })
  test.each<[what: string, part: MediaPart, block: object]>([
    [
      'a JPEG by its other name',
      media('image', inline('image/jpg', '/9j/AA==')),
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/AA==' } },
    ],
    [
      'a PNG that calls itself a file',
      media('image', inline('application/octet-stream', 'iVBORw0KGgo=')),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ],
    [
      'a PDF',
      media('document', inline('application/pdf', 'JVBERi0='), {
        name: 'Log',
        context: 'c',
        cite: true,
        cache: { ttl: '5m' },
      }),
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        title: 'Log',
        context: 'c',
        citations: { enabled: true },
        cache_control: { type: 'ephemeral', ttl: '5m' },
      },
    ],
    [
      'a PDF by URL',
      media('document', { kind: 'url', url: 'https://a.example/l.pdf' }),
      { type: 'document', source: { type: 'url', url: 'https://a.example/l.pdf' } },
    ],
    [
      'text',
      media('document', { kind: 'text', mime: 'text/csv', text: 'a,b' }),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
    ],
    [
      'text in base64',
      media('document', inline('text/plain; charset=utf-8', Buffer.from('Flut um 北⛵️').toString('base64'))),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Flut um 北⛵️' } },
    ],
  ])('%s', (_, part, block) => {
    expect(written({ turns: [user(part)] }).body.messages).toEqual([{ role: 'user', content: [block] }])
  })

  test.each<[what: string, part: MediaPart, from?: TextDialectId]>([
    ['a TIFF', media('image', inline('image/tiff', 'SUkq'))],
    ['audio', media('audio', inline('audio/wav', 'UklG'))],
    ['video', media('video', { kind: 'url', url: 'https://a.example/v.mp4' })],
    ['a spreadsheet', media('document', inline('application/vnd.ms-excel', '0M8R'))],
    ['text that is none', media('document', inline('text/plain', '/////w=='))],
    ['a file kept elsewhere', media('document', { kind: 'object', id: 'file-1' }), 'responses'],
  ])('%s is rejected where it stands', (_, part, from = 'chat') => {
    expect(mistakeOf({ from: originOf(from), turns: [user(part)] })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'messages[0].content[0]',
    })
  })

  test('a long text, with characters of every size', () => {
    const long = 'é'.repeat(7_001).concat('a北🌊'.repeat(9_000))
    const part = media('document', inline('text/plain', Buffer.from(long).toString('base64')))
    const [message] = written({ turns: [user(part)] }).body.messages as { content: { source: { data: string } }[] }[]
    expect(message?.content[0]?.source.data === long).toBe(true)
  })

  test('pictures of an assistant are rejected', () => {
    const turns = [user(text('q')), assistant(media('image', inline('image/png', 'iVBO')))]
    expect(mistakeOf({ turns })).toMatchObject({ code: 'unsupported_parameter', param: 'messages[0].content[0]' })
  })

  test('how closely to look cannot be said', () => {
    const source: Source = { kind: 'url', url: 'https://a.example' }
    expect(written({ turns: [user(media('image', source, { detail: 'high' }))] }).warnings).toEqual(['detail;dropped'])
    expect(written({ turns: [user(media('image', source, { detail: 'auto' }))] }).warnings).toEqual([])
  })
})

test.each<[what: string, more: Partial<CanonicalRequest>, info: object]>([
  ['several answers', { sampling: { choices: 2 } }, { code: 'unsupported_parameter', param: 'n' }],
  [
    'several answers',
    { from: originOf('generate-content'), sampling: { choices: 2 } },
    { param: 'generationConfig.candidateCount' },
  ],
  ['pictures as answers', { modalities: ['image'] }, { code: 'unsupported_parameter' }],
])('%s are rejected', (_, more, info) => {
  expect(mistakeOf(more)).toMatchObject(info)
})
