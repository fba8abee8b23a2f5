// Plans the answer to a request, lazily. Independent of dialects, clock and I/O.
import { createHash } from 'node:crypto'
import type { SandboxRequest, Tool } from '../request/sandbox-request.ts'
import { type Directives, type RequestedCall, readDirectives } from './directives.ts'
import { sampleOf } from './schema-sample.ts'
import { type Cited, citedSentence, type SearchHead, searchFor } from './search.ts'
import { signatureOf } from './signature.ts'
import { reasoningLine, summaryLines } from './summary.ts'
import { concat, piecesOf, untilStop, wordPieces } from './text.ts'
import { ATTACHMENT_TOKENS, tokensOfBytes } from './tokens.ts'

export const LABEL = '[sandbox]'

export type ReasoningHead = {
  kind: 'reasoning'
  style: 'summary' | 'raw'
  /** `omitted` and `redacted`: produced and counted, but without text; the caller did not want it, or must not see it. */
  text: 'shown' | 'omitted' | 'redacted'
}
export type ToolHead = {
  kind: 'tool'
  /** Hexadecimal and unique within the answer; each dialect adds its own prefix. */
  id: string
  name: string
  form: Tool['form']
  /** Covers the name, after reasoning: for dialects that sign the call instead of the reasoning. */
  signature: string | undefined
  /** The signature or the id was requested explicitly. */
  sign: boolean
  ids: boolean
}
/** `cited`: what of the text comes from pages of a web search. */
export type TextHead = { kind: 'text'; cited?: Cited }
export type PartHead = ReasoningHead | TextHead | { kind: 'refusal' } | ToolHead | SearchHead

/** The pieces may return the stop sequence that ended them. */
export type Part = { head: PartHead; pieces: Iterable<string, unknown> }

export type Plan = {
  /** One list of parts for each choice. */
  choices: Part[][]
  /** Blocked by the content filter, whatever the parts. */
  filtered: boolean
  maxTokens: number | undefined
  promptTokens: number
  cachedTokens: number
  cacheWrittenTokens: number
  /** As requested by the prompt. */
  paceMs: number | undefined
}

/** `remark` is appended to text answers: some faults need certain characters. */
export function makePlan(request: SandboxRequest, remark = ''): Plan {
  const directives = readDirectives(
    request.lastUser,
    request.tools.map((tool) => tool.name),
  )
  const promptTokens = tokensOfBytes(request.textBytes) + ATTACHMENT_TOKENS * request.attachments.length
  const cachedTokens = Math.min(directives.cachedTokens ?? 0, promptTokens)
  return {
    choices: Array.from({ length: request.choices }, (_, index) =>
      directives.filter ? [] : partsOf(request, directives, index, remark),
    ),
    filtered: directives.filter,
    maxTokens: request.maxTokens,
    promptTokens,
    cachedTokens,
    cacheWrittenTokens: Math.min(directives.cacheWrittenTokens ?? 0, promptTokens - cachedTokens),
    paceMs: directives.paceMs,
  }
}

function partsOf(request: SandboxRequest, directives: Directives, choice: number, remark: string): Part[] {
  const parts: Part[] = []
  if (directives.think !== undefined) {
    const text = directives.thinkHow === 'secretly' ? 'redacted' : request.hideReasoning ? 'omitted' : 'shown'
    const style = directives.thinkHow === 'aloud' ? 'raw' : 'summary'
    parts.push({ head: { kind: 'reasoning', style, text }, pieces: reasoningPieces(request, directives.think) })
  }
  if (directives.refuse)
    return [...parts, { head: { kind: 'refusal' }, pieces: piecesOf(`${LABEL} I will not help with that.`) }]
  const calls = chooseCalls(request, directives)
  if (calls.length > 0) {
    if (directives.explain)
      parts.push({ head: { kind: 'text' }, pieces: piecesOf(`${LABEL} I call ${namesOf(calls)}.`) })
    return [...parts, ...calls.map((call, index) => toolPart(request, directives, call, { choice, index }))]
  }
  const search = searchFor(request, directives.search)
  if (search !== undefined) return [...parts, ...searchedParts(search, request, directives, choice, remark)]
  const pieces =
    request.format.type === 'text' ? textPieces(request, directives, choice, remark) : piecesOf(jsonAnswer(request))
  return [...parts, { head: { kind: 'text' }, pieces: untilStop(pieces, request.stops) }]
}

function searchedParts(
  search: SearchHead,
  request: SandboxRequest,
  directives: Directives,
  choice: number,
  remark: string,
): Part[] {
  const { text, cited } = citedSentence(search, LABEL)
  const pieces = concat(piecesOf(text), textPieces(request, directives, choice, remark))
  return [
    { head: search, pieces: [] },
    { head: { kind: 'text', cited }, pieces: untilStop(pieces, request.stops) },
  ]
}

