// Every path that the gateway serves, as data. The gateway binds a handler to each id; load shedding, the dialect of an
// error and the sandbox derive from this table.

import type { DialectId } from './dialects/index.ts'

/** What a request to the route does. */
export type CallKind =
  | ModelCallKind
  | 'count'
  | 'tasks'
  | 'stored'
  | 'models'
  | 'usage'
  | 'media'
  | 'console'
  | 'admin'
  | 'status'
  | 'docs'
/** Calls of a model, which cost money and may be shed. */
export type ModelCallKind =
  | 'text'
  | 'image'
  | 'video'
  | 'speech'
  | 'embedding'
  | 'transcription'
  | 'rerank'
  | 'moderation'

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** `{model}` and other parameters match any text: ids of models may contain slashes. */
  path: string
  /** The parameter is one segment of the path. */
  isSegment?: true
  /** Other paths of the route, for requests that carry a certain credential. */
  aliases?: readonly Alias[]
  /** `none`: no API key is read. */
  credential: 'key' | 'none'
  /** The dialect of its body, its response and its errors; undefined: the headers of the request decide on errors. */
  dialect?: DialectId
  kind: CallKind
  /** What models of the route produce, whether the call itself costs money or not. Descriptions of the API group routes by it, else by kind. */
  modality?: ModelCallKind
  /** What it does, in a few words. */
  summary: string
  /** An overloaded gateway rejects the request before it reads key and body. */
  mayBeShed: boolean
}

/** Served if the header or the query parameter is there, and none of the headers in `unless`. */
export type Alias = { path: string; header: string; query: string; unless?: readonly string[] }

/**
 * The vendor's own SDKs choose an API version by themselves. The specification serves one of them, so the others are served
 * only with the vendor's own credential.
 */
const otherVersions = (rest: string, unless?: readonly string[]): readonly Alias[] => {
  const credential = { header: 'x-goog-api-key', query: 'key' }
  const shared = unless === undefined ? {} : { unless }
  return [
    { path: `/v1${rest}`, ...credential, ...shared },
    { path: `/v1alpha${rest}`, ...credential },
  ]
}

/** Credentials of the dialects that call the same path below /v1: they win. */
const OTHER_CREDENTIALS = ['authorization', 'x-api-key', 'anthropic-version', 'msg-version']

const TEXT = { method: 'POST', credential: 'key', kind: 'text', modality: 'text', mayBeShed: true } as const
const IMAGE = {
  method: 'POST',
  credential: 'key',
  kind: 'image',
  modality: 'image',
  dialect: 'images',
  mayBeShed: true,
} as const
/** Errors of such endpoints are those of the chat dialect. */
const RERANK = {
  method: 'POST',
  credential: 'key',
  kind: 'rerank',
  modality: 'rerank',
  dialect: 'chat',
  mayBeShed: true,
} as const
const TRANSCRIPTION = {
  method: 'POST',
  credential: 'key',
  kind: 'transcription',
  modality: 'transcription',
  dialect: 'chat',
  mayBeShed: true,
} as const
const EMBEDDING = {
  method: 'POST',
  credential: 'key',
  kind: 'embedding',
  modality: 'embedding',
  mayBeShed: true,
} as const
const VIDEO_TASKS = {
  credential: 'key',
  kind: 'tasks',
  modality: 'video',
  dialect: 'video-tasks',
  mayBeShed: false,
} as const
const COUNT_TOKENS = { method: 'POST', credential: 'key', kind: 'count', modality: 'text', mayBeShed: true } as const
const STORED = {
  credential: 'key',
  kind: 'stored',
  modality: 'text',
  dialect: 'responses',
  mayBeShed: false,
  isSegment: true,
} as const
const MODELS = { method: 'GET', credential: 'key', kind: 'models', mayBeShed: false } as const
const USAGE = { method: 'GET', credential: 'key', kind: 'usage', mayBeShed: false } as const
/** One entry for each method: the console has a table of its own below this path. */
const CONSOLE_API = { path: '/console/api/{path}', credential: 'none', kind: 'console', mayBeShed: false } as const
/** The same for the admin API. */
const ADMIN_API = { path: '/admin/v1/{path}', credential: 'none', kind: 'admin', mayBeShed: false } as const
const CONSOLE = { method: 'GET', credential: 'none', kind: 'console', mayBeShed: false } as const
/** What describes the API. */
const DOCS = { method: 'GET', credential: 'none', kind: 'docs', mayBeShed: false } as const
const STATUS = { method: 'GET', credential: 'none', kind: 'status', mayBeShed: false } as const

