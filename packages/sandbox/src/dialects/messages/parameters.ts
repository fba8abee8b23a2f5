// The plain fields of a messages request: their checks, and how the echo shows them.

import { type Check, checkFields, echoed, fieldsNotIn, is, MOST_TOKENS, shownStops } from '../../request/checks.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, type Json, listOf } from '../../request/fields.ts'

const CHECKS: Record<string, Check> = {
  max_tokens: is.integer(0, MOST_TOKENS),
  temperature: is.number(0, 1),
  top_p: is.number(0, 1),
  top_k: is.integer(0, MOST_TOKENS),
  stop_sequences: is.strings(8_191),
  thinking: is.object,
  output_config: is.object,
  metadata: is.object,
  service_tier: is.oneOf('auto', 'standard_only'),
  speed: is.oneOf('standard', 'fast'),
  cache_control: is.object,
  container: is.anything,
  context_management: is.object,
  diagnostics: is.object,
  inference_geo: is.string,
  mcp_servers: is.array,
  tool_choice: is.object,
}

/** Decoded elsewhere, or without effect on the echo. */
const NOT_ECHOED: Record<string, Check> = {
  model: is.anything,
  messages: is.anything,
  system: is.anything,
  tools: is.array,
  stream: is.boolean,
}

const VERSIONS = ['2023-06-01', '2026-10-21']
const WITHOUT_SAMPLING = '2026-10-21'
const LEAST_BUDGET = 1_024

export function checkVersion(headers: Headers): string {
  const version = headers.get('anthropic-version') ?? headers.get('msg-version')
  if (version === null) throw badRequest('header is required', 'anthropic-version')
  if (!VERSIONS.includes(version)) throw badRequest(`"${version}" is not a valid version`, 'anthropic-version')
  return version
}

export function checkParameters(body: Json, version: string): void {
  const unknown = fieldsNotIn(body, CHECKS, NOT_ECHOED)[0]
  const sampling = version < WITHOUT_SAMPLING ? [] : ['temperature', 'top_p', 'top_k']
  const excess = unknown ?? sampling.find((name) => body[name] !== undefined)
  if (excess !== undefined) throw badRequest('Extra inputs are not permitted', excess)
  if (body.max_tokens === undefined) throw badRequest('Field required', 'max_tokens')
  checkFields(body, { ...CHECKS, ...NOT_ECHOED })
  if (listOf(body.stop_sequences).some((stop) => String(stop).trim() === ''))
    throw badRequest('each stop sequence must contain non-whitespace', 'stop_sequences')
  checkThinking(body)
}

function checkThinking(body: Json): void {
  const { thinking } = body
  if (!isObject(thinking)) return
  checkFields(
    thinking,
    {
      type: is.oneOf('enabled', 'adaptive', 'between_tools', 'disabled'),
      display: is.oneOf('summarized', 'omitted'),
      budget_tokens: is.integer(LEAST_BUDGET, MOST_TOKENS),
    },
    'thinking.',
  )
  if (thinking.type !== 'enabled') return
  const budget = thinking.budget_tokens
  if (typeof budget !== 'number') throw badRequest('Field required', 'thinking.enabled.budget_tokens')
  if (typeof body.max_tokens === 'number' && budget >= body.max_tokens)
    throw badRequest('`max_tokens` must be greater than `thinking.budget_tokens`.', 'max_tokens')
  if (typeof body.temperature === 'number' && body.temperature !== 1)
    throw badRequest('may only be set to 1 when thinking is enabled.', 'temperature')
  const choice = isObject(body.tool_choice) ? body.tool_choice.type : undefined
  if (choice === 'any' || choice === 'tool')
    throw badRequest('Thinking may not be enabled when tool_choice forces tool use.', 'tool_choice')
}

export function echoedParameters(body: Json): string[] {
  return echoed(body, Object.keys(CHECKS), (name, value) => {
    if (name === 'stop_sequences') return shownStops(value)
    if (name !== 'output_config' || !isObject(value) || !isObject(value.format)) return undefined
    return JSON.stringify({ ...value, format: value.format.type })
  })
}
