// A request of any caller, written for an upstream of this dialect.

import { refuseOtherOutput, refuseSeveralAnswers } from '../../../canonical/refusals.ts'
import type { CanonicalRequest, InstructionText, OutputFormat, Part, Turn } from '../../../canonical/request.ts'
import { alternatingTurns } from '../../../canonical/turns.ts'
import type { WarnedField } from '../../../canonical/warning.ts'
import type { Target, WrittenRequest } from '../../text-dialect.ts'
import type { WireRequest, WireSampling, WireTextParam } from '../wire.ts'
import { limitCacheMarks } from './cache-marks.ts'
import { type ModelRules, rulesOf } from './models.ts'
import { narrowedSchema } from './schema.ts'
import { planThinking, type ThinkingPlan } from './thinking.ts'
import { cacheControl, type Writing, writeTurn } from './write-blocks.ts'
import { writeTools } from './write-tools.ts'

export function encodeRequest(request: CanonicalRequest, target: Target): WrittenRequest {
  refuseOtherOutput(request)
  refuseSeveralAnswers(request)
  const { warn } = target
  const rules = rulesOf(target.model)
  const { names, tools, choice, isForced, wrapped } = writeTools(request, rules, warn)
  const { instructions, turns } = alternatingTurns(readable(request, target), warn, rules.midSystem)
  const plan = planThinking(request, target, rules, { forcedTool: isForced, unsignedCall: hasUnsignedCall(turns) })
  const asksForSchema = request.format.type === 'schema' && rules.schemas
  const system = writeSystem(asksForSchema ? instructions : [...instructions, ...formatInWords(request.format)])
  if (!asksForSchema && request.format.type !== 'text') warn('format', 'changed')
  const writing: Writing = { names, warn, ownFiles: request.from === 'messages' }
  const outputConfig = {
    ...(plan.effort === undefined ? {} : { effort: plan.effort }),
    ...(asksForSchema ? writeFormat(request.format) : {}),
  }
  warnOfDropped(request, target)
  const body: WireRequest & WireSampling = {
    model: target.model,
    max_tokens: plan.maxTokens,
    ...(plan.thinking === undefined ? {} : { thinking: plan.thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...(system === undefined ? {} : { system }),
    messages: turns.map((turn) => writeTurn(turn, writing)),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...writeStop(request, target),
    ...writeSampling(request, target, rules, plan),
    ...(request.endUser === undefined ? {} : { metadata: { user_id: request.endUser } }),
    ...writeTier(request, target),
    ...(request.stream ? { stream: true } : {}),
  }
  limitCacheMarks(body)
  return { body, tools: { changed: names.changed, wrapped, firstCallOnly: false } }
}

/** Thoughts that this upstream did not sign are not shown to it, and signatures on anything else mean nothing to it. */
function readable(request: CanonicalRequest, { unseal }: Target): CanonicalRequest {
  const parts = (part: Part): Part[] => {
    if (part.type === 'redacted') {
      const data = unseal(part.data)
      return data === undefined ? [] : [{ type: 'redacted', data }]
    }
    if (part.type === 'reasoning') {
      const signature = part.signature === undefined ? undefined : unseal(part.signature)
      return signature === undefined ? [] : [{ ...part, signature }]
    }
    if (part.type !== 'text' || part.signature === undefined) return [part]
    const { signature: _, ...plain } = part
    return [plain]
  }
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.flatMap(parts) })) }
}

/** With thinking on, the vendor wants the turn whose calls are being answered to begin with its own thoughts. */
function hasUnsignedCall(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant')
  const firstCall = last?.parts.findIndex((part) => part.type === 'call') ?? -1
  if (last === undefined || firstCall < 0) return false
  return !last.parts.slice(0, firstCall).some((part) => part.type === 'reasoning' || part.type === 'redacted')
}

function formatInWords(format: OutputFormat): InstructionText[] {
  if (format.type === 'text') return []
  const bare = 'Answer with one JSON object and nothing else: no explanation, no code fence.'
  if (format.type === 'json') return [{ text: bare }]
  return [{ text: `${bare} It must fit this JSON schema:\n${JSON.stringify(format.schema)}` }]
}

function writeFormat(format: OutputFormat): Pick<NonNullable<WireRequest['output_config']>, 'format'> {
  if (format.type !== 'schema') return {}
  const { schema, description } = format
  const described = description === undefined || schema.description !== undefined ? schema : { ...schema, description }
  return { format: { type: 'json_schema', schema: narrowedSchema(described) } }
}

function writeSystem(instructions: readonly InstructionText[]): string | WireTextParam[] | undefined {
  const said = instructions.filter(({ text }) => text.trim() !== '')
  const first = said[0]
  if (first === undefined) return undefined
  if (said.length === 1 && first.cache === undefined) return first.text
  return said.map(({ text, cache }) => ({ type: 'text', text, ...cacheControl(cache) }))
}

function writeStop({ sampling }: CanonicalRequest, { warn }: Target): { stop_sequences?: string[] } {
  const given = sampling.stop ?? []
  // The vendor refuses those of nothing but spaces.
  const stop = given.filter((text) => text.trim() !== '')
  if (stop.length < given.length) warn('stop', 'dropped')
  return stop.length === 0 ? {} : { stop_sequences: stop }
}

/** Thinking leaves top_p only down to this. */
const LEAST_TOP_P = 0.95

function writeSampling(
  { sampling }: CanonicalRequest,
  { warn }: Target,
  rules: ModelRules,
  { isOn }: ThinkingPlan,
): WireSampling {
  const { temperature, topP, topK } = sampling
  const written: WireSampling = {}
  if (temperature !== undefined) {
    const isTaken = rules.sampling !== 'none' && !isOn
    if (isTaken) written.temperature = Math.min(1, temperature)
    if (isTaken && temperature > 1) warn('temperature', 'clipped')
    if (!isTaken && temperature !== 1) warn('temperature', 'dropped')
  }
  if (topP !== undefined) {
    const isAlone = rules.sampling === 'all' || (rules.sampling === 'one' && written.temperature === undefined)
    const isTaken = isAlone && (!isOn || topP >= LEAST_TOP_P)
    if (isTaken) written.top_p = topP
    else if (topP !== 1) warn('topP', 'dropped')
  }
  if (topK !== undefined) {
    if (rules.sampling === 'none' || isOn) warn('topK', 'dropped')
    else written.top_k = topK
  }
  return written
}

function writeTier({ tier }: CanonicalRequest, { warn }: Target): { service_tier?: 'auto' | 'standard_only' } {
  if (tier === undefined) return {}
  if (tier === 'auto') return { service_tier: 'auto' }
  if (tier === 'default') return { service_tier: 'standard_only' }
  warn('tier', 'dropped')
  return {}
}

function warnOfDropped({ sampling, verbosity, metadata, store, cacheKey }: CanonicalRequest, { warn }: Target): void {
  const dropped: [field: WarnedField, isThere: boolean][] = [
    ['presencePenalty', (sampling.presencePenalty ?? 0) !== 0],
    ['frequencyPenalty', (sampling.frequencyPenalty ?? 0) !== 0],
    ['seed', sampling.seed !== undefined],
    ['logprobs', sampling.logprobs !== undefined],
    ['logitBias', sampling.logitBias !== undefined],
    ['verbosity', verbosity !== undefined],
    ['metadata', metadata !== undefined && Object.keys(metadata).length > 0],
    // Nothing is stored at this upstream: that is what a caller who says `false` wants.
    ['store', store === true],
    ['cacheKey', cacheKey !== undefined],
  ]
  for (const [field, isThere] of dropped) if (isThere) warn(field, 'dropped')
}
