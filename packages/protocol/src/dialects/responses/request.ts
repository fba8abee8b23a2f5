import type { FieldNames } from '../../canonical/warning.ts'

export { decodeRequest } from './request/decode-request.ts'
export { encodeRequest } from './request/encode-request.ts'
export { refuseStored } from './request/stored-state.ts'

export const fieldNames: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  logprobs: 'top_logprobs',
  verbosity: 'text.verbosity',
  tier: 'service_tier',
  endUser: 'safety_identifier',
  metadata: 'metadata',
  store: 'store',
  cacheKey: 'prompt_cache_key',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelCalls: 'parallel_tool_calls',
  format: 'text.format',
  reasoning: 'reasoning',
  turns: 'input',
  detail: 'input',
  arguments: 'input',
}
