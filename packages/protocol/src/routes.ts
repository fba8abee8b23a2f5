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
  | 'status'
/** Calls of a model, which cost money and may be shed. */
export type ModelCallKind = 'text' | 'image' | 'video'

export type Route = {
  method: 'GET' | 'POST' | 'DELETE'
  /** `{model}` and other parameters match any text: ids of models may contain slashes. */
  path: string
  /** The parameter is one segment of the path. */
  isSegment?: true
  /** Other paths of the route, for requests that carry a certain credential. */
  aliases?: readonly Alias[]
  /** `none`: no API key is read. */
  credential: 'key' | 'none'
  /** The dialect of its errors; undefined: the headers of the request decide. */
  dialect?: DialectId
  kind: CallKind
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

const TEXT = { method: 'POST', credential: 'key', kind: 'text', mayBeShed: true } as const
const IMAGE = { method: 'POST', credential: 'key', kind: 'image', dialect: 'images', mayBeShed: true } as const
const VIDEO_TASKS = { credential: 'key', kind: 'tasks', dialect: 'video-tasks', mayBeShed: false } as const
const COUNT_TOKENS = { method: 'POST', credential: 'key', kind: 'count', mayBeShed: true } as const
const STORED = { credential: 'key', kind: 'stored', dialect: 'responses', mayBeShed: false, isSegment: true } as const
const MODELS = { method: 'GET', credential: 'key', kind: 'models', mayBeShed: false } as const
const USAGE = { method: 'GET', credential: 'key', kind: 'usage', mayBeShed: false } as const
/** One entry for each method: the console has a table of its own below this path. */
const CONSOLE_API = { path: '/console/api/{path}', credential: 'none', kind: 'console', mayBeShed: false } as const
const CONSOLE = { method: 'GET', credential: 'none', kind: 'console', mayBeShed: false } as const
const STATUS = { method: 'GET', credential: 'none', kind: 'status', mayBeShed: false } as const

const GENERATE = '/models/{model}:generateContent'
const STREAM = '/models/{model}:streamGenerateContent'
const COUNT = '/models/{model}:countTokens'
const TASKS = '/api/v3/contents/generations/tasks'

export const ROUTES = {
  chat: { ...TEXT, path: '/v1/chat/completions', dialect: 'chat' },
  responses: { ...TEXT, path: '/v1/responses', dialect: 'responses' },
  messages: { ...TEXT, path: '/v1/messages', dialect: 'messages' },
  'show-response': { ...STORED, method: 'GET', path: '/v1/responses/{response}' },
  'delete-response': { ...STORED, method: 'DELETE', path: '/v1/responses/{response}' },
  'list-input-items': { ...STORED, method: 'GET', path: '/v1/responses/{response}/input_items' },
  'generate-content': {
    ...TEXT,
    path: `/v1beta${GENERATE}`,
    dialect: 'generate-content',
    aliases: otherVersions(GENERATE),
  },
  'stream-generate-content': {
    ...TEXT,
    path: `/v1beta${STREAM}`,
    dialect: 'generate-content',
    aliases: otherVersions(STREAM),
  },
  'messages-count-tokens': { ...COUNT_TOKENS, path: '/v1/messages/count_tokens', dialect: 'messages' },
  'generate-content-count-tokens': {
    ...COUNT_TOKENS,
    path: `/v1beta${COUNT}`,
    dialect: 'generate-content',
    aliases: otherVersions(COUNT),
  },
  'responses-count-tokens': { ...COUNT_TOKENS, path: '/v1/responses/input_tokens', dialect: 'responses' },
  'image-generations': { ...IMAGE, path: '/v1/images/generations' },
  'image-edits': { ...IMAGE, path: '/v1/images/edits' },
  'task-image-generations': { ...IMAGE, path: '/api/v3/images/generations', dialect: 'video-tasks' },
  'create-video-task': { ...VIDEO_TASKS, method: 'POST', path: TASKS, kind: 'video', mayBeShed: true },
  'list-video-tasks': { ...VIDEO_TASKS, method: 'GET', path: TASKS },
  'show-video-task': { ...VIDEO_TASKS, method: 'GET', path: `${TASKS}/{task}`, isSegment: true },
  'delete-video-task': { ...VIDEO_TASKS, method: 'DELETE', path: `${TASKS}/{task}`, isSegment: true },
  'list-models': { ...MODELS, path: '/v1/models' },
  'show-model': { ...MODELS, path: '/v1/models/{model}' },
  'list-generate-content-models': {
    ...MODELS,
    path: '/v1beta/models',
    dialect: 'generate-content',
    aliases: otherVersions('/models', OTHER_CREDENTIALS),
  },
  'show-generate-content-model': {
    ...MODELS,
    path: '/v1beta/models/{model}',
    dialect: 'generate-content',
    aliases: otherVersions('/models/{model}', OTHER_CREDENTIALS),
  },
  'list-usage': { ...USAGE, path: '/v1/usage' },
  'show-usage': { ...USAGE, path: '/v1/usage/{request}' },
  'callback-secret': { ...USAGE, path: '/v1/callback-secret' },
  'media-object': {
    method: 'GET',
    path: '/media/{object}',
    isSegment: true,
    credential: 'none',
    kind: 'media',
    mayBeShed: false,
  },
  'read-console-api': { ...CONSOLE_API, method: 'GET' },
  'post-console-api': { ...CONSOLE_API, method: 'POST' },
  'delete-console-api': { ...CONSOLE_API, method: 'DELETE' },
  console: { ...CONSOLE, path: '/console' },
  'console-root': { ...CONSOLE, path: '/console/' },
  // After the paths below /console/api/, which are more specific.
  'console-file': { ...CONSOLE, path: '/console/{path}' },
  entry: { ...STATUS, path: '/' },
  health: { ...STATUS, path: '/health' },
  ready: { ...STATUS, path: '/ready' },
} as const satisfies Record<string, Route>

export type RouteId = keyof typeof ROUTES

/**
 * How the dialect of a path is recognized where no route matches. `prefix`: every path below it is the dialect's. `traces`:
 * what remains readable in a path with a doubled or missing prefix. `verbs`: stand behind a model's name, at any prefix.
 */
export type DialectPaths = { prefix: string; traces: readonly string[]; verbs?: readonly string[] }

/** In the order in which traces are looked for. */
export const DIALECT_PATHS: Readonly<Record<DialectId, DialectPaths>> = {
  chat: { prefix: '/v1/chat', traces: ['/chat/completions'] },
  messages: { prefix: '/v1/messages', traces: ['/messages'] },
  'generate-content': {
    prefix: '/v1beta',
    traces: ['v1beta', '/v1alpha/'],
    verbs: [
      'generateContent',
      'streamGenerateContent',
      'countTokens',
      'embedContent',
      'embedContents',
      'predict',
      'batchEmbedContent',
      'batchEmbedContents',
      'batchGenerateContent',
      'predictLongRunning',
    ],
  },
  'video-tasks': { prefix: '/api/v3', traces: ['/contents/generations'] },
  responses: { prefix: '/v1/responses', traces: ['/responses'] },
  images: { prefix: '/v1/images', traces: ['/images/'] },
}
