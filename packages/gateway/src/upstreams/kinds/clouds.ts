// Cloud platforms: every customer has a base URL of its own, which follows from where it is, or must be configured.

import type { UpstreamEndpoint } from '../../config/types.ts'
import { standardEndpoint, standardImages, standardServices, type UpstreamKind } from '../../config/upstream-kinds.ts'

/** Models that think send nothing meanwhile, and clouds pass no sign of life on. */
const SILENT_MS = 300_000

/** Without headers: the clouds that host the model are told the version of the dialect in the body. */
const hosted = (differences: Partial<UpstreamEndpoint>): UpstreamEndpoint =>
  standardEndpoint('messages', { headers: {}, ...differences })

const AZURE_KEYS = 'https://portal.azure.com/'
const ENTRA_OPENAI = 'https://cognitiveservices.azure.com/.default'
const ENTRA_FOUNDRY = 'https://ai.azure.com/.default'
const ENTRA_HOSTS = {
  '.services.ai.azure.com': ENTRA_FOUNDRY,
  '.azure.us': 'https://cognitiveservices.azure.us/.default',
  '.azure.cn': 'https://cognitiveservices.azure.cn/.default',
}
const AZURE_SERVICE = {
  cap: 'max_completion_tokens',
  endUser: 'user',
  reasoning: 'rejected',
  effort: 'reasoning_effort',
} as const

/** A route's `model` is the name of a deployment, which does not tell the model behind it. */
export const azure: UpstreamKind = {
  kind: 'azure',
  name: 'Azure OpenAI',
  source: 'https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle',
  keysPage: AZURE_KEYS,
  example: 'https://my-resource.openai.azure.com/openai/v1',
  place: { fields: ['resource'], baseUrl: 'https://{resource}.openai.azure.com/openai/v1' },
  baseUrlSuffix: '/openai/v1',
  endpoints: [
    standardEndpoint('responses', { credential: 'api-key' }),
    standardEndpoint('chat', { credential: 'api-key' }),
  ],
  // The request's `model` names the deployment, as in the other dialects of this base URL.
  images: standardImages({ credential: 'api-key', responseFormat: 'omit' }),
  services: standardServices(['embeddings']),
  service: AZURE_SERVICE,
  healthPath: '/models',
  lists: 'deployments',
  idleMs: SILENT_MS,
  auth: { types: ['key', 'entra'], service: ENTRA_OPENAI, byHost: ENTRA_HOSTS },
  testedWith: 'none',
}

const deployed = (path: string): string => `/deployments/{model}${path}`

/** The older API, in which each deployment has a path of its own. */
export const azureClassic: UpstreamKind = {
  kind: 'azure-classic',
  name: 'Azure OpenAI (deployments and api-version)',
  source: 'https://learn.microsoft.com/azure/foundry/openai/reference',
  keysPage: AZURE_KEYS,
  example: 'https://my-resource.openai.azure.com/openai',
  place: { fields: ['resource'], baseUrl: 'https://{resource}.openai.azure.com/openai' },
  baseUrlSuffix: '/openai',
  apiVersion: '2024-10-21',
  framing: 'deployments',
  endpoints: [standardEndpoint('chat', { credential: 'api-key', path: deployed('/chat/completions') })],
  images: standardImages({
    credential: 'api-key',
    generations: deployed('/images/generations'),
    edits: deployed('/images/edits'),
  }),
  services: {
    embeddings: { path: deployed('/embeddings') },
    speech: { path: deployed('/audio/speech') },
    transcriptions: { path: deployed('/audio/transcriptions') },
    translations: { path: deployed('/audio/translations') },
    completions: { path: deployed('/completions') },
  },
  service: AZURE_SERVICE,
  healthPath: '/models',
  lists: 'deployments',
  idleMs: SILENT_MS,
  auth: { types: ['key', 'entra'], service: ENTRA_OPENAI, byHost: ENTRA_HOSTS },
  testedWith: 'none',
}

export const azureClaude: UpstreamKind = {
  kind: 'azure-claude',
  name: 'Claude in Microsoft Foundry',
  source: 'https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry',
  keysPage: AZURE_KEYS,
  example: 'https://my-resource.services.ai.azure.com/anthropic',
  place: { fields: ['resource'], baseUrl: 'https://{resource}.services.ai.azure.com/anthropic' },
  baseUrlSuffix: '/anthropic',
  endpoints: [standardEndpoint('messages')],
  idleMs: SILENT_MS,
  auth: { types: ['key', 'entra'], service: ENTRA_FOUNDRY },
  testedWith: 'none',
}

const VERTEX = 'https://{host}/v1/projects/{project}/locations/{location}'
const VERTEX_EXAMPLE = 'https://us-central1-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-central1'
const VERTEX_PLACE = { fields: ['project', 'location'], baseUrl: VERTEX } as const
const VERTEX_AUTH = { types: ['key', 'google'] } as const

