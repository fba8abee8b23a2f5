// A conversation, and the request that continues it.

import { field, textField } from '../../../api/body.ts'
import type { Entry } from '../history/entry.ts'
import type { Outcome } from '../history/outcome.ts'

/** Numbers are as typed; empty: the model's own default. */
export type Settings = {
  model: string
  system: string
  temperature: string
  topP: string
  maxTokens: string
  effort: string
  /** JSON. */
  tools: string
}

export const NO_SETTINGS: Settings = {
  model: '',
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  tools: '',
}

export type ToolCall = { id: string; name: string; arguments: string; result: string }
export type Question = { role: 'user'; text: string; images: readonly string[] }
export type Answer = {
  role: 'assistant'
  settings: Settings
  text: string
  reasoning: string
  calls: readonly ToolCall[]
  outcome: Outcome
}
export type Turn = Question | Answer
export type Conversation = Entry & { turns: readonly Turn[] }

export type ChatRequest = { model: string } & Record<string, unknown>

/** The request for the answer that follows these turns. */
export function requestFor(turns: readonly Turn[], settings: Settings): ChatRequest {
  const { model, system, temperature, topP, maxTokens, effort } = settings
  const tools = parseTools(settings.tools)
  return {
    model,
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...turns.flatMap(messagesOf)],
    ...number('temperature', temperature),
    ...number('top_p', topP),
    ...number('max_completion_tokens', maxTokens),
    ...(effort === '' ? {} : { reasoning_effort: effort }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

const number = (name: string, typed: string) => (typed.trim() === '' ? {} : { [name]: Number(typed) })

function messagesOf(turn: Turn): object[] {
  if (turn.role === 'user') return [{ role: 'user', content: contentOf(turn) }]
  const { text, calls } = turn
  // An answer that never came is no part of the conversation.
  if (text === '' && calls.length === 0) return []
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }))
  return [
    { role: 'assistant', content: text === '' ? null : text, ...(calls.length === 0 ? {} : { tool_calls }) },
    ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ]
}

const contentOf = ({ text, images }: Question): unknown =>
  images.length === 0
    ? text
    : [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
      ]

/** undefined: not a list of tools. */
export function parseTools(typed: string): unknown[] | undefined {
  if (typed.trim() === '') return []
  try {
    const value: unknown = JSON.parse(typed)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The field that is wrong, if one is. */
export function wrongSetting({ temperature, topP, maxTokens, tools }: Settings): keyof Settings | undefined {
  if (!isNumber(temperature, 0, 2)) return 'temperature'
  if (!isNumber(topP, 0, 1)) return 'topP'
  if (!isNumber(maxTokens, 1, 10_000_000) || maxTokens.includes('.')) return 'maxTokens'
  return parseTools(tools) === undefined ? 'tools' : undefined
}

function isNumber(typed: string, least: number, most: number): boolean {
  const value = Number(typed)
  return typed.trim() === '' || (value >= least && value <= most)
}

/** The answer with one more event of the stream. */
export function withEvent(answer: Answer, event: unknown): Answer {
  const delta = field(field(field(event, 'choices'), 0), 'delta')
  if (delta === undefined) return answer
  const text = answer.text + textField(delta, 'content') + textField(delta, 'refusal')
  const reasoning = answer.reasoning + (textField(delta, 'reasoning_content') || textField(delta, 'reasoning'))
  return { ...answer, text, reasoning, calls: withCalls(answer.calls, field(delta, 'tool_calls')) }
}

function withCalls(calls: readonly ToolCall[], pieces: unknown): readonly ToolCall[] {
  if (!Array.isArray(pieces)) return calls
  const next = [...calls]
  for (const piece of pieces) {
    const given = field(piece, 'index')
    const index = typeof given === 'number' && given >= 0 && given <= next.length ? Math.trunc(given) : next.length
    const former = next[index] ?? { id: '', name: '', arguments: '', result: '' }
    const called = field(piece, 'function')
    next[index] = {
      ...former,
      id: textField(piece, 'id') || former.id,
      name: former.name + textField(called, 'name'),
      arguments: former.arguments + textField(called, 'arguments'),
    }
  }
  return next
}
