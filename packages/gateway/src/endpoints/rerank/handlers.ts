// Rankings: documents in the order in which they answer a query.

import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { decodeRerankReply, encodeRerankReply, type RerankReply } from '@trivium/protocol/dialects/chat/rerank/reply.ts'
import {
  decodeRerankRequest,
  type RerankRequest,
  rerankFields,
} from '@trivium/protocol/dialects/chat/rerank/request.ts'
import { authorize } from '../../access/authorize.ts'
import { codec } from '../../bytes/codec.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import type { Handlers } from '../../handler.ts'
import type { ModelOf, RateOf } from '../../modalities/index.ts'
import { bookableTokens } from '../../money/limits.ts'
import { Failure } from '../../request/failure.ts'
import { formatRequestId } from '../../request/ids.ts'
import { serviceJourney } from '../../services/journey.ts'
import type { JsonService } from '../../services/json-service.ts'
import { rerank } from './index.ts'

const { documents: MOST_DOCUMENTS } = rerank.models.limits

/** The version of the API that was called. */
export type RerankEndpoint = '1' | '2'

type Ranking = { reply: RerankReply; searches: number; tokens: number }

/** Cohere bills a search for each hundred documents, and counts each 500 tokens of a document, with the query, as one. */
const DOCUMENTS_PER_SEARCH = 100
const TOKENS_PER_DOCUMENT = 500
/** What models put around each pair of query and document. */
const TOKENS_PER_PAIR = 256
/** Without a report: what a token of most texts takes. */
const BYTES_PER_TOKEN = 4
/** The size of a result beside its document. */
const RESULT_BYTES = 512
const FRAME_BYTES = 64 * 1024

const RERANK: JsonService<{
  endpoint: RerankEndpoint
  request: RerankRequest
  price: RateOf<'rerank'>
  model: ModelOf<'rerank'>
  dialect: 'chat'
  read: Ranking
}> = {
  dialectOf: () => 'chat',
  nameOf: (version) => `rerank-${version}`,
  decode: (body, _, maxValues, own) => decodeRerankRequest(body, own, { mostDocuments: MOST_DOCUMENTS, maxValues }),
  authorize(caller, { model, documents }, catalogue) {
    const offer = authorize(caller, model, 'rerank', catalogue)
    const most = offer.model.limits.documents ?? MOST_DOCUMENTS
    if (documents.length <= most) return offer
    throw new Failure('bad_request', `documents must not have more than ${most} documents.`, { param: 'documents' })
  },
  requestFor(request, { upstream, route }) {
    const { path = '', shape = 'jina', lacks = [] } = serviceOf(upstream, 'rerank') ?? {}
    const warnings: string[] = []
    const warn = (field: string, reason: string) => addWarning(warnings, field, reason)
    const fields = rerankFields(request, { model: route.model, shape, lacks, warn })
    return { dialect: 'chat', path, body: () => [codec.encode(JSON.stringify(fields))], warnings }
  },
  boundOf(request, { rate }) {
    const most = mostOf(request)
    const amount = rate.bound(most)
    // The query is read with each document: together they can have more tokens than a price counts.
    if (amount === undefined)
      throw new Failure('bad_request', 'query is too long for so many documents.', { param: 'query' })
    const tokens = bookableTokens(expectedTokens(request))
    return { amount, minimum: amount, tokens, minimumTokens: tokens }
  },
  // Some send the documents back, whatever they are asked for, with each character as six.
  replyBytes: ({ texts }) => FRAME_BYTES + texts.length * RESULT_BYTES + 6 * bytesOf(texts),
  readReply(bytes, request) {
    const reply = decodeRerankReply(bytes, request.texts.length, codec)
    if (!reply || 'error' in reply) return reply
    const most = mostOf(request)
    // More than the request can have is not charged.
    const tokens = Math.min(reply.tokens ?? expectedTokens(request), most.input)
    const searches = Math.min(reply.searches ?? fewestSearches(request), most.searches)
    return { read: { reply, searches, tokens }, model: reply.model, tokens }
  },
  encodeReply({ reply, searches }, _, request, call, version) {
    const id = reply.id ?? formatRequestId(call.id)
    return [encodeRerankReply(reply, request, { id, version, searches }, codec)]
  },
  costOf: (rate, { searches, tokens }, { documents }) =>
    rate.cost({ searches, input: tokens, documents: documents.length }),
  isCounted: ({ price }, { reply }) => price.figure === 'input' && reply.tokens === undefined,
}

const rerankJourney = serviceJourney(RERANK)

export const handlers = {
  rerank: (incoming, deps) => rerankJourney(incoming, '1', deps),
  'rerank-v2': (incoming, deps) => rerankJourney(incoming, '2', deps),
  'rerank-unversioned': (incoming, deps) => rerankJourney(incoming, '1', deps),
} satisfies Handlers

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Query and document are read together, for each document. */
const pairBytes = ({ query, texts }: RerankRequest): number => texts.length * Buffer.byteLength(query) + bytesOf(texts)

const expectedTokens = (request: RerankRequest): number => Math.ceil(pairBytes(request) / BYTES_PER_TOKEN)

const fewestSearches = ({ texts }: RerankRequest): number => Math.ceil(texts.length / DOCUMENTS_PER_SEARCH)

/** No token is shorter than a byte. */
function mostOf(request: RerankRequest): { input: number; searches: number; documents: number } {
  const { query, texts } = request
  const queryBytes = Buffer.byteLength(query)
  const parts = texts.reduce((sum, text) => {
    const bytes = queryBytes + Buffer.byteLength(text)
    return sum + Math.max(1, Math.ceil(bytes / TOKENS_PER_DOCUMENT))
  }, 0)
  return {
    input: pairBytes(request) + texts.length * TOKENS_PER_PAIR,
    searches: Math.ceil(parts / DOCUMENTS_PER_SEARCH),
    documents: texts.length,
  }
}
