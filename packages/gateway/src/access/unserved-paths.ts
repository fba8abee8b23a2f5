// Paths of the vendors' APIs that this gateway does not serve. A client that calls one of them has the right base URL:
// the message says so, and what is served instead.

const SERVED =
  'This gateway serves chat completions, responses, messages and generateContent; GET /v1/models lists the models.'

/** The feature at a path and below it, as the beginning of a sentence. */
const APIS: readonly [name: string, paths: readonly string[]][] = [
  ['Embeddings are', ['/v1/embeddings']],
  ['Audio (speech, transcription, translation) is', ['/v1/audio']],
  ['Reranking is', ['/v1/rerank', '/v2/rerank']],
  ['Moderations are', ['/v1/moderations']],
  ['Batches are', ['/v1/batches', '/v1/messages/batches', '/v1beta/batches']],
  ['The realtime API is', ['/v1/realtime']],
  ['Files are', ['/v1/files', '/v1/uploads', '/v1beta/files', '/upload/v1beta/files']],
  ['Legacy text completions are', ['/v1/completions', '/v1/complete']],
  ['The Assistants API is', ['/v1/assistants', '/v1/threads']],
  ['Fine-tuning is', ['/v1/fine_tuning', '/v1/fine-tunes', '/v1beta/tunedModels']],
  ['Vector stores are', ['/v1/vector_stores']],
  ['Image variations are', ['/v1/images/variations']],
  ['Videos by this API are', ['/v1/videos']],
  ['Stored conversations are', ['/v1/conversations']],
  ['Containers are', ['/v1/containers']],
  ['Evaluations are', ['/v1/evals']],
  ['Skills are', ['/v1/skills']],
  ['Administration of an organization is', ['/v1/organization', '/v1/organizations']],
  ['Cached contents are', ['/v1beta/cachedContents']],
  ['Corpora and file search stores are', ['/v1beta/corpora', '/v1beta/fileSearchStores']],
  ['Interactions are', ['/v1beta/interactions']],
]

/** Methods of generate-content, which follow the model id. */
const VERBS: Readonly<Record<string, string>> = {
  embedContent: 'Embeddings are',
  batchEmbedContents: 'Embeddings are',
  asyncBatchEmbedContent: 'Batches are',
  batchGenerateContent: 'Batches are',
  predict: 'Predictions are',
  predictLongRunning: 'Predictions are',
  generateAnswer: 'Grounded answers are',
  bidiGenerateContent: 'The live API is',
  createCachedContent: 'Cached contents are',
}
const VERB = new RegExp(`^/v1(?:beta|alpha)?/models/.+:(${Object.keys(VERBS).join('|')})$`)

/** Why this path is not served; undefined if it belongs to no known API. */
export function describeUnservedPath(path: string): string | undefined {
  const verb = VERB.exec(path)?.[1]
  const name =
    verb === undefined ? APIS.find(([, paths]) => paths.some((each) => isUnder(path, each)))?.[0] : VERBS[verb]
  return name === undefined ? undefined : `${name} not served here. ${SERVED}`
}

/** Tells an unserved method from a model id that contains a colon. */
export const isUnservedMethod = (path: string): boolean => VERB.test(path)

const isUnder = (path: string, api: string): boolean => path === api || path.startsWith(`${api}/`)
