// Vendors that an environment variable switches on by itself: their models and prices are in the price list.
import { type Kind, spoken } from '../../config/upstream-kinds.ts'

export const openai: Kind = {
  kind: 'openai',
  name: 'OpenAI',
  source: 'https://developers.openai.com/api/reference/overview',
  variable: 'OPENAI_API_KEY',
  baseUrl: 'https://api.openai.com/v1',
  ending: '/v1',
  // What has to be translated goes to responses: some models speak nothing else, and it keeps thoughts.
  speaks: [spoken('responses'), spoken('chat')],
  service: { cap: 'max_completion_tokens', endUser: 'safety_identifier', reasoning: 'refused' },
  otherCaps: [],
  health: '/models',
  tried: 'sandbox',
}

/** Its chat dialect is for trying things out only, as it says itself: such callers are translated. */
export const anthropic: Kind = {
  kind: 'anthropic',
  name: 'Anthropic',
  source: 'https://platform.claude.com/docs/en/api/overview',
  variable: 'ANTHROPIC_API_KEY',
  baseUrl: 'https://api.anthropic.com',
  ending: '',
  speaks: [spoken('messages')],
  otherCaps: [],
  health: '/v1/models',
  tried: 'sandbox',
}

export const gemini: Kind = {
  kind: 'gemini',
  name: 'Google Gemini API',
  source: 'https://ai.google.dev/api',
  variable: 'GEMINI_API_KEY',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  ending: '/v1beta',
  speaks: [spoken('generate-content')],
  otherCaps: [],
  health: '/models',
  tried: 'sandbox',
}

/** The address outside China (BytePlus). In China: https://ark.cn-beijing.volces.com/api/v3 */
export const ark: Kind = {
  kind: 'ark',
  name: 'Ark (BytePlus ModelArk, Volcengine)',
  source: 'https://docs.byteplus.com/en/docs/ModelArk/1494384',
  variable: 'ARK_API_KEY',
  baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  ending: '/api/v3',
  speaks: [spoken('chat'), spoken('responses')],
  // Its max_tokens leaves out thoughts, which are billed all the same.
  service: { cap: 'max_completion_tokens', endUser: 'none', effort: 'switch', customTools: false },
  tried: 'untried',
}
