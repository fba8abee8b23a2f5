// A ranking, as services answer it and as callers get it.

import type { ErrorInfo } from '../../../canonical/error.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { decodeError } from '../error.ts'
import type { RerankRequest } from './request.ts'

export type RankedDocument = { index: number; score: number }

/** undefined: not reported. */
export type RerankReply = {
  id: string | undefined
  /** As the service names it. */
  model: string | undefined
  /** The best first. */
  ranked: readonly RankedDocument[]
  searches: number | undefined
  tokens: number | undefined
}

/** `results` of Cohere, Jina, vLLM and Infinity, `data` of Voyage, or a list alone. undefined: it is no ranking of these documents. */
export function decodeRerankReply(
  bytes: Uint8Array,
  count: number,
  codec: Codec,
): RerankReply | { error: ErrorInfo } | undefined {
  const body = parsedJson(codec.decode(bytes, 0, bytes.length))
  const reply: Json = isObject(body) ? body : {}
  const list = Array.isArray(body) ? body : (reply.results ?? reply.data)
  if (!Array.isArray(list)) return reply.error === undefined ? undefined : { error: decodeError(200, body) }
  const ranked: RankedDocument[] = []
  const seen = new Set<number>()
  for (const item of list as unknown[]) {
    const { index, relevance_score, score = relevance_score } = isObject(item) ? item : {}
    const isKnown = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count
    if (!isKnown || seen.has(index) || typeof score !== 'number' || !Number.isFinite(score)) return undefined
    seen.add(index)
    ranked.push({ index, score })
  }
  if (ranked.length === 0) return undefined
  ranked.sort((one, other) => other.score - one.score)
  const { id, model } = reply
  return { id: textOf(id), model: textOf(model), ranked, ...reportedIn(reply) }
}

function reportedIn({ usage, meta, tokens: own }: Json): Pick<RerankReply, 'searches' | 'tokens'> {
  const { billed_units: billed, tokens = own } = isObject(meta) ? meta : {}
  const [ofUsage, ofTokens, ofBilled] = [usage, tokens, billed].map((each) => (isObject(each) ? each : {}))
  return {
    searches: countOf(ofBilled?.search_units),
    tokens:
      countOf(ofUsage?.total_tokens) ??
      countOf(ofUsage?.prompt_tokens) ??
      countOf(ofTokens?.input_tokens) ??
      countOf(ofBilled?.total_tokens) ??
      countOf(ofBilled?.input_tokens),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined

/** `version`: of the API that was called. What Cohere's clients read and what Jina's do is side by side. */
export function encodeRerankReply(
  { ranked, tokens }: RerankReply,
  { model, documents, topN, returnsDocuments }: RerankRequest,
  { id, version, searches }: { id: string; version: '1' | '2'; searches: number },
  codec: Codec,
): Uint8Array {
  const results = ranked.slice(0, topN).map(({ index, score }) => {
    const document = documents[index]
    return {
      index,
      relevance_score: score,
      ...(returnsDocuments ? { document: typeof document === 'string' ? { text: document } : document } : {}),
    }
  })
  return codec.encode(
    JSON.stringify({
      id,
      model,
      results,
      meta: { api_version: { version }, billed_units: { search_units: searches } },
      ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    }),
  )
}
