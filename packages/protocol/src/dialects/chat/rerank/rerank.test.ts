// What services of rankings are asked, and what they answer and report, each in its own shape.
import { expect, test } from 'bun:test'
import { bufferCodec as codec, textOf } from '../../../../fixtures/buffer-codec.ts'
import { decodeRerankReply } from './reply.ts'
import { decodeRerankRequest, encodeRerankRequest, type RerankShape } from './request.ts'

const ASKED = {
  model: 'm',
  query: 'q',
  documents: ['a', { text: 'b' }],
  top_n: 1,
  return_documents: true,
  max_tokens_per_doc: 9,
  instruct: 'i',
  // Cohere's clients send fields of both versions.
  max_chunks_per_doc: 3,
  truncation: null,
  rank_fields: null,
}
const LIMITS = { mostDocuments: 9, maxValues: 99 }
const CHUNKS = { max_chunks_per_doc: 3 }
const BOTH = { model: 'theirs', query: 'q', documents: ['a', 'b'], instruct: 'i' }

test.each<[RerankShape, string[], object, string[]]>([
  ['jina', [], { ...BOTH, ...CHUNKS, top_n: 1, return_documents: false }, ['max_tokens_per_doc']],
  [
    'jina',
    ['return_documents', 'instruct'],
    { ...BOTH, ...CHUNKS, top_n: 1, instruct: undefined },
    ['instruct', 'max_tokens_per_doc'],
  ],
  ['cohere', [], { ...BOTH, top_n: 1, max_tokens_per_doc: 9 }, ['max_chunks_per_doc']],
  ['cohere', ['max_tokens_per_doc', 'top_n'], BOTH, ['max_chunks_per_doc', 'max_tokens_per_doc']],
  ['voyage', [], { ...BOTH, top_k: 1 }, ['max_chunks_per_doc', 'max_tokens_per_doc']],
  [
    'tei',
    [],
    { query: 'q', texts: ['a', 'b'], truncate: true, instruct: 'i' },
    ['max_chunks_per_doc', 'max_tokens_per_doc'],
  ],
])('%s, without %p', (shape, lacks, expected, dropped) => {
  const request = decodeRerankRequest(codec.encode(JSON.stringify(ASKED)), codec, LIMITS)
  const warned: string[] = []
  const target = { model: 'theirs', shape, lacks, warn: (field: string) => void warned.push(field) }
  expect(JSON.parse(textOf(encodeRerankRequest(request, target, codec)))).toEqual(JSON.parse(JSON.stringify(expected)))
  expect(warned).toEqual(dropped)
})

test("Voyage's clients call the number of results top_k; nobody needs both", () => {
  const decode = (more: object) =>
    decodeRerankRequest(codec.encode(JSON.stringify({ ...ASKED, top_n: null, ...more })), codec, LIMITS).topN
  expect([decode({ top_k: 2 }), decode({ top_k: 2, top_n: 1 }), decode({ top_k: null })]).toEqual([2, 1, undefined])
})

const RESULTS = { results: [{ index: 1, relevance_score: 0.5 }] }
test.each<[string, object, { searches?: number; tokens?: number }]>([
  ['Jina', { ...RESULTS, usage: { total_tokens: 7 } }, { tokens: 7 }],
  ['Cohere', { ...RESULTS, meta: { billed_units: { search_units: 2 } } }, { searches: 2 }],
  ['Cohere, by the token', { ...RESULTS, meta: { billed_units: { input_tokens: 8 } } }, { tokens: 8 }],
  ['Voyage', { data: RESULTS.results, usage: { total_tokens: 7 } }, { tokens: 7 }],
  ['SiliconFlow', { ...RESULTS, tokens: { input_tokens: 7, output_tokens: 0 } }, { tokens: 7 }],
  ['SiliconFlow, in meta', { ...RESULTS, meta: { tokens: { input_tokens: 7 } } }, { tokens: 7 }],
  ['TEI', [{ index: 1, score: 0.5 }], {}],
])('the reply of %s', (_, reply, { searches, tokens }) => {
  const decoded = decodeRerankReply(codec.encode(JSON.stringify(reply)), 2, codec)
  expect(decoded).toMatchObject({ ranked: [{ index: 1, score: 0.5 }] })
  expect(decoded).toEqual({ ...decoded, searches, tokens } as typeof decoded)
})
