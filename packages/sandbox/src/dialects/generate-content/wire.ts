// What single bodies and streams of the generate-content dialect have in common.

import type { ToolHead } from '../../model/plan.ts'
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
