import type { RequestOrigin } from '../../../canonical/request.ts'

export const origin: RequestOrigin = {
  dialect: 'generate-content',
  fields: {
    choices: 'generationConfig.candidateCount',
    modalities: 'generationConfig.responseModalities',
    toolChoice: 'toolConfig.functionCallingConfig',
  },
  hasStrictSwitch: false,
  mentionsJson: false,
  showsReasoning: false,
}
