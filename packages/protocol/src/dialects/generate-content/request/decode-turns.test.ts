import { describe, expect, test } from 'bun:test'
import { partsOf, read } from '../../../../fixtures/generate-content/requests.ts'
import { encodeAscii } from '../reply/signature.ts'

describe('parts', () => {
  const PARTS: [name: string, wire: object, part: object][] = [
    [
      'URL-safe base64 without padding',
      { inlineData: { mimeType: 'image/PNG', data: '-_-_-w' } },
      { media: 'image', source: { kind: 'inline', mime: 'image/png', data: '+/+/+w==' } },
    ],
    [
      'a type that the content gives away',
      { inlineData: { data: 'JVBERi0x' } },
      { media: 'document', source: { mime: 'application/pdf' } },
    ],
    ['audio', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }, { media: 'audio' }],
    [
      'a URL',
      { fileData: { fileUri: 'https://a.example/b.png' } },
      { media: 'image', source: { kind: 'url', url: 'https://a.example/b.png', mime: 'image/png' } },
    ],
    [
      'an upload',
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x1', mimeType: 'image/png' } },
      { source: { kind: 'object' } },
    ],
    [
      'a bucket',
      { fileData: { fileUri: 'gs://b/c.pdf', mimeType: 'application/pdf' } },
      { media: 'document', source: { kind: 'object', id: 'gs://b/c.pdf' } },
    ],
    [
      'a video page',
      { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } },
      { media: 'video', source: { kind: 'url' } },
    ],
    [
      'its resolution',
      { inlineData: { mimeType: 'image/png', data: 'AAAA' }, mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' } },
      { detail: 'high' },
    ],
    [
      'code that the vendor ran',
      { executableCode: { code: '1' } },
      { type: 'foreign', what: 'executableCode', at: 'contents[0].parts[0].executableCode' },
    ],
    ['an unknown kind', { holograph: 1 }, { type: 'foreign', what: 'holograph' }],
    ['a thought', { text: 'hm', thought: true }, { type: 'reasoning', text: 'hm', style: 'summary' }],
    ['a foreign signature', { text: 'x', thoughtSignature: 'gICA_w' }, { signature: 'gICA/w==' }],
    [
      'our signature',
      { text: '', thoughtSignature: encodeAscii('gw1.s') },
      { type: 'text', text: '', signature: 'gw1.s' },
    ],
    [
      'our redacted thought',
      { text: '', thoughtSignature: encodeAscii('redacted:gw1.s') },
      { type: 'redacted', data: 'gw1.s' },
    ],
  ]
  test.each(PARTS)('%s', (_, wire, part) => expect(partsOf(wire)).toMatchObject([part]))

  test('the resolution of the request applies to parts without their own', () => {
    const media = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    const body = { contents: [{ parts: [media] }], generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' } }
    expect(read(body).turns[0]?.parts).toMatchObject([{ detail: 'low' }])
  })

  const RESULTS: [response: object | undefined, text: string[], isError: boolean][] = [
    [{ output: '5 m' }, ['5 m'], false],
    [{ output: { high: 5 } }, ['{"high":5}'], false],
    [{ error: 'offline' }, ['offline'], true],
    [{ output: 'x', error: '' }, ['{"output":"x","error":""}'], false],
    [{ result: 1 }, ['{"result":1}'], false],
    [{}, [], false],
    [undefined, [], false],
  ]
  test.each(RESULTS)('result %j', (response, texts, isError) => {
    const [part] = partsOf({ functionResponse: { name: 'f', response } })
    expect(part).toMatchObject({ type: 'result', callId: 'f', parts: texts.map((text) => ({ type: 'text', text })) })
    expect(part?.type === 'result' && part.isError === true).toBe(isError)
  })

  test('media in a result', () => {
    const functionResponse = {
      name: 'f',
      response: { output: 'x' },
      parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }],
    }
    expect(partsOf({ functionResponse })).toMatchObject([
      { parts: [{ type: 'text' }, { type: 'media', media: 'image' }] },
    ])
  })
})

