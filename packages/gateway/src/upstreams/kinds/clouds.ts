// Cloud platforms: every customer has a base URL of its own, which must be configured.
import { standardEndpoint, standardImages, standardServices, type UpstreamKind } from '../../config/upstream-kinds.ts'

/** A route's `model` is the name of a deployment, which does not tell the model behind it. */
export const azure: UpstreamKind = {
  kind: 'azure',
  name: 'Azure OpenAI',
  source: 'https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle',
  keysPage: 'https://portal.azure.com/',
  example: 'https://my-resource.openai.azure.com/openai/v1',
  baseUrlSuffix: '/openai/v1',
  endpoints: [
    standardEndpoint('responses', { credential: 'api-key' }),
    standardEndpoint('chat', { credential: 'api-key' }),
  ],
  // The request's `model` names the deployment, as in the other dialects of this base URL.
  images: standardImages({ credential: 'api-key', responseFormat: 'omit' }),
  services: standardServices(['embeddings']),
  service: { cap: 'max_completion_tokens', endUser: 'user', reasoning: 'rejected', effort: 'reasoning_effort' },
  healthPath: '/models',
  auth: { types: ['key', 'entra'] },
  testedWith: 'none',
}

/** With an access token, which expires after an hour. Only Google's own models. */
export const vertex: UpstreamKind = {
  kind: 'vertex',
  name: 'Vertex AI (access token)',
  source: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
  example: 'https://us-central1-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-central1',
  endpoints: [
    standardEndpoint('generate-content', { path: '/publishers/google/{model}:{method}', credential: 'bearer' }),
  ],
  auth: { types: ['key', 'google'] },
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

/** With a Bedrock API key. The older base URL, bedrock-mantle.REGION.api.aws/v1, has models that this one does not have. */
export const bedrock: UpstreamKind = {
  kind: 'bedrock',
  name: 'Amazon Bedrock',
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html',
  keysPage: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
  example: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1',
  baseUrlSuffix: '/v1',
  endpoints: [standardEndpoint('chat'), standardEndpoint('responses')],
  service: { endUser: 'none', effort: 'reasoning_effort', customTools: false },
  auth: { types: ['key', 'aws'], service: 'bedrock' },
  testedWith: 'sandbox',
}

/** Claude, with a Bedrock API key. */
export const bedrockClaude: UpstreamKind = {
  kind: 'bedrock-claude',
  name: 'Claude in Amazon Bedrock',
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html',
  keysPage: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
  example: 'https://bedrock-mantle.us-east-1.api.aws/anthropic',
  baseUrlSuffix: '',
  endpoints: [standardEndpoint('messages', { credential: 'bearer' })],
  auth: { types: ['key', 'aws'], service: 'bedrock' },
  testedWith: 'sandbox',
}
