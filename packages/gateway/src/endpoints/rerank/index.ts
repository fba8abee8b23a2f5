// Rankings of documents.
import type { Endpoint, EndpointRoute } from '../endpoint.ts'
import { BOOLEAN, INTEGER, list, MAP, MODEL, open, STRING } from '../schema.ts'

const RERANK: EndpointRoute = {
  body: {
    schema: open(
      { model: MODEL, query: STRING, documents: { ...list({ anyOf: [STRING, MAP] }), minItems: 1 } },
      { top_n: INTEGER, return_documents: BOOLEAN, max_tokens_per_doc: INTEGER, rank_fields: list(STRING) },
    ),
    example: { model: 'sandbox-rerank', query: 'tall towers', documents: ['a low house', 'two tall towers'] },
  },
  responses: {
    200: {
      schema: open(
        { id: STRING, model: STRING, results: list(open({ index: INTEGER, relevance_score: { type: 'number' } })) },
        { meta: MAP, usage: MAP },
      ),
    },
  },
}

export const rerank = {
  title: 'Rerank',
  tag: 'Rerank',
  offered: ['rerank'],
  services: { rerank: '/rerank' },
  figures: { usual: ['per_search'], all: ['per_search', 'input', 'per_thousand_documents'] },
  models: {
    generates: 'rankings',
    where: 'Use POST /v1/rerank or POST /v2/rerank.',
    examples: { price: 'price: { per_search: 0.002 }', limits: 'limits: { documents: 1000 }' },
    limits: { documents: 10_000 },
    sandbox: { id: 'sandbox-rerank', nanos: 2_000_000, limits: { documents: 1_000 } },
  },
  words: {
    en: {
      name: 'Rerank',
      units: {
        per_search: 'per search',
        input: 'per million input tokens',
        per_thousand_documents: 'per thousand documents',
      },
      figures: { per_search: 'Per search', per_thousand_documents: 'Per thousand documents' },
      limits: { documents: 'Documents' },
      receipt: { searches: 'Searches', documents: 'Documents' },
    },
    zh: {
      name: '重排序',
      units: { per_search: '/ 次搜索', input: '/ 百万输入 Token', per_thousand_documents: '/ 千份文档' },
      figures: { per_search: '每次搜索', per_thousand_documents: '每千份文档' },
      limits: { documents: '文档数' },
      receipt: { searches: '搜索次数', documents: '文档数' },
    },
  },
  routes: {
    rerank: RERANK,
    'rerank-v2': RERANK,
    'rerank-unversioned': RERANK,
  },
} as const satisfies Endpoint
