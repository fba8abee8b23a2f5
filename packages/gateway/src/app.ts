// Every response leaves through here, errors included. The handlers of the routes are bound in routes.ts.

import type { HttpRequest } from '@trivium/http/request.ts'
import { type HttpResponse, json, ResponseHeaders, type Sink, type StreamedBody } from '@trivium/http/response.ts'
import type { ErrorCode, ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { dialectOfPath } from '@trivium/protocol/dialect-of-path.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { matchRoute, servedPath } from '@trivium/protocol/match-route.ts'
import { showToLitellm } from './compatibility/litellm-headers.ts'
import { litellmPath } from './compatibility/litellm-paths.ts'
import type { App, AppDependencies, ProcessHealth } from './handler.ts'
import { noteArrival } from './observe/arrival.ts'
import { errorText } from './observe/log.ts'
import { type RequestObserver, tellAll } from './observe/request-observer.ts'
import { RequestRecord } from './observe/request-record.ts'
import { endAttempt } from './observe/upstream-attempt.ts'
import { rejectEarly } from './overload/load-shedding.ts'
import { createRejectionPace, PACED } from './overload/rejection-pace.ts'
import type { ApiRequest } from './request/api-request.ts'
import { Failure } from './request/failure.ts'
import { formatRequestId } from './request/ids.ts'
import { handlerOf, isStatusCall, routeOf } from './routes.ts'
import { StoreDown } from './storage/storage.ts'

export function createApp(deps: AppDependencies, health: ProcessHealth): App {
  const server = { ...health, app }
  const observer = tellAll(deps.observers)
  const pace = createRejectionPace()

  function app(http: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const [target, query] = splitTarget(http.target)
    const { method } = http
    const catalogue = deps.catalogue()
    const { litellm } = catalogue.config.compatibility
    const path = servedPath(litellm ? litellmPath(target) : target, query, http.headers)
    const match = matchRoute(path)
    const id = deps.ids.next()
    const requestId = formatRequestId(id)
    const { admission } = deps
    const startedAt = performance.now() - http.queuedMs
    const route = match && routeOf(match, method)
    const record = new RequestRecord(method, target, requestId, startedAt, http.queuedMs, route)
    if (match !== undefined && isStatusCall(match, method)) {
      const headers = new ResponseHeaders(catalogue.headers.open, requestId)
      const answer = handlerOf(match, http, target)(
        { http, id, query, responseHeaders: headers, record },
        deps,
        '',
        server,
      )
      // Load balancers poll these paths: a successful poll is no request that anyone wants to know of.
      const isPolled = answer instanceof Promise || (answer.status === 200 && path !== '/')
      return isPolled ? answer : observed(answer, record, observer)
    }
    // A request that was queued has its slot, even if the queue has shrunk since.
    if (admission.isShedding && http.queuedMs === 0) {
      const rejected = rejectEarly(method, path, requestId, catalogue.headers, admission)
      if (rejected) return rejected
    }
    const headers = new ResponseHeaders(catalogue.headers.authenticated, requestId)
    noteArrival(record, http, headers, catalogue, deps.tracer, observer.showsClients)
    const incoming: ApiRequest = { http, id, query, responseHeaders: headers, record }
    const respond = (answer: HttpResponse): HttpResponse | Promise<HttpResponse> => {
      if (!litellm) return observed(answer, record, observer)
      return showToLitellm(answer, record, deps.store.keys).then((shown) => observed(shown, record, observer))
    }
    const respondTo = (error: unknown) => {
      const answer = respond(render(error, path, incoming, deps))
      const delay = record.account !== undefined && isRepeatable(record) ? pace.delayOf(record.account) : 0
      return delay === 0 ? answer : Bun.sleep(delay).then(() => answer)
    }
    try {
      // A queued request arrived before the shutdown began.
      if (!health.accepting() && http.queuedMs === 0) throw stopping()
      const answer = handlerOf(match, http, target)(incoming, deps, match?.parameter ?? '', server)
      return answer instanceof Promise ? answer.then(respond, respondTo) : respond(answer)
    } catch (error) {
      return respondTo(error)
    }
  }

  return app
}

/** The observer is told when the response has ended: at once, or at the end of a stream. */
function observed(answer: HttpResponse, record: RequestRecord, observer: RequestObserver): HttpResponse {
  const { status, headers, body } = answer
  if (record.isShed || record.isForwarded) return answer
  if (body instanceof Uint8Array) {
    ended(record, status, observer)
    return answer
  }
  return { status, headers, body: observedStream(body, record, status, observer) }
}

function observedStream(
  body: StreamedBody,
  record: RequestRecord,
  status: number,
  observer: RequestObserver,
): StreamedBody {
  const run = (sink: Sink) => body.run(sink).finally(() => ended(record, status, observer))
  return { ...body, run }
}

function ended(record: RequestRecord, status: number, observer: RequestObserver): void {
  endAttempt(record)
  record.status = status
  record.totalMs = performance.now() - record.startedAt
  observer.ended(record)
}

function render(error: unknown, path: string, incoming: ApiRequest, deps: Pick<AppDependencies, 'log'>): HttpResponse {
  const { responseHeaders: headers, http } = incoming
  const info = infoOf(error, headers.requestId, deps)
  incoming.record.error = info.code
  incoming.record.reason = info.message
  return renderError(info, dialectOfPath(path, http.headers), headers)
}

function renderError(info: ErrorInfo, dialect: DialectId, headers: ResponseHeaders): HttpResponse {
  const rendered = DIALECTS[dialect].encodeError(info, headers.requestId)
  for (const [name, value] of Object.entries(rendered.headers)) headers.set(name, value)
  if (HALF_READ.includes(info.code)) headers.set('connection', 'close')
  return json(rendered.status, headers, rendered.body)
}

/** Errors after which the rest of the body is not read, so the connection is closed. */
const HALF_READ: readonly ErrorCode[] = ['request_timeout', 'request_too_large']

function infoOf(error: unknown, request: string, deps: Pick<AppDependencies, 'log'>): ErrorInfo {
  if (error instanceof Failure || error instanceof RequestError) return error.info
  if (error instanceof StoreDown) {
    return {
      code: 'service_unavailable',
      message: 'The gateway cannot reach its database. Retry in 2 seconds.',
      retryAfter: 2,
    }
  }
  deps.log.error('request failed', {
    request,
    error: errorText(error),
  })
  return {
    code: 'internal_error',
    message: 'The gateway failed on this request. Give the request id to the operator.',
  }
}

const stopping = () =>
  new Failure('service_unavailable', 'The gateway is shutting down. Retry in 1 second.', {
    retryAfter: 1,
  })

const isRepeatable = ({ error }: RequestRecord): boolean => error !== undefined && PACED.has(error)

function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}
