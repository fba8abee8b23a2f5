// The neutral core: from what was asked to what will be answered, lazily. No dialect, no clock, no I/O.
import { createHash } from 'node:crypto'
import type { SandboxRequest, Tool } from '../request/sandbox-request.ts'
import { type CallWish, type Directives, readDirectives } from './directives.ts'
import { sampleOf } from './schema-sample.ts'
import { sealOf } from './seal.ts'
import { reasoningLine, summaryLines } from './summary.ts'
import { concat, piecesOf, untilStop, wordPieces } from './text.ts'
import { ATTACHMENT_TOKENS, tokensOfBytes } from './tokens.ts'

export const LABEL = '[sandbox]'

export type ReasoningHead = {
  kind: 'reasoning'
  style: 'summary' | 'raw'
  /** `omitted` and `redacted`: done and counted, but without its text; the caller did not want it, or must not see it. */
  text: 'shown' | 'omitted' | 'redacted'
}
export type ToolHead = {
  kind: 'tool'
  /** Distinct within the answer, of hexadecimal digits: each dialect puts its own word before it. */
  id: string
  name: string
  form: Tool['form']
  /** Over the name, where the answer was thought about: for dialects that seal the call and not the reasoning. */
  seal: string | undefined
  /** The seal, or the id, was asked for in so many words. */
  sign: boolean
  ids: boolean
}
export type PartHead = ReasoningHead | { kind: 'text' } | { kind: 'refusal' } | ToolHead

/** The pieces may return the stop sequence that ended them. */
export type Part = { head: PartHead; pieces: Iterable<string, unknown> }

export type Plan = {
  /** One list of parts for each choice. */
  choices: Part[][]
  /** Kept back by the content filter, whatever the parts. */
  filtered: boolean
  maxTokens: number | undefined
  promptTokens: number
  cachedTokens: number
  cacheWrittenTokens: number
  /** What the prompt asked for, if it did. */
  paceMs: number | undefined
}

/** `remark` is added to text answers: a fault that needs certain characters puts them there. */
export function makePlan(ask: SandboxRequest, remark = ''): Plan {
  const wishes = readDirectives(
    ask.lastUser,
    ask.tools.map((tool) => tool.name),
  )
  const promptTokens = tokensOfBytes(ask.textBytes) + ATTACHMENT_TOKENS * ask.attachments.length
  const cachedTokens = Math.min(wishes.cachedTokens ?? 0, promptTokens)
  return {
    choices: Array.from({ length: ask.choices }, (_, index) =>
      wishes.filter ? [] : partsOf(ask, wishes, index, remark),
    ),
    filtered: wishes.filter,
    maxTokens: ask.maxTokens,
    promptTokens,
    cachedTokens,
    cacheWrittenTokens: Math.min(wishes.cacheWrittenTokens ?? 0, promptTokens - cachedTokens),
    paceMs: wishes.paceMs,
  }
}

function partsOf(ask: SandboxRequest, wishes: Directives, choice: number, remark: string): Part[] {
  const parts: Part[] = []
  if (wishes.think !== undefined) {
    const text = wishes.thinkHow === 'secretly' ? 'redacted' : ask.hideReasoning ? 'omitted' : 'shown'
    const style = wishes.thinkHow === 'aloud' ? 'raw' : 'summary'
    parts.push({ head: { kind: 'reasoning', style, text }, pieces: reasoningPieces(ask, wishes.think) })
  }
  if (wishes.refuse)
    return [...parts, { head: { kind: 'refusal' }, pieces: piecesOf(`${LABEL} I will not help with that.`) }]
  const calls = chooseCalls(ask, wishes)
  if (calls.length > 0) {
    if (wishes.explain) parts.push({ head: { kind: 'text' }, pieces: piecesOf(`${LABEL} I call ${namesOf(calls)}.`) })
    return [...parts, ...calls.map((call, index) => toolPart(ask, wishes, call, { choice, index }))]
  }
  const pieces = ask.format.type === 'text' ? textPieces(ask, wishes, choice, remark) : piecesOf(jsonAnswer(ask))
  return [...parts, { head: { kind: 'text' }, pieces: untilStop(pieces, ask.stops) }]
}

