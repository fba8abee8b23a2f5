import type { RequestOrigin } from '../../../canonical/request.ts'

export const origin: RequestOrigin = {
  dialect: 'chat',
  fields: { choices: 'n', modalities: 'modalities', toolChoice: 'tool_choice' },
  hasStrictSwitch: true,
  mentionsJson: true,
  showsReasoning: false,
}
