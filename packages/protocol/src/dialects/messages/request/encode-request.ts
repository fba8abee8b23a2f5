// A request of any caller, written for an upstream of this dialect.

import { formatInstructions } from '../../../canonical/encoding/format-instructions.ts'
import { alternatingTurns } from '../../../canonical/encoding/turns.ts'
import {
  rejectOtherOutput,
  rejectSeveralChoices,
  warnOfUnsigned,
} from '../../../canonical/encoding/unsupported-fields.ts'
import { put } from '../../../canonical/reading.ts'
import type { CanonicalRequest, InstructionText, OutputFormat, Part, Turn } from '../../../canonical/request.ts'
import type { EncodedRequest, Target } from '../../text-dialect.ts'
import type { WireOutputConfig, WireRequest, WireSampling, WireTextParam } from '../wire.ts'
import { limitCacheMarks } from './cache-marks.ts'
import { planReasoning, type ReasoningPlan } from './encode-reasoning.ts'
import { narrowedSchema } from './encode-schema.ts'
import { encodeTools } from './encode-tools.ts'
import { cacheControl, type EncodingContext, encodeTurn } from './encode-turns.ts'
import { type ModelRules, rulesOf } from './model-rules.ts'
import { origin } from './origin.ts'

export function encodeRequest(request: CanonicalRequest, target: Target): EncodedRequest {
  rejectOtherOutput(request)
  rejectSeveralChoices(request)
  const { warn } = target
  const rules = rulesOf(target.baseModel ?? target.model)
  const { names, tools, choice, isForced, wrapped } = encodeTools(request, rules, target)
  const { instructions, turns } = alternatingTurns(readable(request, target), warn, rules.midSystem)
  const plan = planReasoning(request, target, rules, { forcedTool: isForced, unsignedCall: hasUnsignedCall(turns) })
  const asksForSchema = request.format.type === 'schema' && rules.schemas
  const inWords = asksForSchema ? undefined : formatInstructions(request.format, 'alone')
  const system = writeSystem(inWords === undefined ? instructions : [...instructions, { text: inWords }])
  if (inWords !== undefined) warn('format', 'changed')
  const writing: EncodingContext = { names, warn, ownFiles: request.from === origin }
  warnOfDropped(request, target)
  // The order of the fields never changes.
  const body: Partial<WireRequest & WireSampling> = { model: target.model, max_tokens: plan.maxTokens }
  put(body, 'thinking', plan.thinking)
  put(body, 'output_config', writeOutput(plan, asksForSchema ? request.format : undefined))
  put(body, 'system', system)
  const messages = turns.map((turn) => encodeTurn(turn, writing))
  body.messages = messages
  if (tools.length > 0) body.tools = tools
  put(body, 'tool_choice', choice)
  put(body, 'stop_sequences', writeStop(request, target))
  addSampling(body, request, target, rules, plan)
  if (request.endUser !== undefined) body.metadata = { user_id: request.endUser }
  put(body, 'service_tier', writeTier(request, target))
  if (request.stream) body.stream = true
  limitCacheMarks({ tools, system, messages })
  return { body, tools: { changed: names.changed, wrapped, firstCallOnly: false } }
}

/** Reasoning that this upstream did not sign are not shown to it, and signatures on anything else mean nothing to it. */
function readable(request: CanonicalRequest, { unseal, warn }: Target): CanonicalRequest {
  if (!request.turns.some((turn) => turn.parts.some(isSigned))) return request
  for (const turn of request.turns) warnOfUnsigned(turn.parts, warn)
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

const isSigned = (part: Part): boolean =>
  part.type === 'redacted' || part.type === 'reasoning' || (part.type === 'text' && part.signature !== undefined)

/** With thinking on, the vendor wants the turn whose calls are being answered to begin with its own reasoning. */
function hasUnsignedCall(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.role === 'assistant')
  const firstCall = last?.parts.findIndex((part) => part.type === 'call') ?? -1
  if (last === undefined || firstCall < 0) return false
  return !last.parts.slice(0, firstCall).some((part) => part.type === 'reasoning' || part.type === 'redacted')
}

function writeOutput({ effort }: ReasoningPlan, format: OutputFormat | undefined): WireOutputConfig | undefined {
  if (effort === undefined && format?.type !== 'schema') return undefined
  const output: WireOutputConfig = {}
  put(output, 'effort', effort)
  if (format?.type !== 'schema') return output
  const { schema, description } = format
  const described = description === undefined || schema.description !== undefined ? schema : { ...schema, description }
  output.format = { type: 'json_schema', schema: narrowedSchema(described) }
  return output
}

function writeSystem(instructions: readonly InstructionText[]): string | WireTextParam[] | undefined {
  const said = instructions.filter(({ text }) => text.trim() !== '')
  const first = said[0]
  if (first === undefined) return undefined
  if (said.length === 1 && first.cache === undefined) return first.text
  return said.map(({ text, cache }) => ({ type: 'text', text, ...cacheControl(cache) }))
}

function writeStop({ sampling }: CanonicalRequest, { warn }: Target): string[] | undefined {
  const given = sampling.stop
  if (given === undefined) return undefined
  // The vendor rejects those that consist of whitespace.
  const stop = given.filter((text) => text.trim() !== '')
  if (stop.length < given.length) warn('stop', 'dropped')
  return stop.length === 0 ? undefined : stop
}

/** Thinking leaves top_p only down to this. */
const LEAST_TOP_P = 0.95

function addSampling(
  written: WireSampling,
  { sampling }: CanonicalRequest,
  { warn }: Target,
  rules: ModelRules,
  { isOn }: ReasoningPlan,
): void {
  const { temperature, topP, topK } = sampling
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
}

function writeTier({ tier }: CanonicalRequest, { warn }: Target): WireRequest['service_tier'] {
  if (tier === undefined || tier === 'auto') return tier
  if (tier === 'default') return 'standard_only'
  warn('tier', 'dropped')
  return undefined
}

function warnOfDropped(
  { sampling, verbosity, metadata, store, cacheKey, cacheRetention, cacheOptions }: CanonicalRequest,
  { warn }: Target,
): void {
  if ((sampling.presencePenalty ?? 0) !== 0) warn('presencePenalty', 'dropped')
  if ((sampling.frequencyPenalty ?? 0) !== 0) warn('frequencyPenalty', 'dropped')
  if (sampling.seed !== undefined) warn('seed', 'dropped')
  if (sampling.logprobs !== undefined) warn('logprobs', 'dropped')
  if (sampling.logitBias !== undefined) warn('logitBias', 'dropped')
  if (verbosity !== undefined) warn('verbosity', 'dropped')
  if (metadata !== undefined && Object.keys(metadata).length > 0) warn('metadata', 'dropped')
  // This upstream stores nothing, which is what `false` asks for.
  if (store === true) warn('store', 'dropped')
  if (cacheKey !== undefined) warn('cacheKey', 'dropped')
  if (cacheRetention !== undefined) warn('cacheRetention', 'dropped')
  if (cacheOptions !== undefined) warn('cacheOptions', 'dropped')
}
