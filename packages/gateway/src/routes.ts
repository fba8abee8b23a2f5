// Binds a handler to every route of the protocol's table.

import type { HttpRequest } from '@trivium/http/request.ts'
import { type HttpResponse, json } from '@trivium/http/response.ts'
import { dialectOfPath } from '@trivium/protocol/dialect-of-path.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import { matchRoute, type RouteMatch } from '@trivium/protocol/match-route.ts'
import { type CallKind, ROUTES, type Route, type RouteId } from '@trivium/protocol/routes.ts'
import { authenticate } from './access/authenticate.ts'
import { listGenerateContentModels, listModels, showGenerateContentModel, showModel } from './access/list-models.ts'
import { mayReadMetrics } from './access/metrics-access.ts'
import { showKeyInfo, showModelInfo } from './compatibility/litellm-info.ts'
import { ENDPOINT_HANDLERS } from './endpoints/handlers.ts'
import type { AppDependencies, Handler, ProcessHealth, Server } from './handler.ts'
import type { ClusterStatus } from './jobs/watch-nodes.ts'
import { serveMedia } from './media/serve-media.ts'
import { MODALITIES } from './modalities/index.ts'
import { METRICS_TYPE } from './observe/metrics/render.ts'
import { unavailable } from './paid-call/hold-errors.ts'
import { showRequest, showUsage } from './paid-call/receipts/usage-endpoint.ts'
import type { ApiRequest } from './request/api-request.ts'
import { Failure } from './request/failure.ts'
import { describeUnservedPath, isUnservedMethod } from './request/unserved-paths.ts'
import { showCallbackSecret } from './tasks/callbacks/secret-endpoint.ts'

/** The links of the entry page: only what is served. */
const ENTRY = {
  name: 'trivium',
  models: '/v1/models',
  usage: '/v1/usage',
  health: '/health',
  ready: '/ready',
  console: '/console',
  openapi: '/openapi.json',
  docs: '/docs',
}

const HANDLERS = {
  ...ENDPOINT_HANDLERS,
  'list-models': listModels,
  'show-model': (incoming, deps, model) => showModel(model, incoming, deps),
  'list-generate-content-models': listGenerateContentModels,
  'show-generate-content-model': (incoming, deps, model) => showGenerateContentModel(model, incoming, deps),
  'list-usage': showUsage,
  'show-usage': (incoming, deps, id) => showRequest(id, incoming, deps),
  'callback-secret': showCallbackSecret,
  'litellm-key': forLitellm(showKeyInfo),
  'litellm-models': forLitellm(showModelInfo),
  'media-object': (incoming, deps, object) => serveMedia(object, incoming, deps),
  'read-console-api': callConsole,
  'post-console-api': callConsole,
  'delete-console-api': callConsole,
  'read-admin-api': callAdmin,
  'post-admin-api': callAdmin,
  'patch-admin-api': callAdmin,
  'delete-admin-api': callAdmin,
  console: showConsole,
  'console-root': showConsole,
  'console-file': showConsole,
  'openapi-document': (incoming, { apiDocuments }) => apiDocuments.serve('document', incoming),
  'api-page': (incoming, { apiDocuments }) => apiDocuments.serve('page', incoming),
  'api-page-style': (incoming, { apiDocuments }) => apiDocuments.serve('style', incoming),
  entry: ({ responseHeaders: headers }) => json(200, headers, ENTRY),
  health: showHealth,
  healthz: showHealth,
  livez: showHealth,
  ready: showReady,
  readyz: showReady,
  metrics: showMetrics,
} satisfies Record<RouteId, Handler>

/** Without the setting the path is not served. */
function forLitellm(handler: Handler): Handler {
  return (incoming, deps, parameter, server) => {
    if (!deps.catalogue().config.compatibility.litellm) throw unknownUrl(incoming.record.path)
    return handler(incoming, deps, parameter, server)
  }
}

/** The console and the admin API queue their own reads: who calls is known by sessions and admin keys. */
const isRead = ({ method, credential }: Route): boolean => method === 'GET' && credential === 'key'

/** Whatever reads with an API key waits for a slot of its account before anything but the key is looked up. */
function queuedRead(id: RouteId, handler: Handler): Handler {
  const { dialect, kind, path }: Route = ROUTES[id]
  const dialectOf = ({ http }: ApiRequest): DialectId =>
    dialect ?? (kind === 'models' ? 'chat' : dialectOfPath(path, http.headers))
  return async (incoming, deps, parameter, server) => {
    const caller = await authenticate(incoming, dialectOf(incoming), deps)
    return deps.reads.run(caller.account, incoming, () => handler({ ...incoming, caller }, deps, parameter, server))
  }
}

const isPaid = (kind: CallKind): boolean => Object.hasOwn(MODALITIES, kind)

/** Without a lease nothing can be charged: rejected before the store, which may be down, is asked for the key. */
const withLease =
  (handler: Handler): Handler =>
  (incoming, deps, parameter, server) => {
    if (!deps.node.mayDispatch()) throw unavailable()
    return handler(incoming, deps, parameter, server)
  }

