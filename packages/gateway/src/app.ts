// The route table: METHOD path -> what answers it. Every answer leaves through here, errors included.

import type { HttpRequest } from '@trivium/http/request.ts'
import { type HttpResponse, json, ResponseHeaders } from '@trivium/http/response.ts'
import type { ErrorCode, ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { Mistake } from '@trivium/protocol/canonical/reading.ts'
import { DIALECTS, type DialectId, dialectOfPath, TEXT_DIALECTS, vendorPath } from '@trivium/protocol/dialects/index.ts'
import type { Catalogue } from './access/catalogue.ts'
import { Failure } from './access/failure.ts'
import { formatRequestId } from './access/ids.ts'
import { listGenerateContentModels, listModels, showGenerateContentModel, showModel } from './access/list-models.ts'
import { reservedEndpoint } from './access/reserved-endpoints.ts'
import { describeUnservedPath, isUnservedMethod } from './access/unserved-paths.ts'
import type { Register } from './console-api/register.ts'
import { errorText } from './observe/log.ts'
import { type RequestLog, RequestRecord } from './observe/request-log.ts'
import { rejectEarly } from './overload/load-shedding.ts'
import { showRequest, showUsage } from './paid-call/usage-endpoint.ts'
import { StoreDown } from './storage/storage.ts'
import type { Dependencies } from './text/dependencies.ts'
import { type IncomingRequest, journey, type TextEndpoint } from './text/journey.ts'

/** What answers requests: the journey's parts, and the console's own paths. */
export type AppDependencies = Dependencies & { register: Register }

type Handler = (incoming: IncomingRequest, parts: AppDependencies) => HttpResponse | Promise<HttpResponse>
type Methods = Partial<Record<string, Handler>>

/** Of the nodes that share a store; nulls while it cannot be told. */
export type Company = { nodes: number | null; drift: boolean | null }

/** How the process is doing, for those who ask without a key: nothing in it is secret. */
export type Health = {
  ready(): boolean
  accepting(): boolean
  /** Absent in the only node of its store. */
  company?(): Company
}

/** Enough of a configuration's fingerprint to tell two apart. */
const SHORT_HASH = 12
const ALONE: Company = { nodes: 1, drift: false }

/** A request in a text dialect. */
const text =
  (ask: TextEndpoint): Handler =>
  (incoming, parts) =>
    journey(incoming, ask, parts)

const COUNTING = 'the counting of tokens'

const PATHS: ReadonlyMap<string, Methods> = new Map<string, Methods>([
  ['/v1/chat/completions', { POST: text({ dialect: TEXT_DIALECTS.chat }) }],
  ['/v1/responses', { POST: text({ dialect: TEXT_DIALECTS.responses }) }],
  ['/v1/messages', { POST: text({ dialect: TEXT_DIALECTS.messages }) }],
  ['/v1/messages/count_tokens', { POST: reservedEndpoint('messages', COUNTING) }],
  ['/v1/images/generations', { POST: reservedEndpoint('images', 'images') }],
  ['/v1/images/edits', { POST: reservedEndpoint('images', 'images') }],
  ['/v1/models', { GET: listModels }],
  ['/v1/usage', { GET: showUsage }],
  ['/v1beta/models', { GET: listGenerateContentModels }],
  ['/console/api/register', { POST: (incoming, parts) => parts.register(incoming) }],
  ['/api/v3/contents/generations/tasks', { POST: reservedEndpoint('video-tasks', 'videos') }],
])

/** Paths with a name at their end. */
const PREFIXES: readonly [prefix: string, methodsOf: (rest: string) => Methods | undefined][] = [
  ['/v1/models/', modelMethods],
  ['/v1/usage/', (id) => ({ GET: (incoming, parts) => showRequest(id, incoming, parts) })],
  ['/v1beta/models/', (id) => generateContentMethods(id)],
  [
    '/api/v3/contents/generations/tasks/',
    (id) => (id.includes('/') ? undefined : { GET: reservedEndpoint('video-tasks', 'videos') }),
  ],
]

const VERB = /:(generateContent|streamGenerateContent|countTokens)$/

function modelMethods(id: string): Methods | undefined {
  // The address of one protocol under the base of another.
  if (VERB.test(id) || isUnservedMethod(`/v1/models/${id}`)) return undefined
  return { GET: (incoming, parts) => showModel(id, incoming, parts) }
}

function generateContentMethods(rest: string): Methods | undefined {
  const verb = VERB.exec(rest)?.[1]
  if (verb === 'countTokens') return { POST: reservedEndpoint('generate-content', COUNTING) }
  if (verb) return { POST: (incoming, parts) => journey(incoming, generateContent(rest, verb, incoming.query), parts) }
  const GET: Handler = (incoming, parts) => showGenerateContentModel(rest, incoming, parts)
  // Ids may have a colon, and this protocol has verbs that are not served here: those are posted.
  return rest.includes(':') ? { GET, POST: nothingThere } : { GET }
}

/** What `alt` may say; without it a stream is events. */
const FORMS: readonly string[] = ['', 'sse', 'json']

/** Model, verb and form of the stream are in the address: `org/model-1:streamGenerateContent?alt=sse`. */
function generateContent(rest: string, verb: string, query: string): TextEndpoint {
  const stream = verb === 'streamGenerateContent'
  const model = decoded(rest.slice(0, rest.length - verb.length - 1))
  const alt = new URLSearchParams(query).get('alt') ?? ''
  if (!FORMS.includes(alt)) {
    throw new Failure('bad_request', 'alt must be sse for events or json for one array.', { param: 'alt' })
  }
  return { dialect: TEXT_DIALECTS['generate-content'], addressed: { model, stream }, asArray: stream && alt === 'json' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Failure('bad_request', 'The address has a percent sign that encodes nothing.', { param: 'model' })
  }
}

const nothingThere: Handler = ({ http }) => {
  throw unknownUrl(splitTarget(http.target)[0])
}

export type App = (http: HttpRequest) => HttpResponse | Promise<HttpResponse>

export function createApp(parts: AppDependencies, health: Health): App {
  return (http) => {
    const [target, query] = splitTarget(http.target)
    const { method } = http
    // From here on one vendor's other API versions are the one that is served.
    const path = vendorPath(target, query, http.headers)
    const catalogue = parts.catalogue()
    const id = parts.ids.next()
    const requestId = formatRequestId(id)
    const { admission, requestLog } = parts
    const record = new RequestRecord(method, target, requestId, performance.now() - http.queuedMs, http.queuedMs)
    const open = OPEN_PATHS.get(path)
    if (open && (method === 'GET' || method === 'HEAD')) {
      const answer = open(new ResponseHeaders(catalogue.headers.open, requestId), health, catalogue)
      // Balancers ask every second or so, and nobody wants to read that it went well.
      return answer.status === 200 && path !== '/' ? answer : logged(answer, record, requestLog)
    }
    // Whose turn has come at the door has a place, though fewer may wait by now than stand behind him.
    if (admission.isShedding && http.queuedMs === 0) {
      const refused = rejectEarly(method, path, requestId, catalogue.headers, admission)
      if (refused) return refused
    }
    const headers = new ResponseHeaders(catalogue.headers.authenticated, requestId)
    const incoming: IncomingRequest = { http, id, query, headers, record }
    const respond = (answer: HttpResponse) => logged(answer, record, requestLog)
    const respondTo = (error: unknown) => respond(render(error, path, incoming, parts))
    try {
      // Who has waited at the door came before it was closed.
      if (!health.accepting() && http.queuedMs === 0) throw stopping()
      const answer = handlerOf(http, method, path)(incoming, parts)
      return answer instanceof Promise ? answer.then(respond, respondTo) : respond(answer)
    } catch (error) {
      return respondTo(error)
    }
  }
}

/** The request's line is written when its response has ended: at once, or at the end of a stream. */
function logged(answer: HttpResponse, record: RequestRecord, log: RequestLog): HttpResponse {
  const { status, headers, body } = answer
  if (!log.isOn) return answer
  if (body instanceof Uint8Array) {
    log.ended(record, status)
    return answer
  }
  return { status, headers, body: { run: (sink) => body.run(sink).finally(() => log.ended(record, status)) } }
}

type OpenHandler = (headers: ResponseHeaders, health: Health, catalogue: Catalogue) => HttpResponse

/** Of a gateway, for those who open its address in a browser. Names only what is there. */
const ENTRY = { name: 'trivium', models: '/v1/models', usage: '/v1/usage', health: '/health', ready: '/ready' }

const OPEN_PATHS: ReadonlyMap<string, OpenHandler> = new Map([
  ['/', (headers) => json(200, headers, ENTRY)],
  ['/health', (headers) => json(200, headers, { status: 'ok' })],
  ['/ready', showReady],
])

function showReady(headers: ResponseHeaders, { ready, company }: Health, { config }: Catalogue): HttpResponse {
  const isReady = ready()
  const said = { ready: isReady, config: config.hash.slice(0, SHORT_HASH), ...(company?.() ?? ALONE) }
  return json(isReady ? 200 : 503, headers, said)
}

/** Answered before anything else; what is asked of them otherwise is told what they take. */
const OPEN_METHODS: Methods = { GET: nothingThere, HEAD: nothingThere }

function handlerOf(http: HttpRequest, method: string, path: string): Handler {
  const methods = PATHS.get(path) ?? (OPEN_PATHS.has(path) ? OPEN_METHODS : methodsByPrefix(path))
  const [asked] = splitTarget(http.target)
  if (!methods) throw unknownUrl(asked)
  const handler = methods[method] ?? (method === 'HEAD' ? methods.GET : undefined)
  if (handler) return handler
  if (http.headers.get('upgrade')?.toLowerCase() === 'websocket') {
    // Clients that know a WebSocket from elsewhere take this status as: not here, use plain HTTP. Others they retry.
    throw new Failure('no_websocket', `${asked} speaks HTTP only, not WebSocket. Post the request instead.`)
  }
  const allow = Object.keys(methods).join(', ')
  throw new Failure('method_not_allowed', `${asked} takes ${allow}, not ${method}.`, { allow })
}

const unknownUrl = (path: string) =>
  new Failure('unknown_url', describeUnservedPath(path) ?? `There is nothing at ${path.slice(0, 200)}. ${HINT}`)

const HINT =
  'Check the base address: it ends in /v1 for the chat-compatible protocol, has no /v1 for the messages protocol, and ends in /v1beta for the generative-content protocol.'

function methodsByPrefix(path: string): Methods | undefined {
  for (const [prefix, methodsOf] of PREFIXES) {
    if (path.startsWith(prefix) && path.length > prefix.length) return methodsOf(path.slice(prefix.length))
  }
  return undefined
}

function render(error: unknown, path: string, incoming: IncomingRequest, parts: Dependencies): HttpResponse {
  const { headers, http } = incoming
  const info = infoOf(error, headers.requestId, parts)
  incoming.record.error = info.code
  return renderError(info, dialectOfPath(path, http.headers), headers)
}

function renderError(info: ErrorInfo, dialect: DialectId, headers: ResponseHeaders): HttpResponse {
  const rendered = DIALECTS[dialect].encodeError(info, headers.requestId)
  for (const [name, value] of Object.entries(rendered.headers)) headers.set(name, value)
  if (HALF_READ.includes(info.code)) headers.set('connection', 'close')
  return json(rendered.status, headers, rendered.body)
}

/** The rest of the body is still to come, perhaps for ever: it is no use waiting for it. */
const HALF_READ: readonly ErrorCode[] = ['request_timeout', 'request_too_large']

function infoOf(error: unknown, request: string, parts: Dependencies): ErrorInfo {
  if (error instanceof Failure || error instanceof Mistake) return error.info
  if (error instanceof StoreDown) {
    return {
      code: 'unavailable',
      message: 'The gateway cannot reach its store at the moment. Try again shortly.',
      retryAfter: 2,
    }
  }
  parts.log.error('request failed', {
    request,
    error: errorText(error),
  })
  return {
    code: 'internal',
    message: 'The gateway failed on this request. Its operator can find it by the request id.',
  }
}

const stopping = () =>
  new Failure('unavailable', 'The gateway is shutting down. Try again: another one may answer.', { retryAfter: 1 })

function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}