const GENERATE = '/models/{model}:generateContent'
const STREAM = '/models/{model}:streamGenerateContent'
const COUNT = '/models/{model}:countTokens'
const EMBED = '/models/{model}:embedContent'
const EMBED_BATCH = '/models/{model}:batchEmbedContents'
const TASKS = '/api/v3/contents/generations/tasks'

export const ROUTES = {
  chat: { ...TEXT, path: '/v1/chat/completions', dialect: 'chat', summary: 'Creates a chat completion' },
  completions: {
    ...TEXT,
    path: '/v1/completions',
    dialect: 'chat',
    summary: 'Goes on with a text, or fills in code between two texts',
  },
  'beta-completions': {
    ...TEXT,
    path: '/beta/completions',
    dialect: 'chat',
    summary: 'The same as /v1/completions, where DeepSeek has it',
  },
  'fim-completions': {
    ...TEXT,
    path: '/v1/fim/completions',
    dialect: 'chat',
    summary: "Fills in code between two texts, in Mistral's form",
  },
  responses: { ...TEXT, path: '/v1/responses', dialect: 'responses', summary: 'Generates text: responses' },
  messages: { ...TEXT, path: '/v1/messages', dialect: 'messages', summary: 'Generates text: messages' },
  'show-response': { ...STORED, method: 'GET', path: '/v1/responses/{response}', summary: 'Shows a stored response' },
  'delete-response': {
    ...STORED,
    method: 'DELETE',
    path: '/v1/responses/{response}',
    summary: 'Deletes a stored response',
  },
  'cancel-response': {
    ...STORED,
    method: 'POST',
    path: '/v1/responses/{response}/cancel',
    summary: 'Cancels a background response',
  },
  'list-input-items': {
    ...STORED,
    method: 'GET',
    path: '/v1/responses/{response}/input_items',
    summary: 'Lists the input of a stored response',
  },
  'generate-content': {
    summary: 'Generates text, images or speech: generateContent',
    ...TEXT,
    path: `/v1beta${GENERATE}`,
    dialect: 'generate-content',
    aliases: otherVersions(GENERATE),
  },
  'stream-generate-content': {
    summary: 'Generates text, images or speech as a stream: streamGenerateContent',
    ...TEXT,
    path: `/v1beta${STREAM}`,
    dialect: 'generate-content',
    aliases: otherVersions(STREAM),
  },
  'messages-count-tokens': {
    ...COUNT_TOKENS,
    path: '/v1/messages/count_tokens',
    dialect: 'messages',
    summary: 'Counts the tokens of a messages request',
  },
  'generate-content-count-tokens': {
    summary: 'Counts the tokens of a generateContent request',
    ...COUNT_TOKENS,
    path: `/v1beta${COUNT}`,
    dialect: 'generate-content',
    aliases: otherVersions(COUNT),
  },
  'responses-count-tokens': {
    ...COUNT_TOKENS,
    path: '/v1/responses/input_tokens',
    dialect: 'responses',
    summary: 'Counts the tokens of a responses request',
  },
  'image-generations': { ...IMAGE, path: '/v1/images/generations', summary: 'Generates images' },
  'image-edits': { ...IMAGE, path: '/v1/images/edits', summary: 'Edits images' },
  'task-image-generations': {
    ...IMAGE,
    path: '/api/v3/images/generations',
    dialect: 'video-tasks',
    summary: "Generates images in Ark's protocol",
  },
  rerank: { ...RERANK, path: '/v1/rerank', summary: 'Ranks documents by their relevance to a query' },
  'rerank-v2': { ...RERANK, path: '/v2/rerank', summary: 'The same as /v1/rerank, at the path of version 2' },
  'rerank-unversioned': { ...RERANK, path: '/rerank', summary: 'The same as /v1/rerank, where local servers have it' },
  moderations: {
    ...RERANK,
    path: '/v1/moderations',
    kind: 'moderation',
    modality: 'moderation',
    summary: 'Classifies texts and images as harmful or not',
  },
  'audio-transcriptions': {
    ...TRANSCRIPTION,
    path: '/v1/audio/transcriptions',
    summary: 'Transcribes audio in its own language',
  },
  'audio-translations': {
    ...TRANSCRIPTION,
    path: '/v1/audio/translations',
    summary: 'Transcribes audio, translated into English',
  },
  embed: { ...EMBEDDING, path: '/v1/embed', dialect: 'chat', summary: "Creates embeddings of texts in Cohere's form" },
  'embed-v2': { ...EMBEDDING, path: '/v2/embed', dialect: 'chat', summary: 'The same as /v1/embed, by version 2' },
  embeddings: { ...EMBEDDING, path: '/v1/embeddings', dialect: 'chat', summary: 'Creates embeddings of texts' },
  'embed-content': {
    summary: 'Creates the embedding of a text: embedContent',
    ...EMBEDDING,
    path: `/v1beta${EMBED}`,
    dialect: 'generate-content',
    aliases: otherVersions(EMBED),
  },
  'batch-embed-contents': {
    summary: 'Creates embeddings of texts: batchEmbedContents',
    ...EMBEDDING,
    path: `/v1beta${EMBED_BATCH}`,
    dialect: 'generate-content',
    aliases: otherVersions(EMBED_BATCH),
  },
  speech: {
    method: 'POST',
    path: '/v1/audio/speech',
    credential: 'key',
    kind: 'speech',
    modality: 'speech',
    dialect: 'chat',
    mayBeShed: true,
    summary: 'Generates speech from text',
  },
  'list-speech-models': {
    ...MODELS,
    path: '/v1/audio/models',
    modality: 'speech',
    dialect: 'chat',
    summary: 'Lists the speech models that the key can call, with their voices',
  },
  'list-voices': {
    ...MODELS,
    path: '/v1/audio/voices',
    modality: 'speech',
    dialect: 'chat',
    summary: 'Lists the voices of the speech models that the key can call',
  },
  'create-video-task': {
    ...VIDEO_TASKS,
    method: 'POST',
    path: TASKS,
    kind: 'video',
    mayBeShed: true,
    summary: 'Creates a video task',
  },
  'list-video-tasks': { ...VIDEO_TASKS, method: 'GET', path: TASKS, summary: 'Lists video tasks' },
  'show-video-task': {
    ...VIDEO_TASKS,
    method: 'GET',
    path: `${TASKS}/{task}`,
    isSegment: true,
    summary: 'Shows a video task',
  },
  'delete-video-task': {
    ...VIDEO_TASKS,
    method: 'DELETE',
    path: `${TASKS}/{task}`,
    isSegment: true,
    summary: 'Cancels or deletes a video task',
  },
  'list-models': { ...MODELS, path: '/v1/models', summary: 'Lists the models that the key can call' },
  'show-model': { ...MODELS, path: '/v1/models/{model}', summary: 'Shows a model' },
  'list-generate-content-models': {
    summary: 'Lists models in the format of generateContent',
    ...MODELS,
    path: '/v1beta/models',
    dialect: 'generate-content',
    aliases: otherVersions('/models', OTHER_CREDENTIALS),
  },
  'show-generate-content-model': {
    summary: 'Shows a model in the format of generateContent',
    ...MODELS,
    path: '/v1beta/models/{model}',
    dialect: 'generate-content',
    aliases: otherVersions('/models/{model}', OTHER_CREDENTIALS),
  },
  'list-usage': { ...USAGE, path: '/v1/usage', summary: 'Shows balance, limits and recent requests' },
  'show-usage': { ...USAGE, path: '/v1/usage/{request}', summary: 'Shows the receipt of a request' },
  'callback-secret': { ...USAGE, path: '/v1/callback-secret', summary: 'Shows the secret that signs callbacks' },
  'litellm-key': { ...USAGE, path: '/key/info', dialect: 'chat', summary: 'Shows the key in the form of LiteLLM' },
  'litellm-models': {
    ...MODELS,
    path: '/v1/model/info',
    dialect: 'chat',
    summary: 'Lists models in the form of LiteLLM',
  },
  'media-object': {
    summary: 'Serves a stored image or video by its signed URL',
    method: 'GET',
    path: '/media/{object}',
    isSegment: true,
    credential: 'none',
    kind: 'media',
    mayBeShed: false,
  },
  'read-console-api': { ...CONSOLE_API, method: 'GET', summary: "The console's own API" },
  'post-console-api': { ...CONSOLE_API, method: 'POST', summary: "The console's own API" },
  'delete-console-api': { ...CONSOLE_API, method: 'DELETE', summary: "The console's own API" },
  'read-admin-api': { ...ADMIN_API, method: 'GET', summary: 'The admin API' },
  'post-admin-api': { ...ADMIN_API, method: 'POST', summary: 'The admin API' },
  'patch-admin-api': { ...ADMIN_API, method: 'PATCH', summary: 'The admin API' },
  'delete-admin-api': { ...ADMIN_API, method: 'DELETE', summary: 'The admin API' },
  console: { ...CONSOLE, path: '/console', summary: 'The console' },
  'console-root': { ...CONSOLE, path: '/console/', summary: 'The console' },
  // After the paths below /console/api/, which are more specific.
  'console-file': { ...CONSOLE, path: '/console/{path}', summary: 'The console' },
  'openapi-document': { ...DOCS, path: '/openapi.json', summary: 'Describes the API: OpenAPI 3.1' },
  'api-page': { ...DOCS, path: '/docs', summary: 'Describes the API as a page' },
  'api-page-style': { ...DOCS, path: '/docs.css', summary: 'The style sheet of that page' },
  entry: { ...STATUS, path: '/', summary: 'Lists the entry points' },
  health: { ...STATUS, path: '/health', summary: 'Says whether the process runs' },
  healthz: { ...STATUS, path: '/healthz', summary: 'The same as /health, by the name that Kubernetes uses' },
  livez: { ...STATUS, path: '/livez', summary: 'The same as /health, by the name that Kubernetes uses' },
  ready: { ...STATUS, path: '/ready', summary: 'Says whether the gateway takes requests' },
  metrics: { ...STATUS, path: '/metrics', summary: 'Metrics for Prometheus, for this machine or with a token' },
  readyz: { ...STATUS, path: '/readyz', summary: 'The same as /ready, by the name that Kubernetes uses' },
} as const satisfies Record<string, Route>

