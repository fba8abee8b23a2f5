// Rejects requests that cannot fit into the context of their model, before anything is held or sent. A request that the upstream
// might accept is never rejected: where it is not certain, the upstream decides.

import { untranslatedFields } from '@trivium/protocol/canonical/encoding/untranslated-fields.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { CanonicalRequest, Part } from '@trivium/protocol/canonical/request.ts'
import { countWords } from '../bytes/count-words.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { Failure } from '../request/failure.ts'
import { bodyOf, type TextRequest } from './request.ts'

/** Shorter requests are not looked at. Prose and code have about 4 bytes per token, so nearly all of them fit. */
const BYTES_PER_TOKEN = 4
/** Counting ends at this multiple of the context: a longer request costs no more CPU. */
const COUNTED_CONTEXTS = 2

/** Throws Failure. For nearly all requests this compares two numbers. */
export function checkContext(request: TextRequest, { model }: OfferOf<'text'>): void {
  const { parsed } = request
  const { context } = model.limits
  if (context === undefined || parsed.textBytes <= context * BYTES_PER_TOKEN) return
  // Fields of a single vendor, such as `context_management`, may make it drop parts of the request.
  const unknown = untranslatedFields(bodyOf(request), request.dialect.translated)
  if (unknown.some((field) => !field.includes('.'))) return
  const tokens = leastTokens(canonicalOf(parsed), context * COUNTED_CONTEXTS)
  if (tokens <= context) return
  const message = `The request has at least ${tokens} tokens, and model '${model.id}' accepts at most ${context}. Shorten it.`
  throw new Failure('context_length_exceeded', message)
}

/** undefined: no request of this gateway's dialects, though its upstream may understand it. */
function canonicalOf(parsed: TextRequest['parsed']): CanonicalRequest | undefined {
  try {
    return parsed.canonical()
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

/** A number of tokens that no tokenizer is below, or `enough` if there are more. */
function leastTokens(request: CanonicalRequest | undefined, enough: number): number {
  // So may the values of others, such as `truncation`.
  if (!request || request.untranslated.length > 0) return 0
  let words = 0
  const count = (text: string): void => {
    words += countWords(text, enough - words)
  }
  for (const { text } of request.instructions) count(text)
  for (const { parts } of request.turns) for (const part of parts) countPart(part, count)
  return words
}

/** Media are not counted, since their tokens depend on the vendor; nor is reasoning, which vendors drop from earlier turns. */
function countPart(part: Part, count: (text: string) => void): void {
  if (part.type === 'text' || part.type === 'refusal') count(part.text)
  else if (part.type === 'call') count(part.arguments)
  else if (part.type === 'result') for (const each of part.parts) countPart(each, count)
}
