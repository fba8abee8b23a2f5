// What single bodies and streams of the messages dialect have in common.

import type { PartHead } from '../../model/plan.ts'
import type { FinishReason, Meter } from '../../model/produce.ts'
import type { SearchHead } from '../../model/search.ts'
import { signatureOf } from '../../model/signature.ts'
import { figuresOf } from '../../model/usage.ts'
import type { Head, Quirks } from '../dialect.ts'

const STOP_REASON: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'refusal',
  filter: 'refusal',
}

export type Ending = { reason: FinishReason; stop: string | undefined }

export function envelope({ id, model }: Head): Record<string, unknown> {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model }
}

export function endingOf({ reason, stop }: Ending, quirks: Quirks): Record<string, unknown> {
  const refused = reason === 'refusal' || reason === 'filter'
  return {
    stop_reason: quirks.noFinish ? null : STOP_REASON[reason],
    stop_sequence: stop ?? null,
    stop_details: refused ? { type: 'refusal', category: null, explanation: null } : null,
  }
}

/** A block at its start. */
export function emptyBlock(head: PartHead): Record<string, unknown> {
  if (head.kind === 'tool') return { type: 'tool_use', id: `toolu_${head.id}`, name: head.name, input: {} }
  if (head.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' }
  return { type: 'text', text: '' }
}

/** A search is two blocks: the call, and what was found. */
export function searchBlocks({ id, query, pages }: SearchHead): [Record<string, unknown>, Record<string, unknown>] {
  const caller = { type: 'direct' }
  const content = pages.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: signatureOf(url),
    page_age: 'April 30, 2026',
  }))
  return [
    { type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search', input: { query }, caller },
    { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${id}`, content, caller },
  ]
}

/** The pages that a text cites. */
export function citationsOf(head: PartHead): Record<string, unknown>[] {
  const { pages = [], text } = head.kind === 'text' && head.cited !== undefined ? head.cited : {}
  return pages.map(({ url, title }) => ({
    type: 'web_search_result_location',
    url,
    title,
    encrypted_index: signatureOf(url),
    cited_text: text,
  }))
}

export function isRedacted(head: PartHead): boolean {
  return head.kind === 'reasoning' && head.text === 'redacted'
}

export function usageOf(meter: Meter, quirks: Quirks): Record<string, unknown> {
  const { fresh, cached, cacheWritten, completion, reasoning } = figuresOf(meter, quirks)
  return {
    input_tokens: fresh,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    output_tokens: completion,
    ...(meter.searches > 0 ? { server_tool_use: { web_search_requests: meter.searches, web_fetch_requests: 0 } } : {}),
    ...(meter.reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  }
}
