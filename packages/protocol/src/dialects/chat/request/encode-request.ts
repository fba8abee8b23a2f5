// A request from any dialect, written for a chat upstream. The order of the fields never changes: prompt caches and
// recorded bodies depend on it.

import { effortOf } from '../../../canonical/encoding/effort.ts'
import { askedFormat } from '../../../canonical/encoding/object-format.ts'
import { strictSchema } from '../../../canonical/encoding/strict-schema.ts'
import { type NameRule, toolNames } from '../../../canonical/encoding/tool-names.ts'
import { rejectOtherOutput, warnOfCacheMarks } from '../../../canonical/encoding/unsupported-fields.ts'
import { put, RequestError } from '../../../canonical/reading.ts'
import type { CanonicalRequest, Effort, OutputFormat, ReasoningWish, Sampling } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { ChatService } from '../../chat-service.ts'
import type { EncodedRequest, Target } from '../../text-dialect.ts'
import type { WrittenFormat, WrittenMessage } from '../wire.ts'
import { addTools, wrappedTools } from './encode-tools.ts'
import { encodeTurns } from './encode-turns.ts'
import { serviceOf } from './services.ts'

const NAME_RULE: NameRule = { allowed: /[A-Za-z0-9_-]/, whole: /^[A-Za-z0-9_-]+$/, longest: 64 }
const MAX_STOPS = 4

export function encodeRequest(request: CanonicalRequest, target: Target): EncodedRequest {
  const { warn } = target
  rejectOtherOutput(request)
  const names = toolNames(request, NAME_RULE)
  const service = serviceOf(target.baseModel ?? target.model, target.service)
  const messages = encodeTurns(request, { target, names, service })
  if (messages.length === 0)
    throw new RequestError('bad_request', undefined, 'There is no text to answer in this request.')
  if (messages.at(-1)?.role === 'assistant') warn('turns', 'changed')
  const body: Record<string, unknown> = {
    model: target.model,
    messages: withJsonAskedFor(messages, request.format, service),
  }
  if (request.stream) {
    body.stream = true
    if (service.streamUsage === 'on-request') body.stream_options = { include_usage: true }
  }
  addSampling(body, request.sampling, service, warn)
  addTools(body, request, { names, service, warn, searches: target.searches === true })
  const { format, ...undo } = askedFormat(request)
  put(body, 'response_format', encodeFormat({ ...request, format }, warn))
  addReasoning(body, request.reasoning, service, warn)
  put(body, 'verbosity', request.verbosity)
  put(body, 'service_tier', request.tier)
  if (service.endUser !== 'none') put(body, service.endUser, request.endUser)
  else if (request.endUser !== undefined) warn('endUser', 'dropped')
  put(body, 'metadata', request.metadata)
  put(body, 'store', request.store)
  put(body, 'prompt_cache_key', request.cacheKey)
  put(body, 'prompt_cache_retention', request.cacheRetention)
  put(body, 'prompt_cache_options', request.cacheOptions)
  warnOfCacheMarks(request, warn)
  const wrapped = wrappedTools(request, service)
  return { body, tools: { changed: names.changed, wrapped, firstCallOnly: false, ...undo } }
}

function addSampling(body: Record<string, unknown>, wished: Sampling, service: ChatService, warn: Warn): void {
  const sampling = service.rejects === undefined ? wished : withoutRejected(wished, service.rejects, warn)
  const { stop, logprobs, choices } = sampling
  if (sampling.topK !== undefined) warn('topK', 'dropped')
  if (stop !== undefined && stop.length > MAX_STOPS) warn('stop', 'clipped')
  put(body, service.cap, sampling.maxOutput)
  put(body, 'temperature', sampling.temperature)
  put(body, 'top_p', sampling.topP)
  if (choices !== 1) put(body, 'n', choices)
  if (stop !== undefined && stop.length > 0) body.stop = stop.slice(0, MAX_STOPS)
  put(body, 'presence_penalty', sampling.presencePenalty)
  put(body, 'frequency_penalty', sampling.frequencyPenalty)
  put(body, service.seed, sampling.seed)
  put(body, 'logit_bias', sampling.logitBias)
  if (logprobs === undefined) return
  body.logprobs = true
  put(body, 'top_logprobs', logprobs.top)
}

function withoutRejected(wished: Sampling, rejects: NonNullable<ChatService['rejects']>, warn: Warn): Sampling {
  const sampling = { ...wished }
  for (const field of rejects) {
    if (sampling[field] !== undefined) warn(field, 'dropped')
    delete sampling[field]
  }
  return sampling
}

