// What a Response object repeats of its request. The SDK's types demand most of it, and clients read their settings back.

import { isObject, type Json } from '../../../canonical/reading.ts'

/** Repeated only if they were sent. */
const WHERE_SENT = [
  'max_tool_calls',
  'prompt_cache_key',
  'safety_identifier',
  'service_tier',
  'store',
  'top_logprobs',
  'user',
] as const

export function echoOf(body: Json): Record<string, unknown> {
  const reasoning = isObject(body.reasoning) ? body.reasoning : {}
  const text = isObject(body.text) ? body.text : {}
  const echo: Record<string, unknown> = {
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    temperature: body.temperature ?? null,
    text: { ...text, format: text.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: Array.isArray(body.tools) ? body.tools : [],
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? 'disabled',
  }
  for (const field of WHERE_SENT) if (body[field] !== undefined && body[field] !== null) echo[field] = body[field]
  return echo
}
