// A client's request, checked and in canonical terms. It also checks requests that pass through to an upstream of this
// dialect: nothing that the vendor takes may be rejected here.

import {
  asArray,
  asObject,
  below,
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
  CacheMark,
  CanonicalRequest,
  Effort,
  OutputFormat,
  Part,
  ReasoningWish,
  Sampling,
  ServiceTier,
  Turn,
} from '../../../canonical/request.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { cacheOf, decodeContent, decodeTextBlocks, required } from './decode-turns.ts'
import { origin } from './origin.ts'
import { withToolChanges } from './tool-changes.ts'

const MOST_OUTPUT = 10_000_000

export function decodeRequest(body: unknown): CanonicalRequest {
  if (!isObject(body)) throw new RequestError('bad_request', undefined, 'The body must be a JSON object.')
  const model = required(readName(body, 'model'), 'model', 'the id of a model as a string')
  if (model === '') throw wrong('model', 'model must not be empty')
  // Zero only warms the vendor's prompt cache.
  const maxOutput = required(readInteger(body, 'max_tokens', 0, MOST_OUTPUT), 'max_tokens', 'a whole number')
  const untranslated: string[] = []
  const tools = decodeTools(body)
  untranslated.push(...tools.untranslated)
  const cache = cacheOf(body, '')
  const endUser = readEndUser(body)
  const tier = readTier(body, untranslated)
  const turns = withToolChanges(readTurns(body), tools)
  const request: CanonicalRequest = {
    from: origin,
    model,
    stream: readFlag(body, 'stream') ?? false,
    showUsage: true,
    instructions: body.system === undefined || body.system === null ? [] : decodeTextBlocks(body.system, 'system'),
    turns: cache === undefined ? turns : withLastMarked(turns, cache),
    tools: tools.tools,
    hostedTools: tools.hostedTools,
    format: FREE_TEXT,
    modalities: [],
    sampling: {},
    reasoning: {},
    untranslated,
  }
  if (body.tool_choice !== undefined) Object.assign(request, decodeToolChoice(body, tools))
  request.format = readFormat(body, untranslated)
  request.sampling = readSampling(body, maxOutput)
  request.reasoning = readReasoning(body, untranslated)
  put(request, 'tier', tier)
  put(request, 'endUser', endUser)
  return request
}

function readTurns(body: Json): Turn[] {
  if (body.messages === undefined || body.messages === null) {
    throw wrong('messages', 'messages is required: an array of messages')
  }
  const messages = asArray(body.messages, 'messages')
  if (messages.length === 0) throw wrong('messages', 'messages must have at least one message')
  const turns: Turn[] = []
  for (let index = 0; index < messages.length; index++) {
    const at = `messages[${index}]`
    const message = asObject(messages[index], at)
    const { role } = message
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      throw wrong(below(at, 'role'), `${below(at, 'role')} must be one of user, assistant, system`)
    }
    turns.push({ role, parts: decodeContent(message.content, below(at, 'content'), role) })
  }
  return turns
}

/** A mark on the request as a whole means its last block. */
function withLastMarked(turns: readonly Turn[], cache: CacheMark): Turn[] {
  const last = turns.at(-1)
  const part = last?.parts.at(-1)
  if (last === undefined || part === undefined || !isMarkable(part) || part.cache !== undefined) return [...turns]
  return [...turns.slice(0, -1), { ...last, parts: [...last.parts.slice(0, -1), { ...part, cache }] }]
}

const isMarkable = (part: Part): part is Extract<Part, { cache?: CacheMark }> =>
  part.type === 'text' || part.type === 'media' || part.type === 'call' || part.type === 'result'

function readSampling(body: Json, maxOutput: number): Sampling {
  const sampling: Sampling = { maxOutput }
  put(sampling, 'temperature', readNumber(body, 'temperature', 0, 1))
  put(sampling, 'topP', readNumber(body, 'top_p', 0, 1))
  put(sampling, 'topK', readInteger(body, 'top_k', 0, MOST_OUTPUT))
  const stop = readStrings(body, 'stop_sequences')
  if (stop !== undefined && stop.length > 0) sampling.stop = stop
  return sampling
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

function readReasoning(body: Json, untranslated: string[]): ReasoningWish {
  const effort = readEffort(body, untranslated)
  const thinking = readObject(body, 'thinking')
  if (thinking === undefined) return effort
  const type = required(readString(thinking, 'type', 'thinking'), 'thinking.type', 'a string')
  const display = readString(thinking, 'display', 'thinking')
  const shown: ReasoningWish = { ...effort, ...showOf(display) }
  if (display !== undefined && (shown.show === undefined || type === 'disabled')) untranslated.push('thinking.display')
  switch (type) {
    case 'enabled': {
      const tokens = readInteger(thinking, 'budget_tokens', 1_024, MOST_OUTPUT, 'thinking')
      const budget = required(tokens, 'thinking.budget_tokens', 'a whole number of at least 1024')
      return { mode: 'on', budget, ...shown }
    }
    case 'adaptive':
    case 'between_tools':
      return { mode: 'auto', ...shown }
    case 'disabled':
      return { mode: 'off', ...effort }
    default:
      untranslated.push('thinking')
      return effort
  }
}

function showOf(display: string | undefined): Pick<ReasoningWish, 'show' | 'wantsSummary'> {
  if (display === 'omitted') return { show: 'none' }
  return display === 'summarized' ? { show: 'summary', wantsSummary: true } : {}
}

function readEffort(body: Json, untranslated: string[]): { effort?: Effort } {
  const config = readObject(body, 'output_config')
  if (config === undefined) return {}
  const word = readString(config, 'effort', 'output_config')
  const effort = EFFORTS.find((known) => known === word)
  if (word !== undefined && effort === undefined) untranslated.push('output_config.effort')
  return effort === undefined ? {} : { effort }
}

const FREE_TEXT: OutputFormat = { type: 'text' }

/** `output_format` is what the field was called while it was a beta. */
function readFormat(body: Json, untranslated: string[]): OutputFormat {
  const config = readObject(body, 'output_config')
  const inConfig = config && readObject(config, 'format', 'output_config')
  const format = inConfig ?? readObject(body, 'output_format')
  if (format === undefined) return FREE_TEXT
  const at = inConfig === undefined ? 'output_format' : 'output_config.format'
  if (readString(format, 'type', at) !== 'json_schema') {
    untranslated.push(at)
    return { type: 'text' }
  }
  const schema = required(readObject(format, 'schema', at), below(at, 'schema'), 'a JSON schema')
  return { type: 'schema', schema }
}

function readEndUser(body: Json): string | undefined {
  const metadata = readObject(body, 'metadata')
  if (metadata === undefined) return undefined
  return readName(metadata, 'user_id', 'metadata', 1_024)
}

function readTier(body: Json, untranslated: string[]): ServiceTier | undefined {
  const word = readString(body, 'service_tier')
  if (word === undefined || word === 'auto') return word
  if (word === 'standard_only') return 'default'
  untranslated.push('service_tier')
  return undefined
}
