// A client's request -> canonical. It also judges requests that pass through to an upstream of the same dialect, so it
// rejects only what the vendor would reject too: words and fields that it does not know are left to the upstream.

import { checkChoice } from '../../../canonical/encoding/offered-tools.ts'
import { readMaxUses } from '../../../canonical/encoding/web-search.ts'
import {
  isObject,
  type Json,
  put,
  RequestError,
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
import type { PathParameters } from '../../dialect.ts'
import { type Change, decodeToolChoice, decodeTools } from './decode-tools.ts'
import { decodeInput } from './decode-turns.ts'
import { echoOf } from './echo.ts'
import { origin } from './origin.ts'

const MAX_OUTPUT = 10_000_000
const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const VERBOSITIES = ['low', 'medium', 'high'] as const
const TIERS: readonly ServiceTier[] = ['auto', 'default', 'flex', 'priority']

export function decodeRequest(body: unknown, _addressed: PathParameters | undefined): CanonicalRequest {
  if (!isObject(body)) throw new RequestError('bad_request', undefined, 'The body must be a JSON object')
  const model = readName(body, 'model')
  if (model === undefined || model === '') throw wrong('model', 'model is required: the id of a model as a string')
  const untranslated: string[] = []
  const include = readStrings(body, 'include') ?? NONE
  checkInput(body)
  const { instructions, turns, changes } = decodeInput(body.input, readString(body, 'instructions'))
  const { tools, hostedTools } = decodeTools(body.tools, changes)
  const settings = changes.length === 0 ? body : withUpdates(body, changes)
  const search = hostedTools.find((tool) => tool.search !== undefined)?.search
  const isUnknown = (word: string): boolean => !INCLUDED.has(word) && !(word === SOURCES && search !== undefined)
  if (include.some(isUnknown)) untranslated.push('include')
  // The most calls of all hosted tools together, of which no other dialect can express any but searches.
  if (search !== undefined) put(search, 'maxUses', readMaxUses(body.max_tool_calls))
  else if (isGiven(body.max_tool_calls)) untranslated.push('max_tool_calls')
  const toolChoice = decodeToolChoice(body.tool_choice)
  // A template may bring tools of its own.
  if (!isGiven(body.prompt)) checkChoice(toolChoice, { tools, hostedTools }, 'tool_choice')
  const parallelCalls = readFlag(body, 'parallel_tool_calls')
  const text = readObject(settings, 'text') ?? {}
  const verbosity = knownWord(text, 'verbosity', VERBOSITIES, 'text', untranslated)
  const tier = knownWord(body, 'service_tier', TIERS, '', untranslated)
  const cacheKey = readName(body, 'prompt_cache_key', '', 1_024)
  const user = readName(body, 'user', '', 1_024)
  const endUser = readName(body, 'safety_identifier', '', 1_024) ?? user
  const metadata = readMetadata(body)
  const store = readFlag(body, 'store')
  if (readString(body, 'truncation') === 'auto') untranslated.push('truncation')
  // Checked here, and done by the gateway.
  readFlag(body, 'background')
  const request: CanonicalRequest = {
    from: origin,
    model,
    stream: readFlag(body, 'stream') ?? false,
    showUsage: true,
    instructions,
    turns,
    tools,
    hostedTools,
    format: readFormat(text, untranslated),
    modalities: [],
    sampling: readSampling(body, include),
    reasoning: readReasoningWish(settings, include, untranslated),
    untranslated,
    echo: echoOf(body),
  }
  put(request, 'toolChoice', toolChoice)
  put(request, 'parallelCalls', parallelCalls)
  put(request, 'verbosity', verbosity)
  put(request, 'cacheKey', cacheKey)
  put(request, 'cacheRetention', readString(body, 'prompt_cache_retention'))
  put(request, 'cacheOptions', readObject(body, 'prompt_cache_options'))
  put(request, 'tier', tier)
  put(request, 'endUser', endUser)
  put(request, 'metadata', metadata)
  put(request, 'store', store)
  return request
}

/** The settings that are in force at the end of the conversation: of two updates of one setting the last. */
function withUpdates(body: Json, changes: readonly Change[]): Json {
  const settings: Record<string, unknown> = { ...body }
  for (const { item, at } of changes)
    for (const field of item.type === 'configuration_update' ? ['reasoning', 'text'] : [])
      settings[field] = { ...readObject(settings, field), ...readObject(item, field, at) }
  return settings
}

const NONE: readonly string[] = []
const ENCRYPTED_REASONING = 'reasoning.encrypted_content'
const INCLUDED: ReadonlySet<string> = new Set([ENCRYPTED_REASONING, 'message.output_text.logprobs'])
/** The pages that a search found: always told. */
const SOURCES = 'web_search_call.action.sources'

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const STAND_INS = ['prompt', 'previous_response_id', 'conversation']

/** Input may be missing only where something else stands in for it. */
function checkInput(body: Json): void {
  const { input } = body
  const isEmpty = Array.isArray(input) && input.length === 0
  if (typeof input === 'string' || (Array.isArray(input) && !isEmpty)) return
  if (isGiven(input) && !isEmpty) throw wrong('input', 'input must be a string or an array of items')
  const others = isEmpty ? ['instructions', ...STAND_INS] : STAND_INS
  const standsIn = others.some((field) => isGiven(body[field]))
  if (!standsIn) throw wrong('input', 'input is required: a string or an array with at least one item')
}

/** A value that the vendor may have added since is no error; it only cannot be translated. */
function knownWord<Word extends string>(
  from: Json,
  name: string,
  words: readonly Word[],
  at: string,
  untranslated: string[],
): Word | undefined {
  const text = readString(from, name, at)
  if (text === undefined) return undefined
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) untranslated.push(at === '' ? name : `${at}.${name}`)
  return word
}

