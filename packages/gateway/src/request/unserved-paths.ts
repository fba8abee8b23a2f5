// Paths of the vendors' APIs that this gateway does not serve. A client that calls one of them has the right base URL:
// the message says so, and what is served instead.
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'

const OFFERED = Object.values<Endpoint>(ENDPOINTS).flatMap(({ offered }) => offered)
const SERVED = `Available: ${OFFERED.join(', ')} and token counting; GET /v1/models lists the models.`

/** Google's SDKs choose the version themselves. */
const google = (name: string): string[] => ['/v1', '/v1beta', '/v1alpha'].map((version) => `${version}/${name}`)

/** The feature at a path and below it, as the beginning of a sentence. */
export const UNSERVED_APIS = [
  ['Voices of your own are', ['/v1/audio']],
  ['Batches are', ['/v1/batches', '/v1/messages/batches', ...google('batches')]],
  ['The realtime API is', ['/v1/realtime']],
  ['Files are', ['/v1/uploads', ...google('files'), ...google('files').map((path) => `/upload${path}`)]],
  ['Legacy completions of Anthropic are', ['/v1/complete']],
  ['The Assistants API is', ['/v1/assistants', '/v1/threads']],
  ['Fine-tuning is', ['/v1/fine_tuning', '/v1/fine-tunes', ...google('tunedModels')]],
  ['Vector stores are', ['/v1/vector_stores']],
  ['Image variations are', ['/v1/images/variations']],
  ["OpenAI's video API is", ['/v1/videos']],
  ['Stored conversations are', ['/v1/conversations']],
  ['Containers are', ['/v1/containers']],
  ['Evaluations are', ['/v1/evals']],
  ['Skills are', ['/v1/skills']],
  ['Administration of an organization is', ['/v1/organization', '/v1/organizations']],
  ['Cached contents are', google('cachedContents')],
  ['Corpora and file search stores are', [...google('corpora'), ...google('fileSearchStores')]],
  ['Interactions are', google('interactions')],
  ['The live API is', ['/ws', ...google('live'), ...google('authTokens'), ...google('auth_tokens')]],
  ['Compaction of responses is', ['/v1/responses/compact']],
  [
    'This part of the Ark API is',
    ['chat', 'responses', 'images', 'embeddings', 'files', 'tokenization', 'context'].map((name) => `/api/v3/${name}`),
  ],
] as const satisfies readonly (readonly [name: string, paths: readonly string[]])[]

/** Methods of generate-content, which follow the model id. */
export const UNSERVED_VERBS = {
  asyncBatchEmbedContent: 'Batches are',
  batchGenerateContent: 'Batches are',
  predict: 'Predictions are',
  predictLongRunning: 'Predictions are',
  generateAnswer: 'Grounded answers are',
  bidiGenerateContent: 'The live API is',
  createCachedContent: 'Cached contents are',
} as const satisfies Record<string, string>
const VERB = new RegExp(`^/v1(?:beta|alpha)?/models/.+:(${Object.keys(UNSERVED_VERBS).join('|')})$`)

/** The features by name. */
export type UnservedFeature = (typeof UNSERVED_APIS)[number][0] | (typeof UNSERVED_VERBS)[keyof typeof UNSERVED_VERBS]

/** Why this path is not served; undefined if it belongs to no known API. */
export function describeUnservedPath(path: string): string | undefined {
  const verb = VERB.exec(path)?.[1] as keyof typeof UNSERVED_VERBS | undefined
  const name =
    verb === undefined
      ? UNSERVED_APIS.find(([, paths]) => paths.some((each) => isUnder(path, each)))?.[0]
      : UNSERVED_VERBS[verb]
  if (name === undefined) return undefined
  const videos = path.startsWith('/v1/videos') ? ' Create videos with POST /api/v3/contents/generations/tasks.' : ''
  return `${name} not available here.${videos} ${SERVED}`
}

/** Tells an unserved method from a model id that contains a colon. */
export const isUnservedMethod = (path: string): boolean => VERB.test(path)

const isUnder = (path: string, api: string): boolean => path === api || path.startsWith(`${api}/`)
