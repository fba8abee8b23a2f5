// Vendors that an environment variable with their key enables: their models and prices are in the price list.
import {
  standardEndpoint,
  standardImages,
  standardServices,
  standardVideos,
  type UpstreamKind,
} from '../../config/upstream-kinds.ts'

export const openai: UpstreamKind = {
  kind: 'openai',
  name: 'OpenAI',
  source: 'https://developers.openai.com/api/reference/overview',
  keysPage: 'https://platform.openai.com/api-keys',
  keyVariable: 'OPENAI_API_KEY',
  baseUrl: 'https://api.openai.com/v1',
  baseUrlSuffix: '/v1',
  // Translated requests use responses: some models support nothing else, and it keeps reasoning.
  endpoints: [standardEndpoint('responses'), standardEndpoint('chat')],
  images: standardImages({ responseFormat: 'omit' }),
  services: {
    ...standardServices(['embeddings', 'speech', 'transcriptions', 'translations', 'moderations']),
    // Its models of today are asked by chat.
    completions: { path: '/completions', models: ['gpt-3.5-turbo-instruct', 'davinci-002', 'babbage-002'] },
  },
  service: { cap: 'max_completion_tokens', endUser: 'safety_identifier', reasoning: 'rejected' },
  extraCapFields: [],
  healthPath: '/models',
  testedWith: 'sandbox',
}

/** Its chat dialect is documented as being for tests only: requests in it are translated. */
export const anthropic: UpstreamKind = {
  kind: 'anthropic',
  name: 'Anthropic',
  source: 'https://platform.claude.com/docs/en/api/overview',
  keysPage: 'https://platform.claude.com/settings/keys',
  keyVariable: 'ANTHROPIC_API_KEY',
  baseUrl: 'https://api.anthropic.com',
  baseUrlSuffix: '',
  endpoints: [standardEndpoint('messages')],
  extraCapFields: [],
  healthPath: '/v1/models',
  testedWith: 'sandbox',
}

export const gemini: UpstreamKind = {
  kind: 'gemini',
  name: 'Google Gemini API',
  source: 'https://ai.google.dev/api',
  keysPage: 'https://aistudio.google.com/apikey',
  keyVariable: 'GEMINI_API_KEY',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  baseUrlSuffix: '/v1beta',
  endpoints: [standardEndpoint('generate-content')],
  extraCapFields: [],
  healthPath: '/models',
  testedWith: 'sandbox',
}

/** Outside China it is BytePlus, in China Volcengine. */
export const ark: UpstreamKind = {
  kind: 'ark',
  name: 'Ark (BytePlus ModelArk, Volcengine)',
  source: 'https://docs.byteplus.com/en/docs/ModelArk/1494384',
  keysPage: 'https://console.byteplus.com/ark/apiKey',
  keyVariable: 'ARK_API_KEY',
  baseUrl: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  mainland: {
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    keysPage: 'https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey',
  },
  baseUrlSuffix: '/api/v3',
  endpoints: [standardEndpoint('chat'), standardEndpoint('responses')],
  // Images to edit go to the same path.
  images: {
    generations: '/images/generations',
    credential: 'bearer',
    responseFormat: 'b64_json',
    makesOne: true,
    hasOwnStreams: true,
    lacks: ['n', 'user', 'moderation', 'quality', 'background', 'style', 'input_fidelity', 'output_compression'],
    makesSeries: true,
  },
  videos: standardVideos(),
  services: standardServices(['embeddings']),
  // Its max_tokens does not limit reasoning, which is billed, too.
  service: { cap: 'max_completion_tokens', endUser: 'none', effort: 'thinking-switch', customTools: false },
  testedWith: 'none',
}
