// A client's chat request in canonical terms. It also checks requests that pass through, so it rejects only what is wrong
// in the dialect itself: fields and words that it does not know are for the upstream to take or reject.

import {
  asObject,
  asString,
  isObject,
  type Json,
  put,
  readArray,
  readFlag,
  readInteger,
  readName,
  readNumber,
  readObject,
  readString,
  readStrings,
  wrong,
} from '../../../canonical/reading.ts'
import type {
  CanonicalRequest,
  Effort,
  OutputFormat,
  ReasoningWish,
  Sampling,
  ServiceTier,
} from '../../../canonical/request.ts'
import { decodeTools } from './decode-tools.ts'
import { decodeTurns } from './decode-turns.ts'
import { origin } from './origin.ts'

export const MAX_OUTPUT = 10_000_000
export const MAX_CHOICES = 128
const MAX_TOP_LOGPROBS = 20
/** The longest name of an end user or of a cache, in characters. */
export const LONGEST_ID = 1_024

export function decodeRequest(value: unknown): CanonicalRequest {
  const body = asObject(value, 'body')
  const model = readName(body, 'model')
  if (model === undefined) throw wrong('model', 'model is required: the id of a model as a string')
  if (model === '') throw wrong('model', 'model must not be empty')
  const messages = readArray(body, 'messages')
  if (messages === undefined) throw wrong('messages', 'messages is required: an array of messages')
  if (messages.length === 0) throw wrong('messages', 'messages must have at least one message')

  const untranslated: string[] = []
  const stream = readFlag(body, 'stream') ?? false
  const options = readObject(body, 'stream_options')
  const showUsage = options !== undefined && readFlag(options, 'include_usage', 'stream_options') === true
  const { instructions, turns } = decodeTurns(messages)
  const { tools, hosted, choice, legacy } = decodeTools(body)
  const endUser = readName(body, 'safety_identifier', '', LONGEST_ID) ?? readName(body, 'user', '', LONGEST_ID)
  const parallelCalls = readFlag(body, 'parallel_tool_calls')
  const format = decodeFormat(body, untranslated)
  const verbosity = readKnown(body, 'verbosity', VERBOSITIES, untranslated)
  const modalities = decodeModalities(body)
  const sampling = decodeSampling(body)

  const request: CanonicalRequest = {
    from: origin,
    model,
    stream,
    showUsage,
    instructions,
    turns,
    tools,
    hostedTools: hosted,
    format,
    modalities,
    sampling,
    reasoning: decodeReasoning(body, readKnown(body, 'reasoning_effort', EFFORTS, untranslated)),
    untranslated,
  }
  put(request, 'toolChoice', choice)
  put(request, 'parallelCalls', parallelCalls)
  put(request, 'verbosity', verbosity)
  put(request, 'cacheKey', readName(body, 'prompt_cache_key', '', LONGEST_ID))
  put(request, 'cacheRetention', readName(body, 'prompt_cache_retention'))
  put(request, 'cacheOptions', readObject(body, 'prompt_cache_options'))
  put(request, 'tier', readKnown(body, 'service_tier', TIERS, untranslated))
  put(request, 'endUser', endUser)
  put(request, 'metadata', decodeMetadata(body, untranslated))
  put(request, 'store', readFlag(body, 'store'))
  if (legacy) request.echo = { [LEGACY]: true }
  return request
}

/** A value that this gateway does not know is no error: the upstream decides. */
function readKnown<Word extends string>(
  body: Json,
  field: string,
  words: readonly Word[],
  untranslated: string[],
): Word | undefined {
  const text = readString(body, field)
  if (text === undefined) return undefined
  const known = words.find((candidate) => candidate === text)
  if (known === undefined) untranslated.push(field)
  return known
}

/** In the echo: the caller speaks of functions, not of tools, and must be answered so. */
export const LEGACY = 'legacy_functions'

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const TIERS: readonly ServiceTier[] = ['auto', 'default', 'flex', 'priority']
const VERBOSITIES = ['low', 'medium', 'high'] as const

function decodeSampling(body: Json): Sampling {
  const newCap = readInteger(body, 'max_completion_tokens', 1, MAX_OUTPUT)
  const oldCap = readInteger(body, 'max_tokens', 1, MAX_OUTPUT)
  const sampling: Sampling = {}
  put(sampling, 'temperature', readNumber(body, 'temperature', 0, 2))
  put(sampling, 'topP', readNumber(body, 'top_p', 0, 1))
  put(sampling, 'topK', readTopK(body))
  put(sampling, 'presencePenalty', readNumber(body, 'presence_penalty', -2, 2))
  put(sampling, 'frequencyPenalty', readNumber(body, 'frequency_penalty', -2, 2))
  // Wider than is exact in here: a passing request keeps its digits, and it is the service that judges them.
  put(sampling, 'seed', readInteger(body, 'seed', -(2 ** 64), 2 ** 64))
  put(sampling, 'choices', readInteger(body, 'n', 1, MAX_CHOICES))
  put(sampling, 'stop', decodeStop(body))
  put(sampling, 'maxOutput', newCap ?? oldCap)
  put(sampling, 'logprobs', decodeLogprobs(body))
  put(sampling, 'logitBias', decodeLogitBias(body))
  return sampling
}

