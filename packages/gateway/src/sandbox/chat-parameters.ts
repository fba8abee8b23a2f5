// The plain fields of a chat request: their checks, and how the echo shows them.
import { badRequest } from './errors.ts'

export type Json = { readonly [key: string]: unknown }

type Check = (value: unknown) => string | undefined

const number =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === 'number' && value >= low && value <= high ? undefined : `a number from ${low} to ${high}`
const integer =
  (low: number, high: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high
      ? undefined
      : `an integer from ${low} to ${high}`
const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'a boolean')
const string: Check = (value) => (typeof value === 'string' ? undefined : 'a string')
const object: Check = (value) => (isObject(value) ? undefined : 'an object')
const array: Check = (value) => (Array.isArray(value) ? undefined : 'an array')
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? undefined : `one of ${words.join(', ')}`
const stop: Check = (value) =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length <= 4 && value.every((item) => typeof item === 'string'))
    ? undefined
    : 'a string or an array of at most 4 strings'

const MOST_TOKENS = 1_000_000_000

const CHECKS: Record<string, Check> = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  max_tokens: integer(1, MOST_TOKENS),
  max_completion_tokens: integer(1, MOST_TOKENS),
  n: integer(1, 128),
  stop,
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
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
  function_call: () => undefined,
  response_format: object,
  tool_choice: () => undefined,
}

/** Read elsewhere, or of no interest to the echo: how the answer travels does not change what it says. */
const NOT_ECHOED = new Set(['model', 'messages', 'tools', 'stream', 'stream_options'])

/** `null` is allowed for every one of them and means absent, as the vendor has it. */
export function checkParameters(body: Json): void {
  for (const [name, check] of Object.entries({ ...CHECKS, stream: boolean, stream_options: object, tools: array })) {
    const value = body[name]
    if (value === undefined || value === null) continue
    const expected = check(value)
    if (expected !== undefined) throw badRequest(`Invalid value for '${name}': expected ${expected}.`, name)
  }
  if (isObject(body.stream_options) && body.stream !== true) {
    throw badRequest("'stream_options' is only allowed when 'stream' is true.", 'stream_options')
  }
}

export function echoedParameters(body: Json): string[] {
  return Object.keys(CHECKS)
    .filter((name) => body[name] !== undefined)
    .map((name) => `${name}=${shown(name, body[name])}`)
}

export function unknownFields(body: Json): string[] {
  return Object.keys(body).filter((name) => !Object.hasOwn(CHECKS, name) && !NOT_ECHOED.has(name))
}

function shown(name: string, value: unknown): string {
  if (name === 'response_format' && isObject(value)) {
    const schema = isObject(value.json_schema) ? `(${String(value.json_schema.name)})` : ''
    return `${String(value.type)}${schema}`
  }
  // Not as it is: the echo would end itself there.
  if (name === 'stop')
    return `[${[value]
      .flat()
      .map((stop) => `${String(stop).length} characters`)
      .join(', ')}]`
  return JSON.stringify(value)
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
