// Self-hosted servers. The base URLs are the defaults of a server on the same machine.
import { standardEndpoint, standardServices, type UpstreamKind } from '../../config/upstream-kinds.ts'

/** What these servers have in common. */
const SELF_HOSTED = {
  baseUrlSuffix: '/v1',
  keyless: true,
  service: { cap: 'max_tokens', endUser: 'none', effort: 'reasoning_effort', customTools: false },
  services: standardServices(['embeddings']),
  healthPath: '/models',
  testedWith: 'sandbox',
} as const satisfies Partial<UpstreamKind>

/** A server that ignores `dimensions`, and answers with vectors of the model's own length. */
const FULL_VECTORS = { embeddings: { path: '/embeddings', lacks: ['dimensions'] } } as const

/** Text completions without a suffix: code in the middle has a path of its own there, or none. */
const UNFILLED = { completions: { path: '/completions', lacks: ['suffix'] } } as const

type Differences = Parameters<typeof standardEndpoint>[1]

/** `differences`: of each dialect from what its vendor's servers do. */
const endpointsWith = (
  credential: 'bearer' | 'x-api-key',
  differences: { chat?: Differences; responses?: Differences; messages?: Differences } = {},
): UpstreamKind['endpoints'] => [
  standardEndpoint('chat', differences.chat),
  standardEndpoint('responses', differences.responses),
  standardEndpoint('messages', { path: '/messages', credential, ...differences.messages }),
]

/** A self-hosted server takes any key or none; the hosted one, https://ollama.com/v1, takes a bearer token only. */
export const ollama: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'ollama',
  name: 'Ollama',
  services: standardServices(['embeddings', 'completions']),
  source: 'https://docs.ollama.com/api/openai-compatibility',
  baseUrl: 'http://127.0.0.1:11434/v1',
  // Seen at version 0.17.
  endpoints: endpointsWith('bearer', {
    chat: { ignores: ['forced_tools'] },
    responses: { ignores: ['json_object', 'forced_tools'], completesAtCap: true },
    messages: { ignores: ['json_schema', 'json_object', 'forced_tools'], guessesInput: true },
  }),
}

export const vllm: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'vllm',
  name: 'vLLM',
  source: 'https://docs.vllm.ai/en/stable/serving/online_serving.html',
  baseUrl: 'http://127.0.0.1:8000/v1',
  endpoints: endpointsWith('bearer'),
  services: {
    ...standardServices(['embeddings', 'rerank', 'transcriptions', 'translations']),
    ...UNFILLED,
  },
  service: { endUser: 'none', effort: 'reasoning_effort', customTools: false },
}

export const llamaCpp: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'llama-cpp',
  name: 'llama.cpp (llama-server)',
  source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  baseUrl: 'http://127.0.0.1:8080/v1',
  // Seen at the commit 0c1e570: only its chat dialect constrains the output, and only its messages dialect reads the name of a tool
  // that must be called, as an obligation to call any.
  endpoints: endpointsWith('x-api-key', {
    chat: { ignores: ['named_tool'] },
    responses: { ignores: ['json_schema', 'json_object', 'named_tool'], completesAtCap: true },
    messages: { ignores: ['json_schema', 'json_object'] },
  }),
  services: { ...FULL_VECTORS, ...standardServices(['rerank']), ...UNFILLED },
}

export const lmStudio: UpstreamKind = {
  ...SELF_HOSTED,
  kind: 'lm-studio',
  name: 'LM Studio',
  source: 'https://lmstudio.ai/docs/developer/openai-compat',
  baseUrl: 'http://127.0.0.1:1234/v1',
  endpoints: endpointsWith('x-api-key'),
  services: { ...FULL_VECTORS, ...UNFILLED },
}
