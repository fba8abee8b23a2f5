import type { RequestOrigin } from '../../../canonical/request.ts'

export const origin: RequestOrigin = {
  dialect: 'responses',
  fields: { choices: undefined, modalities: undefined, toolChoice: 'tool_choice' },
  hasStrictSwitch: true,
  mentionsJson: true,
  showsReasoning: false,
}
