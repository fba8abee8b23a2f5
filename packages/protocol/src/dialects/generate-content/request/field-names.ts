// The dialect's names for what a target may not be able to express, for warnings.

import type { FieldNames } from '../../../canonical/warning.ts'

export const fieldNames: FieldNames = {
  temperature: 'generationConfig.temperature',
  topP: 'generationConfig.topP',
  topK: 'generationConfig.topK',
  presencePenalty: 'generationConfig.presencePenalty',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  seed: 'generationConfig.seed',
  stop: 'generationConfig.stopSequences',
  logprobs: 'generationConfig.responseLogprobs',
  tier: 'serviceTier',
  metadata: 'labels',
  store: 'store',
  tools: 'tools',
  toolChoice: 'toolConfig',
  format: 'generationConfig.responseMimeType',
  reasoning: 'generationConfig.thinkingConfig',
  pastReasoning: 'generationConfig.thinkingConfig',
  fileName: 'contents.parts.displayName',
  turns: 'contents',
  detail: 'generationConfig.mediaResolution',
  arguments: 'contents.parts.functionCall.args',
  webSearch: 'tools',
  searchBlockedDomains: 'tools.googleSearch.excludeDomains',
}
