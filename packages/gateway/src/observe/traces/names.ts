// Every name in a trace, in one table. Those of OpenTelemetry are of the version below; a later version that renames some of them is
// a change of this file alone.

import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import { ROUTES, type RouteId } from '@trivium/protocol/routes.ts'

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
  endUser: 'user.id',
  session: 'session.id',
  tags: 'langfuse.trace.tags',
  openInferenceTags: 'tag.tags',
  openInferenceKind: 'openinference.span.kind',
} as const

/** Attributes of the span of a call to an upstream. */
export const CALL_NAMES = {
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
  endUser: 'user.id',
  session: 'session.id',
  conversation: 'gen_ai.conversation.id',
  stream: 'gen_ai.request.stream',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  previousResponse: 'gen_ai.request.previous_response.id',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
  /** What the conventions called it before. */
  cacheCreation: 'gen_ai.usage.cache_creation.input_tokens',
  reasoning: 'gen_ai.usage.reasoning.output_tokens',
  cost: 'gen_ai.usage.cost',
  /** Langfuse: its own names win over those above, of which it would count two as tokens of their own. */
  langfuseType: 'langfuse.observation.type',
  langfuseModel: 'langfuse.observation.model.name',
  langfuseUsage: 'langfuse.observation.usage_details',
  langfuseCost: 'langfuse.observation.cost_details',
  langfuseFirstToken: 'langfuse.observation.completion_start_time',
  /** OpenInference, which Phoenix reads. */
  openInferenceKind: 'openinference.span.kind',
  openInferenceModel: 'llm.model_name',
  openInferenceEmbedding: 'embedding.model_name',
  openInferenceInput: 'llm.token_count.prompt',
  openInferenceOutput: 'llm.token_count.completion',
  openInferenceTotal: 'llm.token_count.total',
  openInferenceCached: 'llm.token_count.prompt_details.cache_read',
  openInferenceCost: 'llm.cost.total',
} as const

/** The value of `openinference.span.kind` for a request. */
export const OPEN_INFERENCE_REQUEST = 'CHAIN'

/** How tools name a kind of call: `langfuse.observation.type`, `openinference.span.kind` and where OpenInference has its model. */
export type ToolKind = {
  langfuse: string
  openInference: string
  model: 'openInferenceModel' | 'openInferenceEmbedding'
}
const GENERATION: ToolKind = { langfuse: 'generation', openInference: 'LLM', model: 'openInferenceModel' }
const EMBEDDING: ToolKind = { langfuse: 'embedding', openInference: 'EMBEDDING', model: 'openInferenceEmbedding' }
const RERANKING: ToolKind = { langfuse: 'retriever', openInference: 'RERANKER', model: 'openInferenceModel' }

type Operation = { operation: string; outputType?: string; kind?: ToolKind }
/** What is asked in a text dialect and generates no text, by the modality of the route. */
const SERVICE_OPERATIONS: Readonly<Partial<Record<string, Operation>>> = {
  embedding: { operation: 'embeddings', kind: EMBEDDING },
  rerank: { operation: 'rerank', kind: RERANKING },
  moderation: { operation: 'moderation' },
  speech: { operation: 'generate_content', outputType: 'speech', kind: GENERATION },
  transcription: { operation: 'generate_content', outputType: 'text', kind: GENERATION },
}

/** Values of `gen_ai.operation.name` and `gen_ai.output.type`. */
const OPERATIONS: Readonly<Record<DialectId, Operation>> = {
  chat: { operation: 'chat', kind: GENERATION },
  responses: { operation: 'chat', kind: GENERATION },
  messages: { operation: 'chat', kind: GENERATION },
  'generate-content': { operation: 'generate_content', kind: GENERATION },
  images: { operation: 'generate_content', outputType: 'image', kind: GENERATION },
  'video-tasks': { operation: 'generate_content', outputType: 'video', kind: GENERATION },
}

/** Empty: requests of this route call no models. */
export function modalityOf(route: RouteId | undefined): string {
  const { modality = '' }: { modality?: string } = route === undefined ? NO_ROUTE : ROUTES[route]
  return modality
}
const NO_ROUTE = {}

export const operationOf = (dialect: DialectId, modality: string): Operation =>
  SERVICE_OPERATIONS[modality] ?? OPERATIONS[dialect]

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
