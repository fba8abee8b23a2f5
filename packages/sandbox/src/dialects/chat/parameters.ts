// The plain fields of a chat request: their checks, and how the echo shows them.

import { type Check, checkFields, echoed, fieldsNotIn, is, MOST_TOKENS, shownStops } from '../../request/checks.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, type Json } from '../../request/fields.ts'

const stop: Check = (value) =>
  typeof value === 'string' || is.strings(4)(value) === undefined
    ? undefined
    : 'a string or an array of at most 4 strings'

const CHECKS: Record<string, Check> = {
  temperature: is.number(0, 2),
  top_p: is.number(0, 1),
  presence_penalty: is.number(-2, 2),
  frequency_penalty: is.number(-2, 2),
  max_tokens: is.integer(1, MOST_TOKENS),
  max_completion_tokens: is.integer(1, MOST_TOKENS),
  n: is.integer(1, 128),
  stop,
  seed: is.anyInteger,
  logprobs: is.boolean,
  top_logprobs: is.integer(0, 20),
  logit_bias: is.object,
  reasoning_effort: is.oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  verbosity: is.oneOf('low', 'medium', 'high'),
  parallel_tool_calls: is.boolean,
  metadata: is.object,
  user: is.string,
  safety_identifier: is.string,
  prompt_cache_key: is.string,
  prompt_cache_options: is.object,
  prompt_cache_retention: is.string,
  service_tier: is.string,
  store: is.boolean,
  modalities: is.array,
  audio: is.object,
  prediction: is.object,
  web_search_options: is.object,
  moderation: is.object,
  functions: is.array,
  function_call: is.anything,
  response_format: is.object,
  tool_choice: is.anything,
}

/** Decoded elsewhere, or without effect on the echo, such as how the answer is delivered. */
const NOT_ECHOED: Record<string, Check> = {
  model: is.anything,
  messages: is.anything,
  tools: is.array,
  stream: is.boolean,
  stream_options: is.object,
}

export function checkParameters(body: Json): void {
  checkFields(body, { ...CHECKS, ...NOT_ECHOED })
  if (isObject(body.stream_options) && body.stream !== true) {
    throw badRequest("'stream_options' is only allowed when 'stream' is true.", 'stream_options')
  }
}

export function echoedParameters(body: Json): string[] {
  return echoed(body, Object.keys(CHECKS), (name, value) => {
    if (name === 'stop') return shownStops(value)
    if (name !== 'response_format' || !isObject(value)) return undefined
    return `${String(value.type)}${isObject(value.json_schema) ? `(${String(value.json_schema.name)})` : ''}`
  })
}

/** Accepted, as compatible services do, and shown. */
export function unknownFields(body: Json): string[] {
  return fieldsNotIn(body, CHECKS, NOT_ECHOED)
}
