// What an official SDK returned to its caller, in a form that is the same for every dialect.
import type { GenerateContentResponse } from '@google/genai'

export type Call = { name: string; arguments: unknown }
export type Figures = { input: number; cached: number; output: number; reasoning: number }

export type Answer = {
  text: string
  reasoning: string
  calls: Call[]
  /** `malformed`: the model's tool call was invalid; dialects without such a finish reason report an end or an error. */
  finish: 'completed' | 'length' | 'tool' | 'filter' | 'malformed'
  /** Undefined: the service reported none, and a gateway may send an estimate. */
  usage: Figures | undefined
}

/** Collects a complete answer, or one delta after the other. */
export type Pieces = {
  text: string
  reasoning: string
  refusal: string
  calls: { name: string; text: string }[]
  finish: Answer['finish'] | undefined
  usage: Figures | undefined
}

export const nothing = (): Pieces => ({
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  finish: undefined,
  usage: undefined,
})

export function answerOf(pieces: Pieces): Answer {
  const calls = pieces.calls.map(({ name, text }) => ({ name, arguments: argumentsOf(text) }))
  return {
    // Only two of the dialects separate a refusal from text.
    text: pieces.text + pieces.refusal,
    // Dialects separate two reasoning parts by a new block, a blank line or nothing.
    reasoning: pieces.reasoning.replaceAll('\n\n', ''),
    calls,
    finish: finishOf(pieces),
    usage: pieces.usage,
  }
}

/** Only some dialects have finish reasons for tool calls and refusals; for the others it is derived from the content. */
function finishOf({ finish = 'completed', calls, refusal }: Pieces): Answer['finish'] {
  if (finish !== 'completed' && finish !== 'tool') return finish
  if (calls.length > 0) return 'tool'
  return refusal === '' ? 'completed' : 'filter'
}

/** Dialects whose arguments are an object carry other text in a field of it. */
function argumentsOf(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value }
  } catch {
    return { _raw: text }
  }
}

/** A custom tool takes any text; in dialects without custom tools it is a function with one text argument. */
export const customArguments = (input: string): string => JSON.stringify({ input })

export function figures(counts: { [Name in keyof Figures]: number | null | undefined }): Figures {
  const { input, cached, output, reasoning } = counts
  return { input: input ?? 0, cached: cached ?? 0, output: output ?? 0, reasoning: reasoning ?? 0 }
}

type GeminiPart = {
  text?: string
  thought?: boolean
  functionCall?: { name?: string; args?: unknown; partialArgs?: PartialArgument[]; willContinue?: boolean }
}
type PartialArgument = { jsonPath?: string } & Record<string, unknown>

const FILTERED = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED|SPII|LANGUAGE|IMAGE/

/** Adds a response of generate-content, or one chunk of a stream. */
export function addGenerated(pieces: Pieces, response: GenerateContentResponse): void {
  const candidate = response.candidates?.[0]
  for (const part of (candidate?.content?.parts ?? []) as GeminiPart[]) addPart(pieces, part)
  const reason = String(candidate?.finishReason ?? '')
  if (response.promptFeedback?.blockReason !== undefined || FILTERED.test(reason)) pieces.finish = 'filter'
  else if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') pieces.finish = 'length'
  else if (/TOOL_CALL|FUNCTION_CALL/.test(reason)) pieces.finish = 'malformed'
  else if (reason !== '') pieces.finish = 'completed'
  const usage = response.usageMetadata
  if (usage?.promptTokenCount === undefined) return
  pieces.usage = figures({
    input: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
    cached: usage.cachedContentTokenCount,
    output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    reasoning: usage.thoughtsTokenCount,
  })
}

function addPart(pieces: Pieces, { text, thought, functionCall }: GeminiPart): void {
  if (text !== undefined && thought === true) pieces.reasoning += text
  else if (text !== undefined) pieces.text += text
  if (functionCall === undefined) return
  const { name, args, partialArgs = [] } = functionCall
  if (name !== undefined) pieces.calls.push({ name, text: JSON.stringify(args ?? {}) })
  const call = pieces.calls.at(-1)
  if (call === undefined) return
  for (const partial of partialArgs) call.text = withPartial(call.text, partial)
}

/** One service streams arguments as values with paths, which its SDK does not assemble. */
function withPartial(text: string, { jsonPath = '$', ...value }: PartialArgument): string {
  const whole = JSON.parse(text) as Record<string, unknown>
  const steps = jsonPath.match(/[^.$[\]'"]+/g) ?? []
  const last = steps.pop()
  if (last === undefined) return text
  let at = whole
  for (const step of steps) {
    at[step] ??= {}
    at = at[step] as Record<string, unknown>
  }
  const given = value.stringValue ?? value.numberValue ?? value.boolValue ?? null
  at[last] = typeof given === 'string' && typeof at[last] === 'string' ? at[last] + given : given
  return JSON.stringify(whole)
}