/** What a searched answer cites, for dialects that say it beside the text. */
export const citedIn = (parts: readonly Part[] | undefined): Cited | undefined =>
  parts?.flatMap(({ head }) => (head.kind === 'text' ? (head.cited ?? []) : []))[0]

function namesOf(calls: readonly RequestedCall[]): string {
  return calls.map((call) => call.name).join(', ')
}

function reasoningPieces(request: SandboxRequest, words: number): Iterable<string> {
  if (words > 0) return concat(piecesOf(`${LABEL} `), wordPieces(words))
  return piecesOf(`${LABEL} Thinking about ${request.lastUser.length} characters from the user before answering.`)
}

function textPieces(request: SandboxRequest, directives: Directives, choice: number, remark: string): Iterable<string> {
  const label = choice === 0 ? LABEL : `${LABEL} (choice ${choice + 1})`
  const tail = piecesOf(remark)
  if (request.toolResults.length > 0) {
    const results = request.toolResults.map(
      ({ name, text, failed }) => `The tool ${name} ${failed ? 'failed' : 'returned'}: ${text}`,
    )
    const reasoning = reasoningLine(request).map((line) => `\n- ${line}`)
    return concat(piecesOf(`${label} ${results.join('\n')}`), tail, piecesOf(reasoning.join('')))
  }
  if (directives.words !== undefined) return concat(piecesOf(`${label} `), wordPieces(directives.words), tail)
  const summary = summaryLines(request).map((line) => `\n- ${line}`)
  return concat(piecesOf(`${label} You said: ${request.lastUser}`), tail, piecesOf(summary.join('')))
}

function jsonAnswer(request: SandboxRequest): string {
  if (request.format.type === 'schema') return JSON.stringify(sampleOf(request.format.schema))
  return JSON.stringify({ sandbox: true, you_said: request.lastUser, received: summaryLines(request) })
}

/** Tools named in the prompt, else forced ones; never those that the request forbids. */
function chooseCalls(request: SandboxRequest, directives: Directives): RequestedCall[] {
  const { mode, only, parallel } = request.toolChoice
  const allowed = request.tools.filter((tool) => only === undefined || only.includes(tool.name))
  const first = allowed[0]
  if (mode === 'none' || first === undefined) return []
  // The directive that led to these results is still in the prompt: following it again would never end.
  const answered = request.toolResults.length > 0
  const named = answered ? [] : directives.calls.filter((call) => allowed.some((tool) => tool.name === call.name))
  const drawn = named.length > 0 || answered ? [] : imageCalls(request, directives, allowed)
  const calls =
    named.length > 0 ? named : drawn.length > 0 ? drawn : unnamed(allowed, answered ? 'none' : directives.unnamedCalls)
  if (calls.length === 0 && mode === 'required') return [{ name: first.name, input: undefined }]
  return parallel ? calls : calls.slice(0, 1)
}

/** A prompt that asks for an image, or to change one, calls the tool that makes images, with the prompt. */
function imageCalls(
  { lastUser: prompt }: SandboxRequest,
  { draw, edit }: Directives,
  allowed: readonly Tool[],
): RequestedCall[] {
  const tool = allowed.find(({ name, form }) => form === 'function' && /image/i.test(name))
  if (tool === undefined || !(draw || edit)) return []
  const action = actionsOf(tool).find((each) => each === (edit ? 'edit' : 'generate'))
  return [{ name: tool.name, input: JSON.stringify({ prompt, ...(action === undefined ? {} : { action }) }) }]
}

/** What the tool can do, if it says so. */
function actionsOf({ schema }: Tool): readonly unknown[] {
  const { properties } = (schema ?? {}) as { properties?: { action?: { enum?: unknown } } }
  const actions = properties?.action?.enum
  return Array.isArray(actions) ? actions : []
}

function unnamed(allowed: readonly Tool[], which: Directives['unnamedCalls']): RequestedCall[] {
  if (which === 'none') return []
  return (which === 'all' ? allowed : allowed.slice(0, 1)).map((tool) => ({ name: tool.name, input: undefined }))
}

type Place = { choice: number; index: number }

function toolPart(
  request: SandboxRequest,
  directives: Directives,
  call: RequestedCall,
  { choice, index }: Place,
): Part {
  const { name } = call
  const tool = request.tools.find((candidate) => candidate.name === name)
  const form = tool?.form ?? 'function'
  const input = call.input ?? (form === 'custom' ? `${LABEL} input` : JSON.stringify(sampleOf(tool?.schema)))
  const isSigned = index === 0 && (directives.think !== undefined || directives.sign)
  const id = callId(request.fingerprint, choice, index)
  const signature = isSigned ? signatureOf(name) : undefined
  return {
    head: { kind: 'tool', id, name, form, signature, sign: directives.sign, ids: directives.ids },
    pieces: piecesOf(input),
  }
}

function callId(fingerprint: string, choice: number, index: number): string {
  return createHash('sha256').update(`${fingerprint} ${choice} ${index}`).digest('hex').slice(0, 24)
}