function bound(id: RouteId, handler: Handler): Handler {
  if (isRead(ROUTES[id])) return queuedRead(id, handler)
  return isPaid(ROUTES[id].kind) ? withLease(handler) : handler
}

const BOUND = Object.fromEntries(
  Object.entries(HANDLERS as Record<RouteId, Handler>).map(([id, handler]) => [id, bound(id as RouteId, handler)]),
) as Record<RouteId, Handler>

function callConsole(
  incoming: ApiRequest,
  { consoleApi }: AppDependencies,
  path: string,
  { app }: Server,
): Promise<HttpResponse> {
  return consoleApi(incoming, path, app)
}

function callAdmin(incoming: ApiRequest, { adminApi }: AppDependencies, path: string): Promise<HttpResponse> {
  return adminApi(incoming, path)
}

function showConsole(incoming: ApiRequest, { consoleFiles }: AppDependencies, path: string): Promise<HttpResponse> {
  return consoleFiles.serve(path, incoming)
}

/** Enough of the configuration's hash to tell two configurations apart. */
const SHORT_HASH = 12
const ALONE: ClusterStatus = { nodes: 1, drift: false }

function showHealth({ responseHeaders: headers }: Pick<ApiRequest, 'responseHeaders'>): HttpResponse {
  return json(200, headers, { status: 'ok' })
}

function showReady(
  { responseHeaders: headers }: ApiRequest,
  { catalogue }: AppDependencies,
  _: string,
  { ready, clusterStatus }: ProcessHealth,
): HttpResponse {
  const isReady = ready()
  const { hash, revision } = catalogue().config
  const config = hash.slice(0, SHORT_HASH)
  return json(isReady ? 200 : 503, headers, { ready: isReady, config, revision, ...(clusterStatus?.() ?? ALONE) })
}

/** Nothing tells other callers whether there is a token. */
function showMetrics(
  { http, responseHeaders: headers }: ApiRequest,
  { catalogue, scrape }: AppDependencies,
): HttpResponse | Promise<HttpResponse> {
  if (!mayReadMetrics(http, catalogue().config.server.metricsToken)) return json(403, headers, { error: NO_METRICS })
  headers.set('content-type', METRICS_TYPE)
  return scrape.text().then((text) => ({ status: 200, headers, body: Buffer.from(text) }))
}

const NO_METRICS =
  'Metrics are read from this machine without a proxy, or with the token of server.metrics_token: Authorization: Bearer TOKEN.'

/** Answered without a key, and while the gateway is overloaded or shutting down. */
export const isStatusCall = ({ methods }: RouteMatch, method: string): boolean => {
  const id = methods[method]
  return id !== undefined && ROUTES[id].kind === 'status'
}

export const routeOf = ({ methods }: RouteMatch, method: string): RouteId | undefined =>
  methods[method] ?? (method === 'HEAD' ? methods.GET : undefined)

/** `path`: as the client sent it. Throws Failure where the path or the method is not served. */
export function handlerOf(match: RouteMatch | undefined, { method, headers }: HttpRequest, path: string): Handler {
  if (match === undefined || isUnservedVerb(match, method, path)) throw unknownUrl(path)
  const { methods } = match
  const id = routeOf(match, method)
  if (id) return BOUND[id]
  if (headers.get('upgrade')?.toLowerCase() === 'websocket') {
    // Clients with a WebSocket transport fall back to HTTP on this status, and retry on others.
    throw new Failure('no_websocket', 'WebSocket is not supported. Send a POST request.')
  }
  // Such as the name of an endpoint in the place of an id.
  if (describeUnservedPath(path) !== undefined) throw unknownUrl(path)
  const allow = Object.keys(methods).join(', ')
  throw new Failure('method_not_allowed', `${path} takes ${allow}, not ${method}.`, { allow })
}

/** A verb of the generate-content dialect behind a model's name. The id of a model may contain a colon, too. */
function isUnservedVerb({ methods, parameter }: RouteMatch, method: string, path: string): boolean {
  if (methods.GET === 'show-model') return isUnservedMethod(path)
  return methods.GET === 'show-generate-content-model' && method === 'POST' && parameter.includes(':')
}

function unknownUrl(path: string): Failure {
  const meant = PREFIXES.flatMap((prefix) => [prefix + path, path.replace(prefix, '')]).find(
    (other) => other !== path && isServed(other),
  )
  const hint = meant === undefined ? HINT : `Did you mean ${meant}? Check the base URL of your client.`
  return new Failure('unknown_url', describeUnservedPath(path) ?? `There is nothing at ${path.slice(0, 200)}. ${hint}`)
}

/** Prefixes of the protocols' paths. Missing or doubled where a client adds less or more to its base URL than expected. */
const PREFIXES = ['/v1', '/v1beta', '/api/v3']
const isServed = (path: string) =>
  PREFIXES.some((prefix) => path.startsWith(`${prefix}/`)) && path.length < 200 && matchRoute(path) !== undefined

const HINT =
  'Check the base URL: OpenAI clients use http://HOST/v1, Anthropic and Google clients http://HOST, Ark clients http://HOST/api/v3.'