/** Gemini in its own dialect, and models of other vendors in OpenAI's, as `publisher/model`. */
export const vertex: UpstreamKind = {
  kind: 'vertex',
  name: 'Vertex AI',
  source: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
  keysPage: 'https://console.cloud.google.com/apis/credentials',
  example: VERTEX_EXAMPLE,
  place: VERTEX_PLACE,
  framing: 'predict',
  endpoints: [
    standardEndpoint('generate-content', { path: '/publishers/google/{model}:{method}', credential: 'google' }),
    standardEndpoint('chat', {
      path: '/endpoints/openapi/chat/completions',
      credential: 'google',
      models: /^(?!models\/|tunedModels\/)[\w-]+\//,
    }),
  ],
  service: { endUser: 'none' },
  lists: 'publishers',
  idleMs: SILENT_MS,
  auth: VERTEX_AUTH,
  testedWith: 'none',
}

export const vertexClaude: UpstreamKind = {
  kind: 'vertex-claude',
  name: 'Claude in Vertex AI',
  source: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
  keysPage: 'https://console.cloud.google.com/apis/credentials',
  example: VERTEX_EXAMPLE,
  place: VERTEX_PLACE,
  framing: 'raw-predict',
  endpoints: [hosted({ credential: 'google' })],
  lists: 'publishers',
  idleMs: SILENT_MS,
  auth: VERTEX_AUTH,
  testedWith: 'none',
}

/** With an API key; the base URL names neither project nor location. */
export const vertexExpress: UpstreamKind = {
  kind: 'vertex-express',
  name: 'Vertex AI in express mode (API key)',
  source:
    'https://cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/vertex-ai-express-mode-api-reference',
  keysPage: 'https://console.cloud.google.com/apis/credentials',
  baseUrl: 'https://aiplatform.googleapis.com/v1',
  endpoints: [standardEndpoint('generate-content', { path: '/publishers/google/{model}:{method}' })],
  testedWith: 'none',
}

const BEDROCK_KEYS = 'https://console.aws.amazon.com/bedrock/home#/api-keys'
const RUNTIME = 'https://bedrock-runtime.{region}.{amazonaws}'
const BEDROCK_AUTH = { types: ['key', 'aws'], service: 'bedrock', byHost: { '.api.aws': 'bedrock-mantle' } } as const
const OPENAI_IN_BEDROCK = { endUser: 'none', effort: 'reasoning_effort', customTools: false } as const

/** `bedrockMantle` has models that this one does not have. */
export const bedrock: UpstreamKind = {
  kind: 'bedrock',
  name: 'Amazon Bedrock',
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html',
  keysPage: BEDROCK_KEYS,
  example: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1',
  place: { fields: ['region'], baseUrl: `${RUNTIME}/openai/v1` },
  baseUrlSuffix: '/v1',
  endpoints: [standardEndpoint('chat'), standardEndpoint('responses')],
  service: OPENAI_IN_BEDROCK,
  lists: 'foundation-models',
  idleMs: SILENT_MS,
  auth: BEDROCK_AUTH,
  testedWith: 'sandbox',
}

/** Claude by the Messages API of Bedrock. */
export const bedrockClaude: UpstreamKind = {
  kind: 'bedrock-claude',
  name: 'Claude in Amazon Bedrock',
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html',
  keysPage: BEDROCK_KEYS,
  example: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic',
  place: { fields: ['region'], baseUrl: `${RUNTIME}/anthropic` },
  baseUrlSuffix: '',
  framing: 'marks-in-blocks',
  endpoints: [standardEndpoint('messages', { credential: 'bearer' })],
  lists: 'foundation-models',
  idleMs: SILENT_MS,
  auth: BEDROCK_AUTH,
  testedWith: 'sandbox',
}

/** Claude by InvokeModel, in regions and partitions without the Messages API. */
export const bedrockInvoke: UpstreamKind = {
  kind: 'bedrock-invoke',
  name: 'Claude in Amazon Bedrock (InvokeModel)',
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
  keysPage: BEDROCK_KEYS,
  example: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  place: { fields: ['region'], baseUrl: RUNTIME },
  baseUrlSuffix: '',
  framing: 'invoke-model',
  endpoints: [hosted({ credential: 'bearer' })],
  lists: 'foundation-models',
  idleMs: SILENT_MS,
  auth: BEDROCK_AUTH,
  testedWith: 'none',
}

/** Claude answers in its own dialect alone, and other models in OpenAI's. */
export const bedrockMantle: UpstreamKind = {
  kind: 'bedrock-mantle',
  name: 'Amazon Bedrock (bedrock-mantle)',
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html',
  keysPage: BEDROCK_KEYS,
  example: 'https://bedrock-mantle.us-east-1.api.aws',
  place: { fields: ['region'], baseUrl: 'https://bedrock-mantle.{region}.api.aws' },
  baseUrlSuffix: '',
  endpoints: [
    standardEndpoint('chat', { path: '/v1/chat/completions' }),
    standardEndpoint('responses', { path: '/v1/responses' }),
    standardEndpoint('messages', {
      path: '/anthropic/v1/messages',
      credential: 'bearer',
      models: /^anthropic\.|claude/i,
    }),
  ],
  service: OPENAI_IN_BEDROCK,
  healthPath: '/v1/models',
  idleMs: SILENT_MS,
  auth: { types: ['key', 'aws'], service: 'bedrock-mantle' },
  testedWith: 'none',
}
