// The fields of what the gateway serves besides the endpoints of models, and of those as they are declared.
import type { RouteId } from '@trivium/protocol/routes.ts'
import type { EndpointRoute } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { always, BOOLEAN, INTEGER, type Json, list, MAP, NULLABLE, open, STRING } from '../endpoints/schema.ts'

const IN_PATH = { model: { ...STRING, example: 'sandbox-text' } }
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
const LITELLM_MODEL = open({ model_name: STRING, litellm_params: MAP, model_info: MAP })
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
const HEALTH: EndpointRoute = { responses: { 200: { schema: open({ status: always('ok') }) } } }
const READINESS: EndpointRoute = { responses: { 200: { schema: READY }, 503: { schema: READY } } }

/** A route that is not here is described without its fields. */
export const MODEL_ENDPOINTS: Readonly<Partial<Record<RouteId, EndpointRoute>>> = {
  'list-models': {
    parameters: { limit: INTEGER, after_id: STRING, before_id: STRING },
    responses: { 200: { schema: open(PAGE_OF_MODELS) }, 304: {} },
  },
  'show-model': { parameters: IN_PATH, responses: { 200: { schema: MODEL_ENTRY } } },
  'list-generate-content-models': {
    responses: { 200: { schema: open({ models: list(GENERATE_CONTENT_MODEL) }) }, 304: {} },
  },
  'show-generate-content-model': { parameters: IN_PATH, responses: { 200: { schema: GENERATE_CONTENT_MODEL } } },
  'list-usage': { parameters: { limit: INTEGER, before: STRING }, responses: { 200: { schema: USAGE } } },
  'show-usage': { responses: { 200: { schema: RECEIPT } } },
  'litellm-key': { responses: { 200: { schema: open({ key: STRING, info: MAP }) } } },
  'litellm-models': { responses: { 200: { schema: open({ data: list(LITELLM_MODEL) }) }, 304: {} } },
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
  ...Object.assign({}, ...Object.values(ENDPOINTS).map(({ routes }) => routes)),
}
