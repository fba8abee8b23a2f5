// Vendors with a fixed base URL, most of them with the chat dialect. Those that host models of other vendors have their own
// fields for reasoning effort, so that the name of a model does not tell them.
import { standardEndpoint, standardServices, type UpstreamKind } from '../../config/upstream-kinds.ts'
import { OWN_TO_OPENAI, UNSTREAMED } from './openai-fields.ts'

/** What most of them have in common. */
const AT_V1 = {
  baseUrlSuffix: '/v1',
  healthPath: '/models',
  testedWith: 'sandbox',
} as const satisfies Partial<UpstreamKind>

const THREE_DIALECTS: UpstreamKind['endpoints'] = [
  standardEndpoint('chat'),
  standardEndpoint('responses'),
  standardEndpoint('messages', { path: '/messages', credential: 'bearer' }),
]

export const deepseek: UpstreamKind = {
  kind: 'deepseek',
  name: 'DeepSeek',
  source: 'https://api-docs.deepseek.com/',
  keysPage: 'https://platform.deepseek.com/api_keys',
  baseUrl: 'https://api.deepseek.com',
  baseUrlSuffix: '',
  endpoints: [standardEndpoint('chat'), standardEndpoint('messages', { path: '/anthropic/v1/messages' })],
  services: { completions: { path: '/beta/completions', lacks: ['n', 'best_of', 'user', 'user_id'] } },
  service: {
    cap: 'max_tokens',
    endUser: 'user_id',
    reasoning: 'demanded',
    effort: 'switch-and-effort',
    customTools: false,
  },
  healthPath: '/models',
  testedWith: 'none',
}

/** Mistral's path for code in the middle is no path for text completions. */
const ONLY_IN_TEXT = ['echo', 'logprobs', 'best_of', 'n', 'user', 'logit_bias', 'presence_penalty', 'frequency_penalty']

export const mistral: UpstreamKind = {
  ...AT_V1,
  kind: 'mistral',
  name: 'Mistral',
  source: 'https://docs.mistral.ai/api/',
  keysPage: 'https://console.mistral.ai/api-keys',
  baseUrl: 'https://api.mistral.ai/v1',
  endpoints: [standardEndpoint('chat')],
  services: {
    embeddings: { path: '/embeddings', names: { dimensions: 'output_dimension' }, lacks: ['user'] },
    transcriptions: { path: '/audio/transcriptions', lacks: [...OWN_TO_OPENAI, 'prompt', 'response_format'] },
    ...standardServices(['moderations']),
    completions: { path: '/fim/completions', models: ['codestral'], lacks: ONLY_IN_TEXT },
  },
  service: {
    cap: 'max_tokens',
    endUser: 'none',
    reasoning: 'rejected',
    effort: 'reasoning_effort',
    customTools: false,
    streamUsage: 'always',
    seed: 'random_seed',
    callIds: 'nine-alphanumeric',
  },
}

export const groq: UpstreamKind = {
  ...AT_V1,
  kind: 'groq',
  name: 'Groq',
  source: 'https://console.groq.com/docs/openai',
  keysPage: 'https://console.groq.com/keys',
  baseUrl: 'https://api.groq.com/openai/v1',
  endpoints: [standardEndpoint('chat'), standardEndpoint('responses')],
  services: {
    speech: { path: '/audio/speech', lacks: ['instructions', 'stream_format'] },
    transcriptions: { path: '/audio/transcriptions', lacks: UNSTREAMED },
    translations: { path: '/audio/translations', lacks: UNSTREAMED },
  },
  service: {
    cap: 'max_completion_tokens',
    endUser: 'user',
    reasoning: 'rejected',
    effort: 'reasoning_effort',
    customTools: false,
    rejects: ['logprobs', 'logitBias'],
  },
}

/** Its messages dialect is deprecated: requests in it are translated. */
export const xai: UpstreamKind = {
  ...AT_V1,
  kind: 'xai',
  name: 'xAI',
  source: 'https://docs.x.ai/developers/model-capabilities/text/comparison',
  keysPage: 'https://console.x.ai/',
  baseUrl: 'https://api.x.ai/v1',
  endpoints: [standardEndpoint('responses'), standardEndpoint('chat')],
  service: { endUser: 'user', effort: 'reasoning_effort', customTools: false },
}

