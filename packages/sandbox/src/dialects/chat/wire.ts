// What single bodies and streams of the chat dialect have in common.

import type { PartHead, ToolHead } from '../../model/plan.ts'
import type { FinishReason, Meter } from '../../model/produce.ts'
import type { Cited } from '../../model/search.ts'
import { figuresOf } from '../../model/usage.ts'
import type { Tool } from '../../request/sandbox-request.ts'
import type { Head, Quirks } from '../dialect.ts'

export const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  tools: 'tool_calls',
  refusal: 'stop',
  filter: 'content_filter',
}
export const FIELD: Readonly<Record<Exclude<PartHead['kind'], 'tool' | 'search'>, string>> = {
  reasoning: 'reasoning_content',
  text: 'content',
  refusal: 'refusal',
}

export function envelope({ id, created, model }: Head, suffix: '' | '.chunk'): Record<string, unknown> {
  return { id: `chatcmpl-${id}`, object: `chat.completion${suffix}`, created, model, system_fingerprint: 'sandbox' }
}

/** The fields of a call besides what it calls; the signature is a convention of some services, so only on request. */
export function callHead({ id, form, signature, sign }: ToolHead): Record<string, unknown> {
  const extra = sign && signature !== undefined ? { extra_content: { google: { thought_signature: signature } } } : {}
  return { id: `call_${id}`, type: form, ...extra }
}

/** Pages of a search, where the answer cites them. */
export function annotationsOf({ pages, start, end }: Cited): Record<string, unknown>[] {
  return pages.map(({ url, title }) => ({
    type: 'url_citation',
    url_citation: { url, title, start_index: start, end_index: end },
  }))
}

export function inputField(form: Tool['form']): string {
  return form === 'function' ? 'arguments' : 'input'
}

export function usageOf(meter: Meter, quirks: Quirks): Record<string, unknown> {
  const { prompt, cached, cacheWritten, completion, reasoning, total } = figuresOf(meter, quirks)
  const written = meter.cacheWrittenTokens > 0 ? { cache_write_tokens: cacheWritten } : {}
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached, ...written, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}
