// A chat request, checked as a real service checks it and read into the neutral form.
import { createHash } from 'node:crypto'
import type { AnswerFormat, Ask } from './ask.ts'
import { readMessages } from './chat-messages.ts'
import { checkParameters, echoedParameters, isObject, type Json, unknownFields } from './chat-parameters.ts'
import { readToolChoice, readTools } from './chat-tools.ts'
import { badRequest } from './errors.ts'
import { utf8Bytes } from './tokens.ts'

export type ChatRequest = { ask: Ask; model: string; stream: boolean; includeUsage: boolean }

export function readChatRequest(bytes: Uint8Array): ChatRequest {
  const body = parse(bytes)
  const { model } = body
  if (model === undefined) throw badRequest("Missing required parameter: 'model'.", 'model')
  if (typeof model !== 'string' || model === '')
    throw badRequest("Invalid type for 'model': expected a string.", 'model')
  checkParameters(body)
  const ask = readAsk(body, createHash('sha256').update(bytes).digest('hex'))
  const options = isObject(body.stream_options) ? body.stream_options : {}
  return { ask, model, stream: body.stream === true, includeUsage: options.include_usage === true }
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
/** The runtime parses any depth, but spends seconds failing to write 50,000 levels again. */
const MOST_DEPTH = 1_000

function parse(bytes: Uint8Array): Json {
  if (isDeeperThan(bytes, MOST_DEPTH)) throw badRequest(`Invalid body: nested deeper than ${MOST_DEPTH} levels.`)
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('We could not parse the JSON body of your request.')
  }
  if (!isObject(body)) throw badRequest('Invalid body: expected a JSON object.')
  return body
}

/** Brackets outside strings, by their bytes: no byte of a longer UTF-8 character looks like one of these. */
function isDeeperThan(bytes: Uint8Array, most: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === QUOTE) inString = !inString
    else if (inString) {
      if (byte === BACKSLASH) index++
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > most) return true
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
  }
  return false
}

function readAsk(body: Json, fingerprint: string): Ask {
  const conversation = readMessages(body.messages)
  const tools = readTools(body)
  const format = readFormat(body.response_format)
  const schemas = [
    ...(Array.isArray(body.tools) ? body.tools : []),
    ...(format.type === 'schema' ? [format.schema] : []),
  ]
  const texts = [...conversation.texts, ...schemas.map((schema) => JSON.stringify(schema))]
  return {
    fingerprint,
    ...conversation,
    tools,
    toolChoice: readToolChoice(body, tools),
    format,
    stops: typeof body.stop === 'string' ? [body.stop] : Array.isArray(body.stop) ? body.stop : [],
    maxTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    choices: numberOf(body.n) ?? 1,
    parameters: echoedParameters(body),
    unknownFields: unknownFields(body),
    textBytes: texts.reduce((sum, text) => sum + utf8Bytes(text), 0),
  }
}

function readFormat(value: unknown): AnswerFormat {
  const path = 'response_format'
  if (!isObject(value) || value.type === 'text') return { type: 'text' }
  if (value.type === 'json_object') return { type: 'json' }
  if (value.type !== 'json_schema') {
    throw badRequest(`Invalid value for '${path}.type': expected text, json_object or json_schema.`, `${path}.type`)
  }
  const definition = value.json_schema
  if (!isObject(definition) || typeof definition.name !== 'string') {
    throw badRequest(`Missing required parameter: '${path}.json_schema.name'.`, `${path}.json_schema.name`)
  }
  if (!isObject(definition.schema)) {
    throw badRequest(`Missing required parameter: '${path}.json_schema.schema'.`, `${path}.json_schema.schema`)
  }
  return { type: 'schema', schema: definition.schema }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
