// How an upstream's rankings are checked.

import { decodeRerankReply, type RerankReply } from '@trivium/protocol/dialects/chat/rerank/reply.ts'
import { encodeRerankRequest } from '@trivium/protocol/dialects/chat/rerank/request.ts'
import { codec } from '../../bytes/codec.ts'
import type { EndpointChecks } from '../../upstreams/diagnostics/endpoint-checks.ts'
import { type Problem, type ServiceCheck, TEXTS } from '../../upstreams/diagnostics/service-check.ts'

const RANKED = {
  model: '',
  query: 'What sails on the water?',
  documents: TEXTS,
  texts: TEXTS,
  topN: undefined,
  returnsDocuments: false,
  maxTokensPerDoc: undefined,
  others: {},
  unpriced: [],
}

const rank = (row: string, judge: (reply: RerankReply) => Problem): ServiceCheck => ({
  row,
  body: (model, { shape = 'jina', lacks = [] }) =>
    encodeRerankRequest(RANKED, { model, shape, lacks, warn() {} }, codec),
  counted: { searches: 1, documents: TEXTS.length },
  most: { input: 100 },
  judge(_, text) {
    const reply = decodeRerankReply(codec.encode(text), TEXTS.length, codec)
    return reply && 'ranked' in reply ? judge(reply) : 'the response is no ranking of the documents'
  },
})

export const checks = {
  services: {
    rerank: [
      rank('ranking', (reply) =>
        reply.ranked.length === TEXTS.length ? undefined : 'the response is no ranking of the documents',
      ),
      rank('usage', ({ searches, tokens }) =>
        searches === undefined && tokens === undefined
          ? { absent: 'neither searches nor tokens are reported; the gateway counts them' }
          : undefined,
      ),
    ],
  },
} satisfies EndpointChecks
