// The model that ranks documents: the more words a document shares with the query, the higher its score.
import { json } from '../delivery/json.ts'
import { tokensOfBytes, utf8Bytes } from '../model/tokens.ts'
import { badRequest } from '../request/errors.ts'
import { parseBody } from '../request/json-body.ts'
import { checkModel } from './check-model.ts'
import { overlapOf, wordsIn } from './words.ts'

export const SANDBOX_RERANK = 'sandbox-rerank'
const DOCUMENTS_PER_SEARCH = 100

/** As Cohere and Jina answer, in one. */
export async function answerRerank(request: Request): Promise<Response> {
  const { model, query, documents, top_n: topN = null } = parseBody(await request.bytes())
  checkModel(model, SANDBOX_RERANK)
  if (typeof query !== 'string' || query === '') throw badRequest("Missing required parameter: 'query'.", 'query')
  if (!Array.isArray(documents) || documents.some((document) => typeof document !== 'string'))
    throw badRequest("Invalid parameter: 'documents' must be an array of strings.", 'documents')
  const texts = documents as string[]
  const asked = wordsIn(query)
  const results = texts
    .map((text, index) => ({ index, relevance_score: overlapOf(asked, wordsIn(text)) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
  const tokens = texts.reduce((sum, text) => sum + tokensOfBytes(utf8Bytes(query) + utf8Bytes(text)), 0)
  return json({
    id: 'sandbox-rerank',
    model,
    results: typeof topN === 'number' ? results.slice(0, topN) : results,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    meta: { billed_units: { search_units: Math.ceil(texts.length / DOCUMENTS_PER_SEARCH) } },
  })
}
