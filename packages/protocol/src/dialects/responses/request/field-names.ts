// The dialect's names for what a target may not be able to express, for warnings.

import type { FieldNames } from '../../../canonical/warning.ts'

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
  cacheRetention: 'prompt_cache_retention',
  cacheOptions: 'prompt_cache_options',
  cacheBreakpoint: 'prompt_cache_breakpoint',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelCalls: 'parallel_tool_calls',
  format: 'text.format',
  reasoning: 'reasoning',
  pastReasoning: 'reasoning',
  fileName: 'input.filename',
  turns: 'input',
  detail: 'input',
  arguments: 'input',
  webSearch: 'tools',
  searchContextSize: 'tools.search_context_size',
  searchLocation: 'tools.user_location',
  searchAllowedDomains: 'tools.filters.allowed_domains',
  searchBlockedDomains: 'tools.filters.blocked_domains',
  searchMaxUses: 'max_tool_calls',
}
