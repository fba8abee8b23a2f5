// The plain fields of a responses request: their checks, and how the echo shows them.
import { badRequest } from '../../request/errors.ts'
import {
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
  string,
  strings,
} from '../../request/fields.ts'

const CHECKS: Record<string, Check> = {
  max_output_tokens: integer(1, MOST_TOKENS),
  max_tool_calls: integer(1, MOST_TOKENS),
  temperature: number(0, 2),
  top_p: number(0, 1),
  top_logprobs: integer(0, 20),
  reasoning: object,
  text: object,
  tool_choice: anything,
  parallel_tool_calls: boolean,
  include: strings(64),
  store: boolean,
  truncation: oneOf('auto', 'disabled'),
  metadata: object,
  client_metadata: object,
  user: string,
  safety_identifier: string,
  prompt_cache_key: string,
  prompt_cache_options: object,
  prompt_cache_retention: string,
  service_tier: string,
  moderation: object,
  context_management: anything,
}

/** Decoded elsewhere, or without effect on the echo. */
const NOT_ECHOED: Record<string, Check> = {
  model: anything,
  input: anything,
  instructions: string,
  tools: array,
  stream: boolean,
  stream_options: object,
  background: boolean,
  conversation: anything,
  previous_response_id: string,
  prompt: object,
}

const EFFORTS = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')
const SUMMARIES = oneOf('auto', 'concise', 'detailed')

export function checkParameters(body: Json): void {
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(CHECKS, name) && !Object.hasOwn(NOT_ECHOED, name))
  if (unknown !== undefined) throw badRequest(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
  checkFields(body, { ...CHECKS, ...NOT_ECHOED })
  if (isObject(body.reasoning))
    checkFields(body.reasoning, { effort: EFFORTS, summary: SUMMARIES, generate_summary: SUMMARIES }, 'reasoning.')
  if (isObject(body.text))
    checkFields(body.text, { format: object, verbosity: oneOf('low', 'medium', 'high') }, 'text.')
  checkState(body)
}

/** The sandbox is stateless. */
function checkState(body: Json): void {
  const { previous_response_id: previous, background, conversation, prompt } = body
  if (typeof previous === 'string') {
    const message = `Previous response with id '${previous}' not found.`
    throw badRequest(message, 'previous_response_id', 'previous_response_not_found')
  }
  const kept = { conversation, prompt, background: background || undefined }
  for (const [name, value] of Object.entries(kept)) {
    if (value === undefined || value === null) continue
    throw badRequest(`'${name}' is not supported with this model.`, name, 'unsupported_parameter')
  }
}

export function echoedParameters(body: Json): string[] {
  return echoed(body, Object.keys(CHECKS), (name, value) => {
    if (name !== 'text' || !isObject(value) || !isObject(value.format)) return undefined
    const { type, name: schema } = value.format
    return `${String(type)}${typeof schema === 'string' ? `(${schema})` : ''}`
  })
}
