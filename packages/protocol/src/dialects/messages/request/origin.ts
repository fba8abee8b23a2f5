import type { RequestOrigin } from '../../../canonical/request.ts'

export const origin: RequestOrigin = {
  dialect: 'messages',
  fields: { choices: undefined, modalities: undefined, toolChoice: 'tool_choice' },
  hasStrictSwitch: false,
  mentionsJson: true,
  showsReasoning: true,
}
