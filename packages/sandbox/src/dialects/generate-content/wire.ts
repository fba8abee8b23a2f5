// What single bodies and streams of the generate-content dialect have in common.

import { citedIn, type Part, type ToolHead } from '../../model/plan.ts'
import type { FinishReason, Meter } from '../../model/produce.ts'
import { objectOrEmpty } from '../../model/text.ts'
import { figuresOf } from '../../model/usage.ts'
import type { Head, Quirks } from '../dialect.ts'

/** There is no finish reason for calls. */
export const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  tools: 'STOP',
  refusal: 'SAFETY',
  filter: 'SAFETY',
}

export function envelope({ id, model }: Head): Record<string, unknown> {
  return { modelVersion: model, responseId: id }
}

/** A blocked prompt has no candidates. */
export const BLOCKED = { promptFeedback: { blockReason: 'SAFETY' } }

export function callPart({ id, name, signature, ids }: ToolHead, input: string): Record<string, unknown> {
  const functionCall = { ...(ids ? { id } : {}), name, args: objectOrEmpty(input) }
  return { functionCall, ...(signature === undefined ? {} : { thoughtSignature: signature }) }
}

/** What was searched for, what was found, and where the answer says it. Places are counted in bytes. */
export function groundingOf(parts: readonly Part[] | undefined): Record<string, unknown> {
  const search = parts?.map(({ head }) => head).find((head) => head.kind === 'search')
  const cited = citedIn(parts)
  if (search === undefined || cited === undefined) return {}
  const [startIndex, endIndex] = cited.bytes
  const groundingMetadata = {
    webSearchQueries: [search.query],
    groundingChunks: search.pages.map(({ url, title }) => ({ web: { uri: url, title } })),
    groundingSupports: [
      { segment: { startIndex, endIndex, text: cited.text }, groundingChunkIndices: [...search.pages.keys()] },
    ],
  }
  return { groundingMetadata }
}

/** Zero counts are omitted. */
export function usageOf(meter: Meter, quirks: Quirks): Record<string, unknown> {
  const { prompt, cached, visible, reasoning, total } = figuresOf(meter, quirks)
  return {
    promptTokenCount: prompt,
    ...(meter.cachedTokens > 0 ? { cachedContentTokenCount: cached } : {}),
    candidatesTokenCount: visible,
    ...(meter.reasoningTokens > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: total,
  }
}
