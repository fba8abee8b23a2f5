// Every name in a trace, in one table. Those of OpenTelemetry are of the version below; a later version that renames some of them is
// a change of this file alone.

import type { DialectId } from '@trivium/protocol/dialects/index.ts'

export const SEMANTIC_CONVENTIONS = '1.37.0'
export const SCHEMA_URL = `https://opentelemetry.io/schemas/${SEMANTIC_CONVENTIONS}`

/** Attributes of the span of a request. */
export const REQUEST_NAMES = {
  method: 'http.request.method',
  route: 'http.route',
  path: 'url.path',
  status: 'http.response.status_code',
  client: 'client.address',
  userAgent: 'user_agent.original',
  errorType: 'error.type',
  requestId: 'trivium.request_id',
  clientRequestId: 'trivium.client_request_id',
  account: 'trivium.account_id',
  key: 'trivium.key_id',
  model: 'trivium.model',
  upstream: 'trivium.upstream',
  outcome: 'trivium.outcome',
  cost: 'trivium.cost_usd',
  queueMs: 'trivium.queue_ms',
  firstTokenMs: 'trivium.first_token_ms',
} as const

/** Attributes of the span of a call to an upstream. */
export const ATTEMPT_NAMES = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  outputType: 'gen_ai.output.type',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  server: 'server.address',
  port: 'server.port',
  status: 'http.response.status_code',
  errorType: 'error.type',
  upstream: 'trivium.upstream',
  upstreamRequestId: 'trivium.upstream_request_id',
} as const

/** Values of `gen_ai.operation.name` and `gen_ai.output.type`. */
export const OPERATIONS: Readonly<Record<DialectId, { operation: string; outputType?: string }>> = {
  chat: { operation: 'chat' },
  responses: { operation: 'chat' },
  messages: { operation: 'chat' },
  'generate-content': { operation: 'generate_content' },
  images: { operation: 'generate_content', outputType: 'image' },
  'video-tasks': { operation: 'generate_content', outputType: 'video' },
}

/** Values of `gen_ai.provider.name`, where they are not the kind of the upstream. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  watsonx: 'ibm.watsonx.ai',
  xai: 'x_ai',
}

export const providerOf = (kind: string): string => (Object.hasOwn(PROVIDERS, kind) ? (PROVIDERS[kind] ?? kind) : kind)