export type RouteId = keyof typeof ROUTES

/** The names in braces. */
export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)/g)].map(([, name = '']) => name)

type Owner = readonly [piece: string, dialect: DialectId]

/** Which dialect a piece of a path belongs to. What a path without a dialect has, too, tells nothing. */
function ownersOf(piecesOf: (version: string, first: string, rest: string) => readonly string[]): Owner[] {
  const pieces = Object.values<Route>(ROUTES).flatMap(({ path, aliases = [], dialect }) =>
    [path, ...aliases.map((alias) => alias.path)].flatMap((each) => {
      const [, version = '', first, rest = ''] = /^((?:\/api)?\/v\d\w*)?(\/\w+)((?:\/\w+)*)/.exec(each) ?? []
      if (first === undefined) return []
      return piecesOf(version, first, rest).map((piece) => ({ piece, dialect }))
    }),
  )
  const shared = new Set(pieces.flatMap(({ piece, dialect }) => (dialect === undefined ? [piece] : [])))
  return pieces.flatMap(({ piece, dialect }) =>
    dialect === undefined || shared.has(piece) ? [] : [[piece, dialect] as const],
  )
}

/** `/v1beta`, `/api/v3`; `/v1/chat` and others, since dialects share `/v1`. */
const BEGINNINGS = ownersOf((version, first) => [...(version === '' ? [] : [version]), `${version}${first}`])
/** What remains readable in a path with a doubled or missing beginning. */
const TRACES = [...BEGINNINGS, ...ownersOf((_, first, rest) => [`${first}${rest}`])]

export const isUnder = (path: string, beginning: string): boolean =>
  path === beginning || path.startsWith(`${beginning}/`)

/** The dialect to which every path with the same beginning belongs, whether a route matches or not. */
export const dialectBelow = (path: string): DialectId | undefined =>
  BEGINNINGS.find(([beginning]) => isUnder(path, beginning))?.[1]

/** The dialect of which a path has traces anywhere. */
export const dialectTraced = (path: string): DialectId | undefined =>
  TRACES.find(([trace]) => path.includes(trace))?.[1]