/** The three words of services that have no more, as DeepSeek reads the others. */
const LOW_HIGH_MAX: Record<Exclude<Effort, 'none'>, string> = {
  minimal: 'low',
  low: 'low',
  medium: 'high',
  high: 'high',
  xhigh: 'high',
  max: 'max',
}

function addReasoning(body: Record<string, unknown>, wish: ReasoningWish, service: ChatService, warn: Warn): void {
  const effort = effortOf(wish)
  if (wish.wantsSummary) warn('reasoningSummary', 'dropped')
  if (service.effort === 'reasoning_effort') put(body, 'reasoning_effort', effort)
  else if (service.effort === 'low-high-max') put(body, 'reasoning_effort', lowHighMax(effort, warn))
  else if (service.effort === 'reasoning') put(body, 'reasoning', effort && { effort })
  else Object.assign(body, encodeSwitch(wish, effort, service, warn))
}

/** Where thinking cannot be switched off, the least is the nearest. */
function lowHighMax(effort: Effort | undefined, warn: Warn): string | undefined {
  if (effort === 'none') warn('reasoning', 'changed')
  // Kimi, the only one, reads this word otherwise than DeepSeek.
  if (effort === 'xhigh') return 'max'
  return effort === undefined ? undefined : LOW_HIGH_MAX[effort === 'none' ? 'low' : effort]
}

function encodeSwitch(
  wish: ReasoningWish,
  effort: Effort | undefined,
  service: ChatService,
  warn: Warn,
): Record<string, unknown> {
  const isOn = effort === undefined ? wish.mode === 'on' : effort !== 'none'
  if (service.effort === 'enable_thinking') return encodeThinkingFlag(isOn, effort, warn)
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  const thinking = isOn ? { thinking: { type: 'enabled' } } : {}
  if (effort === undefined) return thinking
  if (service.effort === 'switch-and-effort') return { ...thinking, reasoning_effort: LOW_HIGH_MAX[effort] }
  warn('reasoning', 'changed')
  return thinking
}

function encodeThinkingFlag(isOn: boolean, effort: Effort | undefined, warn: Warn): Record<string, unknown> {
  if (effort !== undefined && effort !== 'none') warn('reasoning', 'changed')
  return isOn || effort === 'none' ? { enable_thinking: isOn } : {}
}

function encodeFormat({ format, from }: CanonicalRequest, warn: Warn): WrittenFormat | undefined {
  if (format.type === 'text') return undefined
  if (format.type === 'json') return { type: 'json_object' }
  const { name, description, schema, strict } = format
  // Dialects without the switch promise output that fits; strict mode promises it here, for schemas that allow it.
  const { hasStrictSwitch } = from
  const closed = hasStrictSwitch ? undefined : strictSchema(schema)
  const isStrict = hasStrictSwitch ? strict : closed !== undefined
  if (!hasStrictSwitch && !isStrict) warn('format', 'changed')
  return {
    type: 'json_schema',
    json_schema: {
      name: schemaName(name),
      ...(description === undefined ? {} : { description }),
      schema: { ...(closed ?? schema) },
      ...(isStrict === undefined ? {} : { strict: isStrict }),
    },
  }
}

const schemaName = (name: string | undefined): string =>
  name === undefined || name === '' ? 'output' : name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)

/** JSON without a schema is rejected where the word does not appear in the conversation. */
function withJsonAskedFor(messages: WrittenMessage[], format: OutputFormat, service: ChatService): WrittenMessage[] {
  if (format.type !== 'json' || messages.some(mentionsJson)) return messages
  const [first, ...others] = messages
  if (first?.role !== 'system' && first?.role !== 'developer') {
    return [{ role: service.instructions, content: ASK_FOR_JSON }, ...messages]
  }
  // One message of instructions, not two: some services take only one.
  const content =
    typeof first.content === 'string'
      ? `${first.content}\n\n${ASK_FOR_JSON}`
      : [...first.content, { type: 'text' as const, text: ASK_FOR_JSON }]
  return [{ role: first.role, content }, ...others]
}

const ASK_FOR_JSON = 'Answer with a JSON object.'

function mentionsJson({ content }: WrittenMessage): boolean {
  const texts =
    typeof content === 'string' ? [content] : (content ?? []).map((part) => ('text' in part ? part.text : ''))
  return texts.some((text) => /json/i.test(text))
}
