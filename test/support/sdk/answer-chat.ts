// Chat: complete answers and chunks, with the deviations of compatible services.
import type OpenAI from 'openai'
import { customArguments, figures, type Pieces } from './answer.ts'

type Content = string | null | undefined | readonly ContentPart[]
type ContentPart = { type: string; text?: string; thinking?: readonly { text?: string }[] }
type Fragment = {
  index?: number
  id?: string
  function?: { name?: string; arguments?: unknown }
  custom?: { name?: string; input?: string }
}
type Message = {
  content?: Content
  refusal?: string | null
  reasoning_content?: string | null
  reasoning?: string | null
  tool_calls?: readonly Fragment[] | null
  function_call?: { name?: string; arguments?: unknown } | null
}

export function addChatReply(pieces: Pieces, reply: OpenAI.ChatCompletion): void {
  const choice = reply.choices[0]
  const { tool_calls: calls, ...rest } = (choice?.message ?? {}) as Message
  addMessagePart(pieces, rest, new Map())
  // Complete calls, each on its own, whatever their ids are.
  for (const call of calls ?? []) addFragment(pieces, call, new Map())
  addFinish(pieces, choice?.finish_reason)
  addUsage(pieces, reply.usage)
}

type Growing = { name: string; text: string; id?: string | undefined; input?: string }

const callsOf = new WeakMap<Pieces, Map<string, Growing>>()

export function addChatChunk(pieces: Pieces, chunk: OpenAI.ChatCompletionChunk): void {
  const calls = callsOf.get(pieces) ?? new Map()
  callsOf.set(pieces, calls)
  const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0)
  if (choice !== undefined) {
    addMessagePart(pieces, choice.delta as Message, calls)
    addFinish(pieces, choice.finish_reason)
  }
  addUsage(pieces, chunk.usage)
}

function addMessagePart(pieces: Pieces, message: Message, calls: Map<string, Growing>): void {
  if (typeof message.content === 'string') pieces.text += message.content
  else for (const part of message.content ?? []) addContentPart(pieces, part)
  pieces.refusal += message.refusal ?? ''
  pieces.reasoning += message.reasoning_content ?? message.reasoning ?? ''
  const legacy = message.function_call ? [{ index: 0, function: message.function_call }] : []
  for (const fragment of [...(message.tool_calls ?? []), ...legacy]) addFragment(pieces, fragment, calls)
}

/** One service sends its reasoning as parts of the content. */
function addContentPart(pieces: Pieces, part: ContentPart): void {
  if (part.type === 'text') pieces.text += part.text ?? ''
  if (part.type === 'thinking') pieces.reasoning += (part.thinking ?? []).map(({ text }) => text ?? '').join('')
}

/** Deltas of one call share an index or, where the service sends none, an id; a delta with neither continues the last. */
function addFragment(pieces: Pieces, fragment: Fragment, calls: Map<string, Growing>): void {
  const { index, id } = fragment
  const key = index !== undefined && !calls.has(`id ${id}`) ? `index ${index}` : id === undefined ? 'last' : `id ${id}`
  const name = fragment.function?.name ?? fragment.custom?.name ?? ''
  let call = calls.get(key)
  // Some services number every call 0: a new id with a name starts another call.
  const isAnother = call?.id !== undefined && Boolean(id) && id !== call.id && name !== ''
  if (call === undefined || isAnother) {
    call = { name, text: '', id: id || undefined }
    pieces.calls.push(call)
    calls.set(key, call)
  }
  calls.set('last', call)
  const written = fragment.function?.arguments ?? ''
  call.text += typeof written === 'string' ? written : JSON.stringify(written)
  if (fragment.custom?.input === undefined) return
  call.input = (call.input ?? '') + fragment.custom.input
  call.text = customArguments(call.input)
}

function addFinish(pieces: Pieces, reason: string | null | undefined): void {
  if (reason === null || reason === undefined || reason === '') return
  if (reason === 'length') pieces.finish = 'length'
  else pieces.finish = reason === 'content_filter' ? 'filter' : 'completed'
}

type Usage = OpenAI.CompletionUsage & { cached_tokens?: number; prompt_cache_hit_tokens?: number }

function addUsage(pieces: Pieces, reported: OpenAI.CompletionUsage | null | undefined): void {
  if (!reported) return
  const usage: Usage = reported
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0
  // One service reports reasoning tokens outside the completion, which shows in the total.
  const apart = usage.total_tokens === usage.prompt_tokens + usage.completion_tokens + reasoning ? reasoning : 0
  pieces.usage = figures({
    input: usage.prompt_tokens,
    output: usage.completion_tokens + apart,
    reasoning,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.cached_tokens ?? usage.prompt_cache_hit_tokens,
  })
}
