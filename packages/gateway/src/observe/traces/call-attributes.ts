// What the span of a call to an upstream says of it: by OpenTelemetry's conventions for generative AI, and by the names that tools
// need beside them to show a complete generation with its cost.

import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import type { Attribution } from '../../money/budgets/attribution.ts'
import type { Generation, RequestRecord, Tokens, UpstreamAttempt } from '../request-record.ts'
import { safeText } from '../safe-text.ts'
import { CALL_NAMES, modalityOf, operationOf, providerOf, type ToolKind } from './names.ts'
import type { FixedPart } from './request-attributes.ts'
import {
  BARE_END,
  double,
  flat,
  integer,
  joined,
  list,
  plain,
  prefixes,
  prefixesTo,
  QUOTED_END,
  rareText,
  text,
  truth,
} from './values.ts'

const CALL = prefixes(CALL_NAMES)
const TEXT = prefixesTo(CALL_NAMES, 'stringValue')
const INTEGER = prefixesTo(CALL_NAMES, 'intValue')
const DOUBLE = prefixesTo(CALL_NAMES, 'doubleValue')

type CallPart = FixedPart & { settings: SettingsPart | undefined }

/** What all calls of one model at one upstream have in common. */
const fixedParts = new WeakMap<UpstreamAttempt['upstream'], Map<string, CallPart>>()
/** Callers can vary the names of embedded models. */
const MOST_PARTS = 1_000

export function fixedPart(attempt: UpstreamAttempt, route: RequestRecord['route']): CallPart {
  const { upstream, model, dialect, operation: given } = attempt
  const modality = modalityOf(route)
  const parts = fixedParts.get(upstream) ?? new Map<string, CallPart>()
  const id = `${dialect} ${given ?? modality} ${model}`
  const known = parts.get(id)
  if (known) return known
  const { operation: usual, outputType, kind } = operationOf(dialect, modality)
  const operation = given ?? usual
  const shown = safeText(model)
  const { hostname, port, protocol } = new URL(upstream.baseUrl)
  const attributes = [
    text(CALL.operation, operation),
    text(CALL.provider, providerOf(upstream.kind)),
    text(CALL.model, shown),
    text(CALL.upstream, upstream.id),
    text(CALL.server, hostname),
    integer(CALL.port, Number(port) || (protocol === 'http:' ? 80 : 443)),
    ...(given || !kind ? [] : ofKind(kind, shown)),
    ...(outputType === undefined || given ? [] : [text(CALL.outputType, outputType)]),
  ]
  const part = {
    name: flat(jsonText(`${operation} ${shown}`)),
    attributes: flat(joined(attributes)),
    settings: undefined,
  }
  if (parts.size >= MOST_PARTS) parts.clear()
  fixedParts.set(upstream, parts.set(id, part))
  return part
}

const ofKind = (kind: ToolKind, model: string): string[] => [
  plain(CALL.langfuseType, kind.langfuse),
  text(CALL.langfuseModel, model),
  plain(CALL.openInferenceKind, kind.openInference),
  text(CALL[kind.model], model),
]

/** Each after a comma. `cost`: of the request, in USD. `offset`: from the times of a record to those of a span. */
export function callAttributes(
  attempt: UpstreamAttempt,
  part: CallPart,
  record: RequestRecord,
  cost: string | undefined,
  offset: number,
): string {
  const { status, requestId, error } = attempt
  const { tokens, generation, attribution } = record
  let all = ''
  if (requestId !== undefined) all += rareText(CALL.upstreamRequestId, requestId)
  if (error !== undefined) all += plain(CALL.errorType, error)
  if (attribution !== undefined) all += attributed(attribution)
  // The tokens and the cost of a request are those of the call that answered it.
  const hasAnswered = error === undefined && attempt === record.attempts.at(-1)
  if (generation) all += settingsPart(generation, part, status, hasAnswered)
  else if (status !== undefined) all += integer(CALL.status, status)
  if (!hasAnswered) return all
  if (generation?.responseId !== undefined) all += rareText(CALL.responseId, generation.responseId)
  if (generation?.stream) all += firstOutput(attempt, record, offset)
  if (tokens) all += usage(tokens)
  return cost === undefined ? all : `${all}${COST[0]}${cost}${COST[1]}${cost}${COST[2]}${cost}${COST[3]}`
}

