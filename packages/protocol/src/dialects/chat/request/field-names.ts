// The dialect's names for what a target may not be able to express, for warnings.

import type { FieldNames } from '../../../canonical/warning.ts'

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
  cacheRetention: 'prompt_cache_retention',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelCalls: 'parallel_tool_calls',
  format: 'response_format',
  reasoning: 'reasoning_effort',
  name: 'messages.name',
  turns: 'messages',
  detail: 'image_url.detail',
  arguments: 'tool_calls.arguments',
  webSearch: 'web_search_options',
  searchContextSize: 'web_search_options.search_context_size',
  searchLocation: 'web_search_options.user_location',
}
