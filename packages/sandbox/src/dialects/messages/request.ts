// A messages request, validated as by a real service and decoded into the neutral form.

import { MOST_TOKENS } from '../../request/checks.ts'
import { createRequest } from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, listOf, numberOr } from '../../request/fields.ts'
import { parseBody } from '../../request/json-body.ts'
import type { AnswerFormat } from '../../request/sandbox-request.ts'
import type { DecodedRequest, IncomingRequest } from '../dialect.ts'
import { checkParameters, checkVersion, echoedParameters } from './parameters.ts'
import { messagesBody } from './reply.ts'
import { messagesEvents } from './stream.ts'
import { readSearch, readToolChoice, readTools } from './tools.ts'
import { readTurns } from './turns.ts'

export function readRequest({ bytes, headers }: Pick<IncomingRequest, 'bytes' | 'headers'>): DecodedRequest {
  const version = checkVersion(headers)
  const body = parseBody(bytes)
  const { model, thinking } = body
  if (model === undefined) throw badRequest('Field required', 'model')
  if (typeof model !== 'string' || model === '') throw badRequest('Input should be a valid string', 'model')
  checkParameters(body, version)
  const tools = readTools(body)
  const request = createRequest(bytes, readTurns(body), listOf(body.tools), {
    tools,
    toolChoice: readToolChoice(body, tools),
    search: readSearch(body, tools),
    format: readFormat(isObject(body.output_config) ? body.output_config.format : undefined),
    stops: listOf(body.stop_sequences).filter((stop) => typeof stop === 'string'),
    maxTokens: numberOr(body.max_tokens, undefined),
    choices: 1,
    hideReasoning: isObject(thinking) && thinking.display === 'omitted',
    parameters: echoedParameters(body),
    unknownFields: [],
  })
  const delivery = body.stream === true ? 'sse' : 'single'
  return { request, model, delivery, body: messagesBody, events: messagesEvents }
}

const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control']

/** A request without an answer, and so without the fields that only the answer depends on. */
export function readCountRequest({ bytes, headers }: Pick<IncomingRequest, 'bytes' | 'headers'>): DecodedRequest {
  const body = parseBody(bytes)
  const excess = Object.keys(body).find((name) => !COUNTED.includes(name))
  if (excess !== undefined) throw badRequest('Extra inputs are not permitted', excess)
  const request = JSON.stringify({ ...body, max_tokens: MOST_TOKENS })
  return readRequest({ bytes: new TextEncoder().encode(request), headers })
}

function readFormat(format: unknown): AnswerFormat {
  if (format === undefined || format === null) return { type: 'text' }
  const path = 'output_config.format'
  if (!isObject(format) || format.type !== 'json_schema')
    throw badRequest("Input should be 'json_schema'", `${path}.type`)
  if (!isObject(format.schema)) throw badRequest('Field required', `${path}.schema`)
  return { type: 'schema', schema: format.schema }
}