function readSampling(body: Json, include: readonly string[]): Sampling {
  const sampling: Sampling = {}
  put(sampling, 'temperature', readNumber(body, 'temperature', 0, 2))
  put(sampling, 'topP', readNumber(body, 'top_p', 0, 1))
  put(sampling, 'maxOutput', readInteger(body, 'max_output_tokens', 1, MAX_OUTPUT))
  const top = readInteger(body, 'top_logprobs', 0, 20)
  const wantsLogprobs = include.includes('message.output_text.logprobs') || (top ?? 0) > 0
  if (wantsLogprobs) sampling.logprobs = top === undefined ? {} : { top }
  return sampling
}

function readReasoningWish(body: Json, include: readonly string[], untranslated: string[]): ReasoningWish {
  const wish: ReasoningWish = include.includes(ENCRYPTED_REASONING) ? { wantsEncrypted: true } : {}
  const reasoning = readObject(body, 'reasoning')
  if (reasoning === undefined) return wish
  put(wish, 'effort', knownWord(reasoning, 'effort', EFFORTS, 'reasoning', untranslated))
  const summary =
    readString(reasoning, 'summary', 'reasoning') ?? readString(reasoning, 'generate_summary', 'reasoning')
  if (summary !== undefined) wish.show = summary === 'none' ? 'none' : 'summary'
  return wish
}

function readFormat(text: Json, untranslated: string[]): OutputFormat {
  const format = readObject(text, 'format', 'text')
  if (format === undefined) return { type: 'text' }
  const at = 'text.format'
  switch (readString(format, 'type', at)) {
    case 'text':
      return { type: 'text' }
    case 'json_object':
      return { type: 'json' }
    case 'json_schema': {
      if (!isObject(format.schema)) throw wrong(`${at}.schema`, `${at}.schema must be an object: a JSON schema`)
      const name = readString(format, 'name', at)
      const description = readString(format, 'description', at)
      const strict = readFlag(format, 'strict', at)
      return {
        type: 'schema',
        schema: format.schema,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(strict === undefined ? {} : { strict }),
      }
    }
    case undefined:
      throw wrong(`${at}.type`, `${at}.type is required: text, json_object or json_schema`)
    default:
      untranslated.push(at)
      return { type: 'text' }
  }
}

function readMetadata(body: Json): Record<string, string> | undefined {
  const metadata = readObject(body, 'metadata')
  if (metadata === undefined) return undefined
  const pairs = Object.entries(metadata).map(([key, value]) => {
    if (typeof value !== 'string') throw wrong(`metadata.${key}`, `metadata.${key} must be a string`)
    return [key, value] as const
  })
  return Object.fromEntries(pairs)
}
