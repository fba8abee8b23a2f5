// The dialect's names for what a target may not be able to express, for warnings.

import type { FieldNames } from '../../../canonical/warning.ts'

export const fieldNames: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop_sequences',
  tier: 'service_tier',
  endUser: 'metadata.user_id',
  cacheMark: 'cache_control',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelCalls: 'tool_choice.disable_parallel_tool_use',
  format: 'output_config.format',
  reasoning: 'thinking',
  reasoningSummary: 'thinking.display',
  pastReasoning: 'thinking',
  fileName: 'messages.title',
  turns: 'messages',
  arguments: 'messages',
  webSearch: 'tools',
  searchLocation: 'tools.user_location',
  searchAllowedDomains: 'tools.allowed_domains',
  searchBlockedDomains: 'tools.blocked_domains',
  searchMaxUses: 'tools.max_uses',
}
