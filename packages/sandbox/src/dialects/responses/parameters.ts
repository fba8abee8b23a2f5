// The plain fields of a responses request: their checks, and how the echo shows them.

import { type Check, checkFields, echoed, fieldsNotIn, is, MOST_TOKENS } from '../../request/checks.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, type Json } from '../../request/fields.ts'

const CHECKS: Record<string, Check> = {
  max_output_tokens: is.integer(1, MOST_TOKENS),
  max_tool_calls: is.integer(1, MOST_TOKENS),
  temperature: is.number(0, 2),
  top_p: is.number(0, 1),
  top_logprobs: is.integer(0, 20),
  reasoning: is.object,
  text: is.object,
  tool_choice: is.anything,
  parallel_tool_calls: is.boolean,
  include: is.strings(64),
  store: is.boolean,
  truncation: is.oneOf('auto', 'disabled'),
  metadata: is.object,
  client_metadata: is.object,
  user: is.string,
  safety_identifier: is.string,
  prompt_cache_key: is.string,
  prompt_cache_options: is.object,
  prompt_cache_retention: is.string,
  service_tier: is.string,
  moderation: is.object,
  context_management: is.anything,
}

/** Decoded elsewhere, or without effect on the echo. */
const NOT_ECHOED: Record<string, Check> = {
  model: is.anything,
  input: is.anything,
  instructions: is.string,
  tools: is.array,
  stream: is.boolean,
  stream_options: is.object,
  background: is.boolean,
  conversation: is.anything,
  previous_response_id: is.string,
  prompt: is.object,
}

const EFFORTS = is.oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')
const SUMMARIES = is.oneOf('auto', 'concise', 'detailed')

export function checkParameters(body: Json): void {
  const unknown = fieldsNotIn(body, CHECKS, NOT_ECHOED)[0]
  if (unknown !== undefined) throw badRequest(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
  checkFields(body, { ...CHECKS, ...NOT_ECHOED })
  if (isObject(body.reasoning))
    checkFields(body.reasoning, { effort: EFFORTS, summary: SUMMARIES, generate_summary: SUMMARIES }, 'reasoning.')
  if (isObject(body.text))
    checkFields(body.text, { format: is.object, verbosity: is.oneOf('low', 'medium', 'high') }, 'text.')
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
