// Where the vectors of a reply are, compared with what JSON.parse finds.
import { describe, expect, test } from 'bun:test'
import { bufferCodec as codec, textOf } from '../../../../fixtures/buffer-codec.ts'
import { EMBEDDING_SERVICES } from '../../embedding-services.ts'
import { orderedVectors, scanVectors } from './scan-vectors.ts'

const NAMES = { lists: ['data', 'single'], vector: 'embedding' }
const scan = (text: string) => {
  const bytes = codec.encode(text)
  const scanned = scanVectors(bytes, NAMES, codec)
  return scanned && orderedVectors(bytes, scanned).map((each) => textOf(each))
}

test.each([
  ['{"data":[{"embedding":[1,-2.5e-7]},{"embedding":[3]}],"usage":{"a":"]"}}', ['[1,-2.5e-7]', '[3]']],
  [
    '\n{ "x" : [[1],{"embedding":[9]}] , "data" : [ { "index" : 1 , "embedding" : [ -1 ] } , {"embedding":"QUJD","index":0} ] }',
    ['"QUJD"', '[ -1 ]'],
  ],
  ['{"single":{"embedding":[ 1 ]}}', ['[ 1 ]']],
  ['{"data":[{"embedding":[]},{"embedding":[[1,2],[3]]},{"embedding":["]",1]}]}', ['[]', '[[1,2],[3]]', '["]",1]']],
  ['{"data":[{"other":1},7],"\\u0064ata":null}', []],
  ['{"data":{}}', []],
  ['{"data":[]}', []],
  ['{}', []],
])('%s', (text, expected) => {
  expect(() => JSON.parse(text)).not.toThrow()
  expect(scan(text)).toEqual(expected)
})

const WHOLE = '{"data":[{"embedding":[1,2],"index":0},{"embedding":"QQ=="}],"usage":{"x":[1]}}'
test('whatever is cut off, or has something behind it, is no reply', () => {
  for (let end = 0; end < WHOLE.length; end++) expect(scan(WHOLE.slice(0, end))).toBeUndefined()
  for (const broken of [`${WHOLE}x`, WHOLE.replace(',"index"', ' "index"'), WHOLE.replace('"usage":', '"usage"'), '[]'])
    expect(scan(broken)).toBeUndefined()
})

describe('what services answer', () => {
  const decode = (dialect: 'chat' | 'generate-content', reply: unknown) =>
    EMBEDDING_SERVICES[dialect].decodeReply(codec.encode(JSON.stringify(reply)), codec)
  test.each([
    ['chat', { data: [{ embedding: [1] }], usage: { total_tokens: 3 } }, 3],
    ['chat', { data: [{ embedding: [1] }], usage: { prompt_tokens: -1, total_tokens: 4 } }, 4],
    ['chat', { data: [{ embedding: [1] }], usage: null }, undefined],
    ['generate-content', { embedding: { values: [1] }, usageMetadata: { promptTokenCount: 2 } }, 2],
    ['generate-content', { embeddings: [{ values: [1] }] }, undefined],
  ] as const)('%s %j', (dialect, reply, tokens) => {
    expect(decode(dialect, reply)).toMatchObject({ ok: true, tokens })
  })

  test.each([
    ['{"total_tokens":7}', '{"total_tokens":7,"prompt_tokens":7}'],
    ['{"prompt_tokens":7,"image_pixels":0}', '{"prompt_tokens":7,"image_pixels":0,"total_tokens":7}'],
    ['{ "prompt_tokens": null, "total_tokens": 7 }', '{"prompt_tokens":7,"total_tokens":7}'],
    ['{"prompt_tokens":6, "total_tokens":7}', '{"prompt_tokens":6, "total_tokens":7}'],
    ['null', 'null'],
  ])('both figures are passed on, whichever of them is reported: %s', (usage, expected) => {
    const reply = (figures: string, model: string) =>
      `{"usage":${figures},"data":[{"embedding":[1]}],"model":"${model}"}`
    const decoded = EMBEDDING_SERVICES.chat.decodeReply(codec.encode(reply(usage, 'theirs')), codec)
    for (const renamed of [undefined, 'mine']) {
      const passed = decoded.ok
        ? decoded
            .passed(renamed)
            .map((piece) => textOf(piece))
            .join('')
        : ''
      expect(passed).toBe(reply(expected, renamed ?? 'theirs'))
    }
  })

  test.each([
    ['{"data":[{"embedding":[1]}]} ', '{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":3,"total_tokens":3}} '],
    [
      '{"usage":{},"data":[{"embedding":[1]}]}',
      '{"usage":{"prompt_tokens":3,"total_tokens":3},"data":[{"embedding":[1]}]}',
    ],
    [
      '{"data":[{"embedding":[1]}],"usage":null}',
      '{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":3,"total_tokens":3}}',
    ],
    [
      '{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":1,"total_tokens":1}}',
      '{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":1,"total_tokens":1}}',
    ],
  ])('both figures are what was counted, if none is reported: %s', (reply, expected) => {
    const decoded = EMBEDDING_SERVICES.chat.decodeReply(codec.encode(reply), codec)
    const pieces = decoded.ok ? decoded.passed(undefined, 3) : []
    expect(pieces.map((piece) => textOf(piece)).join('')).toBe(expected)
  })

  test.each([
    ['chat', { error: { message: 'no', type: 'invalid_request_error' } }],
    ['chat', { data: [] }],
    ['generate-content', { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }],
    ['generate-content', {}],
  ] as const)('%s without vectors: %j', (dialect, reply) => {
    expect(decode(dialect, reply)).toMatchObject({ ok: false, error: { message: expect.stringMatching(/no|without/) } })
  })
})