const COST = [
  DOUBLE.cost,
  BARE_END + DOUBLE.openInferenceCost,
  `${BARE_END}${TEXT.langfuseCost}{\\"total\\":`,
  '}"}}',
].map(flat)

function attributed({ endUser, session }: Attribution): string {
  const user = endUser === '' ? '' : rareText(CALL.endUser, endUser)
  return session === '' ? user : user + rareText(CALL.session, session) + rareText(CALL.conversation, session)
}

/** What the last generation of a model was requested with, and how it ended: the next one is mostly alike. */
type SettingsPart = Omit<Generation, 'responseId'> & {
  status: number | undefined
  hasAnswered: boolean
  attributes: string
}

function settingsPart(
  generation: Generation,
  part: CallPart,
  status: number | undefined,
  hasAnswered: boolean,
): string {
  const { stream, maxTokens, temperature, previousResponse, responseModel, finish } = generation
  const last = part.settings
  if (
    last &&
    last.stream === stream &&
    last.maxTokens === maxTokens &&
    last.temperature === temperature &&
    last.previousResponse === previousResponse &&
    last.responseModel === responseModel &&
    last.finish === finish &&
    last.status === status &&
    last.hasAnswered === hasAnswered
  )
    return last.attributes
  const pieces = [
    status === undefined ? '' : integer(CALL.status, status),
    truth(CALL.stream, stream),
    maxTokens === undefined ? '' : integer(CALL.maxTokens, maxTokens),
    temperature === undefined ? '' : double(CALL.temperature, temperature),
    previousResponse === undefined ? '' : rareText(CALL.previousResponse, safeText(previousResponse)),
    hasAnswered && responseModel !== undefined ? text(CALL.responseModel, responseModel) : '',
    hasAnswered && finish !== undefined ? list(CALL.finishReasons, [safeText(finish)]) : '',
  ]
  const attributes = flat(pieces.join(''))
  const settings = { stream, maxTokens, temperature, previousResponse, responseModel, finish }
  part.settings = { ...settings, status, hasAnswered, attributes }
  return attributes
}

/** Only of a stream: all of another answer is there at once. */
function firstOutput({ startedAt }: UpstreamAttempt, record: RequestRecord, offset: number): string {
  if (record.firstTokenMs === undefined) return ''
  const at = record.startedAt + record.firstTokenMs
  const seconds = Math.max(0, Math.round(at - startedAt) / 1_000)
  const time = new Date(at + offset).toISOString()
  // Langfuse reads it as JSON.
  return `${DOUBLE.firstChunk}${seconds}${BARE_END}${TEXT.langfuseFirstToken}\\"${time}\\"${QUOTED_END}`
}

const USAGE = [
  INTEGER.inputTokens,
  QUOTED_END + INTEGER.openInferenceInput,
  QUOTED_END + INTEGER.outputTokens,
  QUOTED_END + INTEGER.openInferenceOutput,
  QUOTED_END + INTEGER.openInferenceTotal,
  `${QUOTED_END}${TEXT.langfuseUsage}{\\"total\\":`,
].map(flat)

/** In Langfuse's classes no token is counted twice. */
function usage({ input, cached, cacheWrite = 0, output, reasoning = 0 }: Tokens): string {
  const total = input + output
  let all = `${USAGE[0]}${input}${USAGE[1]}${input}${USAGE[2]}${output}${USAGE[3]}${output}${USAGE[4]}${total}${USAGE[5]}${total},\\"input\\":${input - cached - cacheWrite},\\"output\\":${output - reasoning}`
  if (cached > 0) all = `${all},\\"input_cached_tokens\\":${cached}`
  if (cacheWrite > 0) all = `${all},\\"input_cache_creation\\":${cacheWrite}`
  if (reasoning > 0) all = `${all},\\"output_reasoning_tokens\\":${reasoning}`
  all += `}${QUOTED_END}`
  if (cached > 0)
    all = `${all}${INTEGER.cacheRead}${cached}${QUOTED_END}${INTEGER.openInferenceCached}${cached}${QUOTED_END}`
  if (cacheWrite > 0) all += integer(CALL.cacheWrite, cacheWrite) + integer(CALL.cacheCreation, cacheWrite)
  if (reasoning > 0) all += integer(CALL.reasoning, reasoning)
  return all
}