/** The fields for reasoning effort differ by generation, which the name of the model tells. */
export const moonshot: UpstreamKind = {
  kind: 'moonshot',
  name: 'Moonshot (Kimi)',
  source: 'https://platform.kimi.ai/docs/api/overview',
  keysPage: 'https://platform.kimi.ai/console/api-keys',
  baseUrl: 'https://api.moonshot.ai',
  mainland: { baseUrl: 'https://api.moonshot.cn', keysPage: 'https://platform.moonshot.cn/console/api-keys' },
  baseUrlSuffix: '',
  endpoints: [
    standardEndpoint('chat', { path: '/v1/chat/completions' }),
    standardEndpoint('responses', { path: '/v1/responses' }),
    standardEndpoint('messages', { path: '/anthropic/v1/messages', credential: 'bearer' }),
  ],
  service: {
    cap: 'max_completion_tokens',
    endUser: 'safety_identifier',
    reasoning: 'demanded',
    customTools: false,
  },
  healthPath: '/v1/models',
  testedWith: 'none',
}

/** Newer accounts have a base URL of their own: https://WORKSPACE.REGION.maas.aliyuncs.com */
export const qwen: UpstreamKind = {
  kind: 'qwen',
  name: 'Qwen (Alibaba Cloud Model Studio)',
  source: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
  keysPage: 'https://modelstudio.console.alibabacloud.com/?tab=playground#/api-key',
  baseUrl: 'https://dashscope-intl.aliyuncs.com',
  mainland: {
    baseUrl: 'https://dashscope.aliyuncs.com',
    keysPage: 'https://bailian.console.aliyun.com/?tab=model#/api-key',
  },
  baseUrlSuffix: '',
  endpoints: [
    standardEndpoint('chat', { path: '/compatible-mode/v1/chat/completions' }),
    standardEndpoint('messages', { path: '/apps/anthropic/v1/messages' }),
  ],
  services: {
    // Vectors are numbers only.
    embeddings: { path: '/compatible-mode/v1/embeddings', lacks: ['encoding_format', 'user'] },
    rerank: { path: '/compatible-api/v1/reranks', shape: 'cohere', lacks: ['max_tokens_per_doc'] },
  },
  service: { cap: 'max_tokens', endUser: 'none', effort: 'enable_thinking', customTools: false },
  testedWith: 'none',
}

export const openrouter: UpstreamKind = {
  ...AT_V1,
  kind: 'openrouter',
  name: 'OpenRouter',
  source: 'https://openrouter.ai/docs/quickstart',
  keysPage: 'https://openrouter.ai/settings/keys',
  baseUrl: 'https://openrouter.ai/api/v1',
  endpoints: THREE_DIALECTS,
  services: standardServices(['embeddings', 'rerank']),
  sellsManyVendors: true,
  service: { cap: 'max_tokens', endUser: 'user', effort: 'reasoning', customTools: false },
  // The list of models needs no key, and would not check it.
  healthPath: '/key',
}

export const together: UpstreamKind = {
  ...AT_V1,
  kind: 'together',
  name: 'Together AI',
  source: 'https://docs.together.ai/docs/openai-api-compatibility',
  keysPage: 'https://api.together.ai/settings/api-keys',
  baseUrl: 'https://api.together.ai/v1',
  endpoints: [standardEndpoint('chat')],
  services: {
    ...standardServices(['embeddings', 'rerank']),
    // Its streams of events are others.
    speech: { path: '/audio/speech', lacks: ['instructions', 'stream_format'] },
    transcriptions: { path: '/audio/transcriptions', lacks: UNSTREAMED },
    translations: { path: '/audio/translations', lacks: UNSTREAMED },
  },
  service: { cap: 'max_tokens', endUser: 'none', effort: 'reasoning_effort', customTools: false },
}

/** Rejects requests with both fields for reasoning effort. */
export const fireworks: UpstreamKind = {
  ...AT_V1,
  kind: 'fireworks',
  name: 'Fireworks AI',
  source: 'https://docs.fireworks.ai/nexus/apis-and-sdks',
  keysPage: 'https://app.fireworks.ai/settings/users/api-keys',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  endpoints: THREE_DIALECTS,
  services: standardServices(['embeddings', 'rerank']),
  service: { cap: 'max_tokens', endUser: 'user', effort: 'reasoning_effort', customTools: false },
}