function namesOf(calls: readonly CallWish[]): string {
  return calls.map((call) => call.name).join(', ')
}

function reasoningPieces(ask: SandboxRequest, words: number): Iterable<string> {
  if (words > 0) return concat(piecesOf(`${LABEL} `), wordPieces(words))
  return piecesOf(`${LABEL} Thinking about ${ask.lastUser.length} characters from the user before answering.`)
}

function textPieces(ask: SandboxRequest, wishes: Directives, choice: number, remark: string): Iterable<string> {
  const label = choice === 0 ? LABEL : `${LABEL} (choice ${choice + 1})`
  const tail = piecesOf(remark)
  if (ask.toolResults.length > 0) {
    const results = ask.toolResults.map(
      ({ name, text, failed }) => `The tool ${name} ${failed ? 'failed' : 'returned'}: ${text}`,
    )
    const reasoning = reasoningLine(ask).map((line) => `\n- ${line}`)
    return concat(piecesOf(`${label} ${results.join('\n')}`), tail, piecesOf(reasoning.join('')))
  }
  if (wishes.words !== undefined) return concat(piecesOf(`${label} `), wordPieces(wishes.words), tail)
  const summary = summaryLines(ask).map((line) => `\n- ${line}`)
  return concat(piecesOf(`${label} You said: ${ask.lastUser}`), tail, piecesOf(summary.join('')))
}

function jsonAnswer(ask: SandboxRequest): string {
  if (ask.format.type === 'schema') return JSON.stringify(sampleOf(ask.format.schema))
  return JSON.stringify({ sandbox: true, you_said: ask.lastUser, received: summaryLines(ask) })
}

/** Named in the prompt, else forced; what the request forbids is never called. */
function chooseCalls(ask: SandboxRequest, wishes: Directives): CallWish[] {
  const { mode, only, parallel } = ask.toolChoice
  const allowed = ask.tools.filter((tool) => only === undefined || only.includes(tool.name))
  const first = allowed[0]
  if (mode === 'none' || first === undefined) return []
  // The order that led to these results is still in the prompt: obeying it again would never end.
  const answered = ask.toolResults.length > 0
  const named = answered ? [] : wishes.calls.filter((call) => allowed.some((tool) => tool.name === call.name))
  const calls = named.length > 0 ? named : unnamed(allowed, answered ? 'none' : wishes.unnamedCalls)
  if (calls.length === 0 && mode === 'required') return [{ name: first.name, input: undefined }]
  return parallel ? calls : calls.slice(0, 1)
}

function unnamed(allowed: readonly Tool[], which: Directives['unnamedCalls']): CallWish[] {
  if (which === 'none') return []
  return (which === 'all' ? allowed : allowed.slice(0, 1)).map((tool) => ({ name: tool.name, input: undefined }))
}

type Place = { choice: number; index: number }

function toolPart(ask: SandboxRequest, wishes: Directives, call: CallWish, { choice, index }: Place): Part {
  const { name } = call
  const tool = ask.tools.find((candidate) => candidate.name === name)
  const form = tool?.form ?? 'function'
  const input = call.input ?? (form === 'custom' ? `${LABEL} input` : JSON.stringify(sampleOf(tool?.schema)))
  const sealed = index === 0 && (wishes.think !== undefined || wishes.sign)
  const id = callId(ask.fingerprint, choice, index)
  const seal = sealed ? sealOf(name) : undefined
  return { head: { kind: 'tool', id, name, form, seal, sign: wishes.sign, ids: wishes.ids }, pieces: piecesOf(input) }
}

function callId(fingerprint: string, choice: number, index: number): string {
  return createHash('sha256').update(`${fingerprint} ${choice} ${index}`).digest('hex').slice(0, 24)
}
