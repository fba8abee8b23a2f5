// The plain fields of a chat request: their checks, and how the echo shows them.
import { badRequest } from '../../request/errors.ts'
import {
  anyInteger,
  anything,
  array,
  boolean,
  type Check,
  checkFields,
  echoed,
  integer,
  isObject,
  type Json,
  MOST_TOKENS,
  number,
  object,
  oneOf,
  shownStops,
  string,
  strings,
} from '../../request/fields.ts'

const stop: Check = (value) =>
  typeof value === 'string' || strings(4)(value) === undefined ? undefined : 'a string or an array of at most 4 strings'

const CHECKS: Record<string, Check> = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  max_tokens: integer(1, MOST_TOKENS),
  max_completion_tokens: integer(1, MOST_TOKENS),
  n: integer(1, 128),
  stop,
  seed: anyInteger,
  logprobs: boolean,
  top_logprobs: integer(0, 20),
  logit_bias: object,
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  verbosity: oneOf('low', 'medium', 'high'),
  parallel_tool_calls: boolean,
  metadata: object,
  user: string,
  safety_identifier: string,
  prompt_cache_key: string,
  prompt_cache_options: object,
  prompt_cache_retention: string,
  service_tier: string,
  store: boolean,
  modalities: array,
  audio: object,
  prediction: object,
  web_search_options: object,
  moderation: object,
  functions: array,
  function_call: anything,
  response_format: object,
  tool_choice: anything,
}

/** Decoded elsewhere, or without effect on the echo, such as how the answer is delivered. */
const NOT_ECHOED: Record<string, Check> = {
  model: anything,
  messages: anything,
  tools: array,
  stream: boolean,
  stream_options: object,
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
  return Object.keys(body).filter((name) => !Object.hasOwn(CHECKS, name) && !Object.hasOwn(NOT_ECHOED, name))
}