/** Below 1 it means no limit, to the services that know it. */
function readTopK(body: Json): number | undefined {
  const topK = readNumber(body, 'top_k', -1, Number.MAX_SAFE_INTEGER)
  return topK === undefined || topK < 1 ? undefined : topK
}

function decodeStop(body: Json): string[] | undefined {
  const { stop } = body
  if (stop === undefined || stop === null) return undefined
  if (typeof stop === 'string') return [stop]
  if (!Array.isArray(stop)) throw wrong('stop', 'stop must be a string or an array of strings')
  return stop.length === 0 ? undefined : stop.map((text, index) => asString(text, `stop[${index}]`))
}

function decodeLogprobs(body: Json): { top?: number } | undefined {
  const top = readInteger(body, 'top_logprobs', 0, MAX_TOP_LOGPROBS)
  // Some services take the number here.
  const wanted = typeof body.logprobs === 'number' ? true : readFlag(body, 'logprobs')
  if (wanted !== true) return undefined
  return top === undefined ? {} : { top }
}

function decodeLogitBias(body: Json): Record<string, number> | undefined {
  const biases = readObject(body, 'logit_bias')
  if (biases === undefined) return undefined
  return Object.fromEntries(
    Object.keys(biases).map((token) => [token, readNumber(biases, token, -100, 100, 'logit_bias') ?? 0]),
  )
}

function decodeModalities(body: Json): ('image' | 'audio' | 'video')[] {
  const words = readStrings(body, 'modalities')
  return words === undefined ? [] : (['image', 'audio', 'video'] as const).filter((kind) => words.includes(kind))
}

function decodeFormat(body: Json, untranslated: string[]): OutputFormat {
  const format = readObject(body, 'response_format')
  if (format === undefined) return { type: 'text' }
  const type = readString(format, 'type', 'response_format')
  if (type === undefined) throw wrong('response_format.type', 'response_format.type is required: a string')
  if (type === 'json_object') return { type: 'json' }
  if (type === 'json_schema') return decodeSchema(format)
  if (type !== 'text') untranslated.push('response_format')
  return { type: 'text' }
}

function decodeSchema(format: Json): OutputFormat {
  const at = 'response_format.json_schema'
  const described = readObject(format, 'json_schema', 'response_format')
  if (described === undefined) throw wrong(at, `${at} is required: an object with a name and a schema`)
  const schema: Extract<OutputFormat, { type: 'schema' }> = {
    type: 'schema',
    schema: readObject(described, 'schema', at) ?? {},
  }
  put(schema, 'name', readName(described, 'name', at))
  put(schema, 'description', readString(described, 'description', at))
  put(schema, 'strict', readFlag(described, 'strict', at))
  return schema
}

/** The vendor's one word, and what services that took the dialect over added to it. */
function decodeReasoning(body: Json, effort: Effort | undefined): ReasoningWish {
  const wish: ReasoningWish = {}
  put(wish, 'effort', effort)
  if (effort === 'none') wish.mode = 'off'
  if (typeof body.include_reasoning === 'boolean') wish.show = body.include_reasoning ? 'summary' : 'none'
  if (body.thinking === undefined && body.reasoning === undefined) return wish
  const thinking = isObject(body.thinking) ? body.thinking : {}
  const reasoning = isObject(body.reasoning) ? body.reasoning : {}
  const budget = [thinking.budget_tokens, reasoning.max_tokens].find((tokens) => Number.isSafeInteger(tokens))
  const wished = effort ?? EFFORTS.find((candidate) => candidate === reasoning.effort)
  put(wish, 'effort', wished)
  const isOff = thinking.type === 'disabled' || reasoning.enabled === false || wished === 'none'
  const isOn = thinking.type === 'enabled' || reasoning.enabled === true
  const isLeftOpen = thinking.type === 'auto' || thinking.type === 'adaptive'
  put(wish, 'mode', isOff ? 'off' : isOn ? 'on' : isLeftOpen ? 'auto' : undefined)
  if (typeof budget === 'number' && budget > 0) wish.budget = budget
  // Services with these switches show the reasoning that they switch on.
  const isShown = isOn || reasoning.exclude === false || (reasoning.summary ?? 'none') !== 'none'
  if (isShown && !isOff) wish.show ??= 'summary'
  if (reasoning.exclude === true) wish.show = 'none'
  return wish
}

function decodeMetadata(body: Json, untranslated: string[]): Record<string, string> | undefined {
  const metadata = readObject(body, 'metadata')
  if (metadata === undefined) return undefined
  const entries = Object.entries(metadata)
  const isPlain = entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
  if (isPlain) return Object.fromEntries(entries as [string, string][])
  untranslated.push('metadata')
  return undefined
}
