// What single bodies and streams of the responses dialect have in common.

import type { PartHead } from '../../model/plan.ts'
import type { FinishReason, Meter } from '../../model/produce.ts'
import type { SearchHead } from '../../model/search.ts'
import { figuresOf } from '../../model/usage.ts'
import { isObject, type Json, listOf } from '../../request/fields.ts'
import type { Head, Quirks } from '../dialect.ts'

/** The parts of the request that determine the form of the answer, or are repeated in it. */
export type Frame = { echo: Record<string, unknown>; encrypted: boolean; sources: boolean }

export function frameOf(body: Json): Frame {
  const echo = {
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...(isObject(body.reasoning) ? body.reasoning : {}) },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...(isObject(body.text) ? body.text : {}) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
  }
  const include = listOf(body.include)
  return {
    echo,
    encrypted: include.includes('reasoning.encrypted_content'),
    sources: include.includes('web_search_call.action.sources'),
  }
}

/** The response object without its output and usage. */
export function envelope(head: Head, { echo }: Frame, reason: FinishReason | undefined): Record<string, unknown> {
  const cut = reason === 'length' ? 'max_output_tokens' : reason === 'filter' ? 'content_filter' : undefined
  return {
    id: `resp_${head.id}`,
    object: 'response',
    created_at: head.created,
    status: reason === undefined ? 'in_progress' : cut === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    model: head.model,
    ...echo,
  }
}

export function itemId({ id }: Head, head: PartHead, block: number): string {
  if (head.kind === 'tool') return `${head.form === 'function' ? 'fc' : 'ctc'}_${head.id}`
  return `${head.kind === 'reasoning' ? 'rs' : head.kind === 'search' ? 'ws' : 'msg'}_${id}_${block}`
}

export type Text = { text: string; whole: boolean; signature: string | undefined; sources: boolean }

/** A finished output item; `text` is its text, or the input of the call. Fields that are known last come last. */
export function itemOf(id: string, head: PartHead, { text, whole, signature, sources }: Text): Record<string, unknown> {
  const status = whole ? 'completed' : 'incomplete'
  if (head.kind === 'tool') return { ...callOf(id, head), [inputField(head)]: text, status }
  if (head.kind === 'search') return searchItem(id, head, 'completed', sources)
  if (head.kind !== 'reasoning')
    return { id, type: 'message', role: 'assistant', content: [partOf(head, text)], status }
  const encrypted = signature === undefined ? {} : { encrypted_content: signature }
  if (head.text !== 'shown') return { id, type: 'reasoning', summary: [], ...encrypted }
  return head.style === 'raw'
    ? { id, type: 'reasoning', summary: [], content: [partOf(head, text)], ...encrypted }
    : { id, type: 'reasoning', summary: [partOf(head, text)], ...encrypted }
}

/** An item at its start. */
export function emptyItem(id: string, head: PartHead): Record<string, unknown> {
  if (head.kind === 'tool') return { ...callOf(id, head), [inputField(head)]: '', status: 'in_progress' }
  if (head.kind === 'reasoning') return { id, type: 'reasoning', summary: [] }
  if (head.kind === 'search') return searchItem(id, head, 'in_progress', false)
  return { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] }
}

function searchItem(
  id: string,
  { query, pages }: SearchHead,
  status: string,
  sources: boolean,
): Record<string, unknown> {
  const found = sources ? { sources: pages.map(({ url }) => ({ type: 'url', url })) } : {}
  return { id, type: 'web_search_call', status, action: { type: 'search', query, queries: [query], ...found } }
}

/** Pages of a search, where the answer cites them. */
export function annotationsOf(head: PartHead): Record<string, unknown>[] {
  const { pages = [], start, end } = head.kind === 'text' && head.cited !== undefined ? head.cited : {}
  return pages.map(({ url, title }) => ({ type: 'url_citation', url, title, start_index: start, end_index: end }))
}

export function partOf(head: Exclude<PartHead, { kind: 'tool' | 'search' }>, text: string): Record<string, unknown> {
  if (head.kind === 'refusal') return { type: 'refusal', refusal: text }
  if (head.kind === 'text') return { type: 'output_text', annotations: annotationsOf(head), logprobs: [], text }
  return { type: head.style === 'raw' ? 'reasoning_text' : 'summary_text', text }
}

type ToolHead = Extract<PartHead, { kind: 'tool' }>

function callOf(id: string, head: ToolHead): Record<string, unknown> {
  const type = head.form === 'function' ? 'function_call' : 'custom_tool_call'
  return { id, type, call_id: `call_${head.id}`, name: head.name }
}

function inputField({ form }: ToolHead): string {
  return form === 'function' ? 'arguments' : 'input'
}

export function usageOf(meter: Meter, quirks: Quirks): Record<string, unknown> {
  const { prompt, cached, cacheWritten, completion, reasoning, total } = figuresOf(meter, quirks)
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWritten },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: total,
  }
}
