// A responses request, validated as by a real service and decoded into the neutral form.

import { createRequest } from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, listOf, numberOr } from '../../request/fields.ts'
import { parseBody } from '../../request/json-body.ts'
import type { AnswerFormat } from '../../request/sandbox-request.ts'
import type { DecodedRequest, IncomingRequest } from '../dialect.ts'
import { checkParameters, echoedParameters } from './parameters.ts'
import { responsesBody } from './reply.ts'
import { responsesEvents } from './stream.ts'
import { readSearch, readToolChoice, readTools } from './tools.ts'
import { readTurns } from './turns.ts'
import { frameOf } from './wire.ts'

export function readRequest({ bytes }: Pick<IncomingRequest, 'bytes'>): DecodedRequest {
  const body = parseBody(bytes)
  const { model } = body
  if (model === undefined) throw badRequest("Missing required parameter: 'model'.", 'model')
  if (typeof model !== 'string' || model === '')
    throw badRequest("Invalid type for 'model': expected a string.", 'model')
  checkParameters(body)
  const tools = readTools(body)
  const request = createRequest(bytes, readTurns(body), listOf(body.tools), {
    tools,
    toolChoice: readToolChoice(body, tools),
    search: readSearch(body, tools),
    format: readFormat(isObject(body.text) ? body.text.format : undefined),
    stops: [],
    maxTokens: numberOr(body.max_output_tokens, undefined),
    choices: 1,
    hideReasoning: false,
    parameters: echoedParameters(body),
    unknownFields: [],
  })
  const frame = frameOf(body)
  return {
    request,
    model,
    delivery: body.stream === true ? 'sse' : 'single',
    body: (plan, head, quirks) => responsesBody(plan, head, frame, quirks),
    events: (plan, head, quirks) => responsesEvents(plan, head, frame, quirks),
  }
}

const COUNTED = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'truncation',
]

/** A request without an answer, and so without the fields that only the answer depends on. */
export function readCountRequest({ bytes }: Pick<IncomingRequest, 'bytes'>): DecodedRequest {
  const excess = Object.keys(parseBody(bytes)).find((name) => !COUNTED.includes(name))
  if (excess !== undefined) throw badRequest(`Unknown parameter: '${excess}'.`, excess)
  return readRequest({ bytes })
}

function readFormat(format: unknown): AnswerFormat {
  const path = 'text.format'
  if (!isObject(format) || format.type === 'text') return { type: 'text' }
  if (format.type === 'json_object') return { type: 'json' }
  if (format.type !== 'json_schema')
    throw badRequest(`Invalid value for '${path}.type': expected text, json_object or json_schema.`, `${path}.type`)
  if (typeof format.name !== 'string') throw badRequest(`Missing required parameter: '${path}.name'.`, `${path}.name`)
  if (!isObject(format.schema)) throw badRequest(`Missing required parameter: '${path}.schema'.`, `${path}.schema`)
  return { type: 'schema', schema: format.schema }
}
