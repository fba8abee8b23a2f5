// What the gateway itself requires of requests to model endpoints, and what their responses always have. All other fields are those of the
// vendors' protocols, which the gateway passes on: the objects are open. The examples work with the embedded models.
import type { RouteId } from '@trivium/protocol/routes.ts'
import type { Json } from './schemas.ts'

export type ModelEndpoint = {
  body?: { schema: Json; example: Json /** Sent as a form, with these files. */; files?: Json }
  /** Parameters of the path and the query; `in` for those of headers. */
  parameters?: Readonly<Record<string, Json>>
  /** By status; 200 unless given. `stream`: also as events. `types`: the media types of what has no schema. */
  responses?: Readonly<Record<number, { schema?: Json; stream?: true; types?: readonly string[] }>>
}

const STRING: Json = { type: 'string' }
const INTEGER: Json = { type: 'integer' }
const BOOLEAN: Json = { type: 'boolean' }
const MAP: Json = { type: 'object' }
const NULLABLE: Json = { type: ['string', 'null'] }
const list = (items: Json = MAP): Json => ({ type: 'array', items })
const always = (value: string): Json => ({ type: 'string', enum: [value] })

/** `more`: fields that may be absent. */
const open = (properties: Readonly<Record<string, Json>>, more: Readonly<Record<string, Json>> = {}): Json => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...more },
  additionalProperties: true,
})

const MODEL: Json = { type: 'string', description: 'One of GET /v1/models.' }
const STREAM = { stream: { ...BOOLEAN, description: 'The response is a stream of events.' } }
const TEXT = 'sandbox-text'
const HELLO = { model: TEXT, messages: [{ role: 'user', content: 'Hello' }] }
const MESSAGES = { model: MODEL, messages: { ...list(open({ role: STRING })), minItems: 1 } }
const INPUT = { model: MODEL, input: { anyOf: [STRING, list()] } }
/** SDKs of the protocol send it; requests without it are rejected. */
const VERSION = {
  'anthropic-version': { type: 'string', in: 'header', required: true, example: '2023-06-01' },
} as const
const CONTENTS = open({ contents: list(open({ parts: list() })) })
const CONTENTS_EXAMPLE = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const IN_PATH = { model: { ...STRING, example: TEXT } }
const VECTORS = 'sandbox-embedding'
const EMBEDDED: Json = { anyOf: [STRING, list(STRING), list(INTEGER), list(list(INTEGER))] }
const ENCODING: Json = { ...STRING, enum: ['float', 'base64'] }
const TO_EMBED = open(
  { content: open({ parts: list() }) },
  { taskType: STRING, title: STRING, outputDimensionality: INTEGER },
)
const TO_EMBED_EXAMPLE = { content: { parts: [{ text: 'Hello' }] }, outputDimensionality: 8 }
const IMAGE = open({ model: MODEL, prompt: STRING }, { n: INTEGER, size: STRING, response_format: STRING, ...STREAM })
const IMAGE_EXAMPLE = { model: 'sandbox-image', prompt: 'A lighthouse at night', size: '64x64', response_format: 'url' }
const IMAGES = { 200: { schema: open({ created: INTEGER, data: list() }), stream: true } } as const
const RERANK: ModelEndpoint = {
  body: {
    schema: open(
      { model: MODEL, query: STRING, documents: { ...list({ anyOf: [STRING, MAP] }), minItems: 1 } },
      { top_n: INTEGER, return_documents: BOOLEAN, max_tokens_per_doc: INTEGER, rank_fields: list(STRING) },
    ),
    example: { model: 'sandbox-rerank', query: 'tall towers', documents: ['a low house', 'two tall towers'] },
  },
  responses: {
    200: {
      schema: open(
        { id: STRING, model: STRING, results: list(open({ index: INTEGER, relevance_score: { type: 'number' } })) },
        { meta: MAP, usage: MAP },
      ),
    },
  },
}
const AUDIO_FILE: Json = { ...STRING, contentMediaType: 'audio/*' }
const TRANSCRIPTION = open(
  { model: MODEL, file: AUDIO_FILE },
  { response_format: STRING, prompt: STRING, temperature: { type: 'number' }, ...STREAM },
)
const TRANSCRIPT: ModelEndpoint = {
  body: {
    schema: TRANSCRIPTION,
    example: { model: 'sandbox-transcription', file: 'speech.wav' },
    files: { file: { contentType: 'audio/*, video/*' } },
  },
  responses: { 200: { schema: open({ text: STRING }), stream: true, types: ['text/plain', 'text/vtt'] } },
}
const TASK = open(
  { id: STRING, model: STRING, status: STRING, created_at: INTEGER },
  { error: MAP, content: MAP, usage: MAP },
)
const GENERATED = open({ candidates: list(), usageMetadata: MAP })
const RESPONSE = open({ id: STRING, object: always('response'), status: STRING, model: STRING, output: list() })
const MODEL_ENTRY = open(
  { id: STRING, object: always('model'), created: INTEGER, owned_by: STRING },
  { price: MAP, limits: MAP },
)
const PAGE_OF_MODELS = {
  object: always('list'),
  data: list(MODEL_ENTRY),
  first_id: NULLABLE,
  last_id: NULLABLE,
  has_more: BOOLEAN,
}
const GENERATE_CONTENT_MODEL = open({ name: STRING, displayName: STRING })
const AMOUNT: Json = { type: 'string', description: 'Decimal USD.' }
const RECEIPT = open({
  request_id: STRING,
  at: STRING,
  model: STRING,
  state: STRING,
  outcome: STRING,
  cost_usd: AMOUNT,
})
const USAGE = open({
  object: always('usage'),
  balance_usd: AMOUNT,
  held_usd: AMOUNT,
  available_usd: { type: 'string', description: 'Decimal USD, or `unlimited`.' },
  account: MAP,
  key: MAP,
  requests: list(RECEIPT),
  has_more: BOOLEAN,
})
const READY = open({ ready: BOOLEAN, config: STRING, revision: INTEGER, nodes: INTEGER, drift: BOOLEAN })
const HEALTH: ModelEndpoint = { responses: { 200: { schema: open({ status: always('ok') }) } } }
const READINESS: ModelEndpoint = { responses: { 200: { schema: READY }, 503: { schema: READY } } }

