// A chat request: a caller's, read into neutral terms, and any dialect's, written for a chat upstream.

import type { FieldNames } from '../../canonical/warning.ts'

export { decodeRequest } from './request/decode-request.ts'
export { encodeRequest } from './request/encode-request.ts'

export const fieldNames: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
  stop: 'stop',
  logprobs: 'logprobs',
  logitBias: 'logit_bias',
  verbosity: 'verbosity',
  tier: 'service_tier',
  endUser: 'user',
  metadata: 'metadata',
  store: 'store',
  cacheKey: 'prompt_cache_key',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelCalls: 'parallel_tool_calls',
  format: 'response_format',
  reasoning: 'reasoning_effort',
  name: 'messages.name',
  turns: 'messages',
  detail: 'image_url.detail',
  arguments: 'tool_calls.arguments',
}
