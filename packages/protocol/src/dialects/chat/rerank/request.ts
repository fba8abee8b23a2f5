// The body of POST /v1/rerank and /v2/rerank, as Cohere and Jina have it, and as each kind of service takes it.

import {
  asObject,
  asString,
  isObject,
  type Json,
  readArray,
  readFlag,
  readInteger,
  readName,
  readString,
  readStrings,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { ownFields, type ServiceFields } from '../../shared/pass-through/service-fields.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'

/** How a service is asked. `jina`: also vLLM, Infinity and others with its fields; `tei`: Text Embeddings Inference. */
export type RerankShape = 'cohere' | 'jina' | 'voyage' | 'tei'

export type RerankRequest = ServiceFields & {
  model: string
  query: string
  /** As the caller wrote them. */
  documents: readonly (string | Json)[]
  /** What is ranked of each of them. */
  texts: readonly string[]
  topN: number | undefined
  returnsDocuments: boolean
  maxTokensPerDoc: number | undefined
  /** Fields that only some services have. */
  others: Json
  /** JSON values of the body. */
  values: number
}

const FIELDS = {
  model: 1,
  query: 1,
  documents: 1,
  top_n: 1,
  return_documents: 1,
  max_tokens_per_doc: 1,
  rank_fields: 1,
  // As Voyage calls it.
  top_k: 1,
}
/** Names that other services use: to pass them on would rank something else than was read here. */
const INSTEAD: Readonly<Record<string, string>> = {
  texts: 'documents',
  return_text: 'return_documents',
}
const NAMES = knownNames(namesOf(FIELDS, INSTEAD), {})

/** Throws RequestError. */
export function decodeRerankRequest(
  bytes: Uint8Array,
  codec: Codec,
  { mostDocuments, maxValues }: { mostDocuments: number; maxValues: number },
): RerankRequest {
  const { body, scan } = readBody(bytes, codec, NAMES, maxValues)
  const model = readName(body, 'model')
  if (!model) throw wrong('model', 'model is required')
  for (const [name, known] of Object.entries(INSTEAD))
    if (Object.hasOwn(body, name)) throw wrong(name, `${name} is not a field of this endpoint. Use ${known}`)
  const query = readString(body, 'query')
  if (!query) throw wrong('query', 'query is required')
  const documents = readArray(body, 'documents')
  if (!documents || documents.length === 0) throw wrong('documents', 'documents must have at least one document')
  if (documents.length > mostDocuments)
    throw wrong('documents', `documents must not have more than ${mostDocuments} documents`)
  const own = unknownFields(body, FIELDS)
  // A name that is repeated would multiply every document.
  const rankFields = [...new Set(readStrings(body, 'rank_fields'))]
  return {
    ...own,
    model,
    query,
    documents: documents as (string | Json)[],
    texts: documents.map((document, index) => textOf(document, `documents[${index}]`, rankFields)),
    topN: most(body, 'top_n') ?? most(body, 'top_k'),
    returnsDocuments: readFlag(body, 'return_documents') ?? false,
    maxTokensPerDoc: most(body, 'max_tokens_per_doc'),
    // Some clients send all the fields that they know.
    others: Object.fromEntries(
      Object.entries(body).filter(
        ([name, value]) =>
          value !== null && !Object.hasOwn(FIELDS, name) && ![...own.unpriced, ...ownFields(own)].includes(name),
      ),
    ),
    values: scan.values,
  }
}

const most = (body: Json, name: string): number | undefined => readInteger(body, name, 1, Number.MAX_SAFE_INTEGER)

/** Several fields are lines of their names and values. */
function textOf(document: unknown, at: string, fields: readonly string[] = []): string {
  if (typeof document === 'string') return document
  if (!isObject(document)) throw wrong(at, `${at} must be a string or an object with text`)
  const [only = 'text', ...more] = fields
  if (more.length === 0) return asString(asObject(document, at)[only], `${at}.${only}`)
  return fields.map((name) => `${name}: ${asString(document[name], `${at}.${name}`)}`).join('\n')
}

export type RerankTarget = {
  /** Its name at the upstream. */
  model: string
  shape: RerankShape
  /** Fields that the upstream does not have, by their wire names. */
  lacks: readonly string[]
  warn(field: string, reason: 'dropped' | 'no-price'): void
}

/** A field of the first version of Cohere's API, which others took over; it has another field now. */
const CHUNKS = 'max_chunks_per_doc'

/** Documents are always sent as texts, and never asked back: the caller's own are returned. */
export const encodeRerankRequest = (
  request: Omit<RerankRequest, 'values' | 'urls'>,
  target: RerankTarget,
  codec: Codec,
): Uint8Array => codec.encode(JSON.stringify(rerankFields(request, target)))

/** The same before it is encoded, which takes far longer. */
export function rerankFields(
  { query, texts, topN, maxTokensPerDoc, others, unpriced }: Omit<RerankRequest, 'values' | 'urls'>,
  { model, shape, lacks, warn }: RerankTarget,
): Record<string, unknown> {
  const has = (name: string) => !lacks.includes(name) && (name !== CHUNKS || shape === 'jina')
  for (const name of unpriced) warn(name, 'no-price')
  const own = Object.entries(others).filter(([name]) => has(name) || warn(name, 'dropped'))
  const cap = shape === 'cohere' && has('max_tokens_per_doc') ? maxTokensPerDoc : undefined
  if (maxTokensPerDoc !== undefined && cap === undefined) warn('max_tokens_per_doc', 'dropped')
  const fields: Record<string, unknown> = {
    // What is longer than the model takes is cut everywhere but here, unless it is asked for.
    ...(shape === 'tei' ? { query, texts, truncate: true } : { model, query, documents: texts }),
    // More are cut off from the response.
    ...(shape === 'tei' || !has('top_n') ? {} : { [shape === 'voyage' ? 'top_k' : 'top_n']: topN }),
    ...(shape === 'jina' && has('return_documents') ? { return_documents: false } : {}),
    max_tokens_per_doc: cap,
    ...Object.fromEntries(own),
  }
  return withoutUndefined(fields)
}
