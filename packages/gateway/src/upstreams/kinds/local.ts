// Self-hosted servers. The base URLs are the defaults of a server on the same machine.
import { standardEndpoint, type UpstreamKind } from '../../config/upstream-kinds.ts'

/** What these servers have in common. */
const SELF_HOSTED = {
  baseUrlSuffix: '/v1',
  keyless: true,
  service: { cap: 'max_tokens', endUser: 'none', effort: 'word', customTools: false },
  healthPath: '/models',
  tried: 'sandbox',
} as const satisfies Partial<UpstreamKind>

const endpointsWith = (credential: 'bearer' | 'x-api-key'): UpstreamKind['endpoints'] => [
  standardEndpoint('chat'),
  standardEndpoint('responses'),
  standardEndpoint('messages', { path: '/messages', credential }),
]

/** A self-hosted server takes any key or none; the hosted one, https://ollama.com/v1, takes a bearer token only. */
export const ollama: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'ollama',
  name: 'Ollama',
  source: 'https://docs.ollama.com/api/openai-compatibility',
  baseUrl: 'http://127.0.0.1:11434/v1',
  endpoints: endpointsWith('bearer'),
}

export const vllm: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'vllm',
  name: 'vLLM',
  source: 'https://docs.vllm.ai/en/stable/serving/online_serving.html',
  baseUrl: 'http://127.0.0.1:8000/v1',
  endpoints: endpointsWith('bearer'),
  service: { endUser: 'none', effort: 'word', customTools: false },
}

export const llamaCpp: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'llama-cpp',
  name: 'llama.cpp (llama-server)',
  source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  baseUrl: 'http://127.0.0.1:8080/v1',
  endpoints: endpointsWith('x-api-key'),
}

export const lmStudio: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'lm-studio',
  name: 'LM Studio',
  source: 'https://lmstudio.ai/docs/developer/openai-compat',
  baseUrl: 'http://127.0.0.1:1234/v1',
  endpoints: endpointsWith('x-api-key'),
}
