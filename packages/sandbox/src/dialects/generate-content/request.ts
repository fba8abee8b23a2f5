// A generate-content request, validated as by a real service and decoded into the neutral form.

import { createRequest } from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, type Json, listOf, numberOr } from '../../request/fields.ts'
import { parseBody } from '../../request/json-body.ts'
import type { AnswerFormat } from '../../request/sandbox-request.ts'
import type { DecodedRequest, IncomingRequest } from '../dialect.ts'
import { echoedParameters, readParameters } from './parameters.ts'
import { checkSchema } from './parts/schema.ts'
import { generateContentBody } from './reply.ts'
import { generateContentEvents } from './stream.ts'
import { readSearch, readToolChoice, readTools } from './tools.ts'
import { readTurns } from './turns.ts'

export function readRequest({ bytes, url }: Pick<IncomingRequest, 'bytes' | 'url'>): DecodedRequest {
  const { model, method } = splitPath(url.pathname)
  const parameters = readParameters(parseBody(bytes))
  const { top, config, thinking } = parameters
  const tools = readTools(top)
  const request = createRequest(bytes, readTurns(top), listOf(top.tools), {
    tools,
    toolChoice: readToolChoice(top, tools),
    search: readSearch(top, tools),
    format: readFormat(config),
    stops: listOf(config.stopSequences).filter((stop) => typeof stop === 'string'),
    maxTokens: numberOr(config.maxOutputTokens, undefined),
    choices: numberOr(config.candidateCount, 1),
    hideReasoning: thinking.includeThoughts === false,
    parameters: echoedParameters(parameters),
    unknownFields: [],
  })
  const delivery = method === 'generateContent' ? 'single' : deliveryOf(url.searchParams.get('alt'))
  return { request, model, delivery, body: generateContentBody, events: generateContentEvents }
}

/** The contents alone, or a whole request that names its model again. */
export function readCountRequest({ bytes, url }: Pick<IncomingRequest, 'bytes' | 'url'>): DecodedRequest {
  const { contents, generateContentRequest: whole, ...others } = parseBody(bytes)
  const excess = Object.keys(others)[0]
  if (excess !== undefined) throw badRequest(`Unknown name "${excess}": Cannot find field.`, excess)
  if (whole === undefined) return readRequest({ bytes: bytesOf({ contents }), url })
  if (contents !== undefined || !isObject(whole))
    throw badRequest('Only one of contents and generateContentRequest can be set.', 'generateContentRequest')
  const { model, ...request } = whole
  if (model !== `models/${splitPath(url.pathname).model}`)
    throw badRequest('The model does not match the model in the path.', 'generateContentRequest.model')
  return readRequest({ bytes: bytesOf(request), url })
}

const bytesOf = (body: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(body))

/** A model name may contain colons and slashes: the last colon precedes the method. */
function splitPath(pathname: string): { model: string; method: string } {
  const rest = pathname.slice(pathname.indexOf('/models/') + '/models/'.length)
  const colon = rest.lastIndexOf(':')
  return { model: unescaped(rest.slice(0, colon)), method: rest.slice(colon + 1) }
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function deliveryOf(alt: string | null): 'sse' | 'array' {
  if (alt === null || alt === 'sse') return 'sse'
  if (alt === 'json') return 'array'
  throw badRequest(`Invalid value for 'alt': expected sse or json.`, 'alt')
}

function readFormat(config: Json): AnswerFormat {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  const schema = responseJsonSchema ?? responseSchema
  if (responseMimeType !== 'application/json') {
    if (schema !== undefined && responseMimeType !== 'text/x.enum')
      throw badRequest('A response schema needs the mime type application/json.', 'generationConfig.responseMimeType')
    return { type: 'text' }
  }
  if (schema === undefined) return { type: 'json' }
  if (!isObject(schema)) throw badRequest('Invalid value: expected an object.', 'generationConfig.responseJsonSchema')
  if (responseSchema !== undefined) checkSchema(responseSchema, 'generationConfig.response_schema')
  return { type: 'schema', schema }
}
