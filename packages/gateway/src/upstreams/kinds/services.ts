// Vendors and servers of embeddings, rerank and audio. Most of them have no text models.
import { standardEndpoint, standardServices, type UpstreamKind } from '../../config/upstream-kinds.ts'
import { UNSTREAMED } from './openai-fields.ts'

/** Its own embeddings API has dimensions, but also a required field that others do not know; the compatible one has neither. */
export const cohere: UpstreamKind = {
  kind: 'cohere',
  name: 'Cohere',
  source: 'https://docs.cohere.com/docs/compatibility-api',
  keysPage: 'https://dashboard.cohere.com/api-keys',
  baseUrl: 'https://api.cohere.ai',
  baseUrlSuffix: '',
  endpoints: [standardEndpoint('chat', { path: '/compatibility/v1/chat/completions' })],
  services: {
    embeddings: { path: '/compatibility/v1/embeddings', lacks: ['dimensions', 'user'], embed: '/v2/embed' },
    rerank: { path: '/v2/rerank', shape: 'cohere' },
  },
  service: { cap: 'max_tokens', endUser: 'none', effort: 'reasoning_effort', customTools: false },
  healthPath: '/v1/models',
  testedWith: 'none',
}

export const voyage: UpstreamKind = {
  kind: 'voyage',
  name: 'Voyage AI',
  source: 'https://docs.voyageai.com/reference/embeddings-api',
  keysPage: 'https://dashboard.voyageai.com/',
  baseUrl: 'https://api.voyageai.com/v1',
  baseUrlSuffix: '/v1',
  endpoints: [],
  // `encoding_format` may be base64, and nothing else.
  services: {
    embeddings: {
      path: '/embeddings',
      names: { dimensions: 'output_dimension' },
      lacks: ['encoding_format', 'user'],
    },
    rerank: { path: '/rerank', shape: 'voyage' },
  },
  testedWith: 'none',
}

export const jina: UpstreamKind = {
  kind: 'jina',
  name: 'Jina AI',
  source: 'https://api.jina.ai/redoc',
  keysPage: 'https://jina.ai/api-dashboard/',
  baseUrl: 'https://api.jina.ai/v1',
  baseUrlSuffix: '/v1',
  endpoints: [],
  services: {
    embeddings: { path: '/embeddings', names: { encoding_format: 'embedding_type' }, lacks: ['user'] },
    ...standardServices(['rerank']),
  },
  testedWith: 'none',
}

export const siliconflow: UpstreamKind = {
  kind: 'siliconflow',
  name: 'SiliconFlow',
  source: 'https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions',
  keysPage: 'https://cloud.siliconflow.com/account/ak',
  baseUrl: 'https://api.siliconflow.com/v1',
  mainland: { baseUrl: 'https://api.siliconflow.cn/v1', keysPage: 'https://cloud.siliconflow.cn/account/ak' },
  baseUrlSuffix: '/v1',
  endpoints: [standardEndpoint('chat')],
  services: {
    embeddings: { path: '/embeddings', lacks: ['user'] },
    ...standardServices(['rerank']),
    speech: { path: '/audio/speech', lacks: ['instructions', 'stream_format'] },
    // Nothing but the file and the model.
    transcriptions: {
      path: '/audio/transcriptions',
      lacks: [...UNSTREAMED, 'language', 'prompt', 'temperature', 'response_format', 'timestamp_granularities'],
    },
  },
  service: { cap: 'max_tokens', endUser: 'none', effort: 'enable_thinking', customTools: false },
  healthPath: '/models',
  testedWith: 'none',
}

/** Hugging Face's server for one model: a route's `model` is not looked at. */
export const tei: UpstreamKind = {
  kind: 'tei',
  name: 'Text Embeddings Inference',
  source: 'https://huggingface.github.io/text-embeddings-inference/',
  baseUrl: 'http://127.0.0.1:8080',
  baseUrlSuffix: '',
  keyless: true,
  endpoints: [],
  services: { embeddings: { path: '/v1/embeddings' }, rerank: { path: '/rerank', shape: 'tei' } },
  healthPath: '/info',
  testedWith: 'none',
}

export const infinity: UpstreamKind = {
  kind: 'infinity',
  name: 'Infinity',
  source: 'https://michaelfeil.github.io/infinity/',
  baseUrl: 'http://127.0.0.1:7997',
  baseUrlSuffix: '',
  keyless: true,
  endpoints: [],
  services: standardServices(['embeddings', 'rerank']),
  healthPath: '/models',
  testedWith: 'none',
}

export const speaches: UpstreamKind = {
  kind: 'speaches',
  name: 'speaches',
  source: 'https://speaches.ai/',
  baseUrl: 'http://127.0.0.1:8000/v1',
  baseUrlSuffix: '/v1',
  keyless: true,
  endpoints: [],
  services: standardServices(['speech', 'transcriptions', 'translations']),
  healthPath: '/models',
  testedWith: 'none',
}
