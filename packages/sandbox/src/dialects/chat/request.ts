// A chat request, validated as by a real service and decoded into the neutral form.

import { createRequest } from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, listOf, numberOr } from '../../request/fields.ts'
import { parseBody } from '../../request/json-body.ts'
import type { AnswerFormat } from '../../request/sandbox-request.ts'
import type { DecodedRequest, IncomingRequest } from '../dialect.ts'
import { checkParameters, echoedParameters, unknownFields } from './parameters.ts'
import { chatBody } from './reply.ts'
import { chatEvents } from './stream.ts'
import { readToolChoice, readTools } from './tools.ts'
import { readMessages } from './turns.ts'

export function readRequest({ bytes }: Pick<IncomingRequest, 'bytes'>): DecodedRequest {
  const body = parseBody(bytes)
  const { model, stop } = body
  if (model === undefined) throw badRequest("Missing required parameter: 'model'.", 'model')
  if (typeof model !== 'string' || model === '')
    throw badRequest("Invalid type for 'model': expected a string.", 'model')
  checkParameters(body)
  const conversation = readMessages(body.messages)
  const tools = readTools(body)
  const format = readFormat(body.response_format)
  const request = createRequest(bytes, conversation, listOf(body.tools), {
    tools,
    toolChoice: readToolChoice(body, tools),
    search: isObject(body.web_search_options) ? 'offered' : 'none',
    format,
    stops: typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop : [],
    maxTokens: numberOr(body.max_completion_tokens, undefined) ?? numberOr(body.max_tokens, undefined),
    choices: numberOr(body.n, 1),
    hideReasoning: false,
    parameters: echoedParameters(body),
    unknownFields: unknownFields(body),
  })
  const includeUsage = isObject(body.stream_options) && body.stream_options.include_usage === true
  return {
    request,
    model,
    delivery: body.stream === true ? 'sse' : 'single',
    body: chatBody,
    events: (plan, head, quirks) => chatEvents(plan, head, includeUsage, quirks),
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