describe('calls and results are matched', () => {
  const call = (name: string, id?: string) => ({
    functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) },
  })
  const result = (name: string, output: string, id?: string) => ({
    functionResponse: { name, response: { output }, ...(id === undefined ? {} : { id }) },
  })
  const idsOf = (...contents: object[][]): string[] =>
    read({
      contents: [
        { parts: [{ text: 'hi' }] },
        ...contents.map((parts, n) => ({ role: n % 2 ? 'user' : 'model', parts })),
      ],
    })
      .turns.flatMap((turn) => turn.parts)
      .flatMap((part) => (part.type === 'call' ? [`>${part.id}`] : part.type === 'result' ? [`<${part.callId}`] : []))

  test('by order where the name is the same', () => {
    expect(idsOf([call('f'), call('f'), call('g')], [result('g', '3'), result('f', '1'), result('f', '2')])).toEqual([
      '>call_0',
      '>call_1',
      '>call_2',
      '<call_2',
      '<call_0',
      '<call_1',
    ])
  })
  test('by id where there is one, in any order', () => {
    expect(idsOf([call('f', 'a'), call('f', 'b')], [result('f', '2', 'b'), result('f', '1', 'a')])).toEqual([
      '>a',
      '>b',
      '<b',
      '<a',
    ])
  })
  test('a reused id is made unique, turn by turn', () => {
    expect(idsOf([call('f', 'a')], [result('f', '1', 'a')], [call('f', 'a')], [result('f', '2', 'a')])).toEqual([
      '>a',
      '<a',
      '>a_2',
      '<a_2',
    ])
  })
  test('a made-up id is never one that the caller gives', () => {
    expect(idsOf([call('f'), call('f', 'call_0')], [result('f', '1'), result('f', '2', 'call_0')])).toEqual([
      '>call_0_2',
      '>call_0',
      '<call_0_2',
      '<call_0',
    ])
  })
  test('an old call without an answer does not take that of a new one', () => {
    expect(idsOf([call('f'), call('g')], [result('g', '1')], [call('f')], [result('f', '2')])).toEqual([
      '>call_0',
      '>call_1',
      '<call_1',
      '>call_2',
      '<call_2',
    ])
  })
  test('a hundred thousand of them are no burden', () => {
    const many = Array.from({ length: 100_000 }, () => call('f', 'same'))
    const ids = idsOf(
      many,
      many.map(() => result('f', '1', 'same')),
    )
    expect(new Set(ids).size).toBe(200_000)
  })
  test('identical results are one result; a repeated call has two', () => {
    const same = [result('f', '1', 'a'), result('f', '1', 'a')]
    expect(idsOf([call('f', 'a')], same)).toEqual(['>a', '<a'])
    expect(idsOf([call('f', 'a')], [result('f', '1', 'a'), result('f', '2', 'a')])).toEqual(['>a', '<a', '<a'])
    expect(idsOf([call('f', 'a'), call('f', 'a')], same)).toEqual(['>a', '>a_2', '<a', '<a_2'])
  })

  test('a result without a call keeps what it names', () => {
    expect(idsOf([{ text: 'x' }], [result('f', '1', 'zz')])).toEqual(['<zz'])
  })
})

test('an answer that came back chunk by chunk is one turn again', () => {
  const model = (...parts: object[]) => ({ role: 'model', parts })
  const signature = encodeAscii('gw1.s')
  const { turns } = read({
    contents: [
      { role: 'user', parts: [{ text: 'one' }] },
      { role: 'user', parts: [{ text: 'two' }] },
      model({ text: 'Comp', thought: true }),
      model({ text: 'are.', thought: true }),
      model({ text: '', thought: true, thoughtSignature: signature }),
      model({ text: 'It is ' }),
      model({ text: '' }),
      model({ text: '5 m.' }),
      model({ text: '', thoughtSignature: signature }),
      model({ text: ' Bye.' }),
      model({ text: '' }),
    ],
  })
  expect(turns).toEqual([
    { role: 'user', parts: [{ type: 'text', text: 'one' }] },
    { role: 'user', parts: [{ type: 'text', text: 'two' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Compare.', style: 'summary', signature: 'gw1.s' },
        { type: 'text', text: 'It is 5 m.', signature: 'gw1.s' },
        { type: 'text', text: ' Bye.' },
      ],
    },
  ])
})