/** A route that is not here is described without its fields. */
export const MODEL_ENDPOINTS: Readonly<Partial<Record<RouteId, ModelEndpoint>>> = {
  chat: {
    body: { schema: open(MESSAGES, { ...STREAM, max_tokens: INTEGER }), example: HELLO },
    responses: {
      200: {
        schema: open({ id: STRING, object: always('chat.completion'), model: STRING, choices: list(), usage: MAP }),
        stream: true,
      },
    },
  },
  responses: {
    body: {
      schema: open(INPUT, { ...STREAM, previous_response_id: NULLABLE, store: BOOLEAN, background: BOOLEAN }),
      example: { model: TEXT, input: 'Hello' },
    },
    responses: { 200: { schema: RESPONSE, stream: true } },
  },
  messages: {
    parameters: VERSION,
    body: {
      schema: open({ ...MESSAGES, max_tokens: { ...INTEGER, minimum: 1 } }, STREAM),
      example: { ...HELLO, max_tokens: 100 },
    },
    responses: {
      200: {
        schema: open({ id: STRING, type: always('message'), role: STRING, content: list(), usage: MAP }),
        stream: true,
      },
    },
  },
  'show-response': {
    parameters: {
      stream: { ...BOOLEAN, description: 'The events of a background response, then those to come.' },
      starting_after: { ...INTEGER, description: 'The `sequence_number` of the last event that is known.' },
    },
    responses: { 200: { schema: RESPONSE, stream: true } },
  },
  'cancel-response': { responses: { 200: { schema: RESPONSE } } },
  'delete-response': { responses: { 200: { schema: open({ id: STRING, deleted: BOOLEAN }) } } },
  'list-input-items': {
    parameters: { order: { ...STRING, enum: ['asc', 'desc'] }, limit: INTEGER, after: STRING },
    responses: { 200: { schema: open({ object: always('list'), data: list(), has_more: BOOLEAN }) } },
  },
  'generate-content': {
    body: { schema: CONTENTS, example: CONTENTS_EXAMPLE },
    parameters: IN_PATH,
    responses: { 200: { schema: GENERATED } },
  },
  'stream-generate-content': {
    body: { schema: CONTENTS, example: CONTENTS_EXAMPLE },
    parameters: { ...IN_PATH, alt: { ...STRING, enum: ['sse', 'json'], description: 'Events, or one JSON array.' } },
    responses: { 200: { schema: list(), stream: true } },
  },
  'messages-count-tokens': {
    parameters: VERSION,
    body: { schema: open(MESSAGES), example: HELLO },
    responses: { 200: { schema: open({ input_tokens: INTEGER }) } },
  },
  'generate-content-count-tokens': {
    body: { schema: open({}, { contents: list(), generateContentRequest: MAP }), example: CONTENTS_EXAMPLE },
    parameters: IN_PATH,
    responses: { 200: { schema: open({ totalTokens: INTEGER }) } },
  },
  'responses-count-tokens': {
    body: { schema: open(INPUT), example: { model: TEXT, input: 'Hello' } },
    responses: { 200: { schema: open({ input_tokens: INTEGER }) } },
  },
  'image-generations': { body: { schema: IMAGE, example: IMAGE_EXAMPLE }, responses: IMAGES },
  'image-edits': {
    body: {
      schema: open(
        { model: MODEL, prompt: STRING, image: { ...STRING, contentMediaType: 'image/png' } },
        { n: INTEGER, size: STRING },
      ),
      example: { ...IMAGE_EXAMPLE, image: 'image.png' },
      files: { image: { contentType: 'image/png, image/jpeg, image/webp' } },
    },
    responses: IMAGES,
  },
  'task-image-generations': { body: { schema: IMAGE, example: IMAGE_EXAMPLE }, responses: IMAGES },
  rerank: RERANK,
  'rerank-v2': RERANK,
  'rerank-unversioned': RERANK,
  moderations: {
    body: {
      schema: open({ input: { anyOf: [STRING, list({ anyOf: [STRING, MAP] })] } }, { model: MODEL }),
      example: { model: 'sandbox-moderation', input: 'What a lovely day' },
    },
    responses: { 200: { schema: open({ id: STRING, model: STRING, results: list() }) } },
  },
  'audio-transcriptions': TRANSCRIPT,
  'audio-translations': TRANSCRIPT,
  embeddings: {
    body: {
      schema: open({ model: MODEL, input: EMBEDDED }, { dimensions: INTEGER, encoding_format: ENCODING, user: STRING }),
      example: { model: VECTORS, input: ['Hello', 'Goodbye'], dimensions: 8 },
    },
    responses: {
      200: { schema: open({ object: always('list'), data: list(), model: STRING, usage: MAP }) },
    },
  },
  'embed-content': {
    body: { schema: TO_EMBED, example: TO_EMBED_EXAMPLE },
    parameters: { model: { ...STRING, example: VECTORS } },
    responses: { 200: { schema: open({ embedding: MAP }) } },
  },
  'batch-embed-contents': {
    body: { schema: open({ requests: list(TO_EMBED) }), example: { requests: [TO_EMBED_EXAMPLE] } },
    parameters: { model: { ...STRING, example: VECTORS } },
    responses: { 200: { schema: open({ embeddings: list() }) } },
  },
  speech: {
    body: {
      schema: open(
        { model: MODEL, input: STRING },
        {
          voice: { anyOf: [STRING, open({ id: STRING })] },
          instructions: STRING,
          speed: { type: 'number', minimum: 0.25, maximum: 4 },
          response_format: { ...STRING, enum: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] },
          stream_format: { ...STRING, enum: ['audio', 'sse'] },
        },
      ),
      example: { model: 'sandbox-speech', input: 'Hello', voice: 'alloy' },
    },
    responses: { 200: { types: ['audio/*'], stream: true } },
  },
  'list-speech-models': {
    responses: { 200: { schema: open({ models: list(open({ id: STRING, name: STRING, voices: list(STRING) })) }) } },
  },
  'list-voices': {
    responses: { 200: { schema: open({ voices: list(open({ id: STRING, name: STRING, models: list(STRING) })) }) } },
  },
  'create-video-task': {
    body: {
      schema: open({ model: MODEL, content: list(open({ type: STRING })) }, { callback_url: STRING }),
      example: { model: 'sandbox-video', content: [{ type: 'text', text: 'A lighthouse at night --dur 3' }] },
    },
    responses: { 200: { schema: open({ id: STRING, task_id: STRING }) } },
  },
  'list-video-tasks': {
    parameters: { page_num: INTEGER, page_size: INTEGER, 'filter.status': STRING, 'filter.model': STRING },
    responses: { 200: { schema: open({ total: INTEGER, items: list(TASK) }) } },
  },
  'show-video-task': { responses: { 200: { schema: TASK } } },
  'delete-video-task': { responses: { 204: {} } },
  'list-models': {
    parameters: { limit: INTEGER, after_id: STRING, before_id: STRING },
    responses: { 200: { schema: open(PAGE_OF_MODELS) } },
  },
  'show-model': { parameters: IN_PATH, responses: { 200: { schema: MODEL_ENTRY } } },
  'list-generate-content-models': { responses: { 200: { schema: open({ models: list(GENERATE_CONTENT_MODEL) }) } } },
  'show-generate-content-model': { parameters: IN_PATH, responses: { 200: { schema: GENERATE_CONTENT_MODEL } } },
  'list-usage': { parameters: { limit: INTEGER, before: STRING }, responses: { 200: { schema: USAGE } } },
  'show-usage': { responses: { 200: { schema: RECEIPT } } },
  'callback-secret': { responses: { 200: { schema: open({ object: always('callback_secret'), secret: STRING }) } } },
  'media-object': {
    parameters: { exp: { ...STRING, required: true }, sig: { ...STRING, required: true } },
    responses: { 200: { types: ['image/*', 'video/*', 'application/octet-stream'] }, 206: { types: ['*/*'] }, 304: {} },
  },
  entry: { responses: { 200: { schema: open({ name: STRING }) } } },
  health: HEALTH,
  healthz: HEALTH,
  livez: HEALTH,
  ready: READINESS,
  readyz: READINESS,
  metrics: { responses: { 200: { types: ['text/plain'] }, 403: { schema: open({ error: STRING }) } } },
  'openapi-document': { responses: { 200: { schema: open({ openapi: STRING, paths: MAP }) }, 304: {} } },
  'api-page': { responses: { 200: { types: ['text/html'] }, 304: {} } },
  'api-page-style': { responses: { 200: { types: ['text/css'] }, 304: {} } },
}
