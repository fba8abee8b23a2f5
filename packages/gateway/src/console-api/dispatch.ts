// Every request below /console/api: route, origin, session, body, handler, errors. A handler runs only after all of the checks that
// its route declares.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { permits } from '../administration/permissions.ts'
import { OperationRejected, rejected } from '../administration/rejections.ts'
import { BUSY, createConcurrentCalls } from '../http-api/concurrent-calls.ts'
import { type ApiError, errorResponse, errorResponseFor } from '../http-api/errors.ts'
import { matchApiRoute } from '../http-api/match.ts'
import { originOf } from '../http-api/origin.ts'
import { hasBody, parseJson, readSmallBody } from '../http-api/read-small-body.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import { checkPage } from '../http-api/same-origin.ts'
import { readSessionCookie } from '../http-api/session/cookie.ts'
import { createReaders } from '../http-api/session/readers.ts'
import { currentSession } from '../http-api/session/sessions.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import type { Person, SignedIn } from '../storage/storage.ts'
import type { Call, Gateway, SignedInCall } from './call.ts'
import { type ConsoleRoute, compileConsoleRoutes } from './compile-routes.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import type { Policy } from './routes/route.ts'

/** `path`: what follows /console/api/, still percent-encoded. `gateway`: the gateway's own endpoints. */
export type Dispatch = (incoming: ApiRequest, path: string, gateway: Gateway) => Promise<HttpResponse>

const SIGNED_IN_LIMITS = { most: 256, mostOfOne: 16 }

export function createDispatch(deps: ConsoleDependencies): Dispatch {
  const match = matchApiRoute(compileConsoleRoutes())
  const anonymous = createConcurrentCalls(() => deps.admit(undefined))
  const readers = createReaders()
  const tokenOf = ({ headers }: HttpRequest) => readSessionCookie(headers, deps.config().server)
  const signedIn = createConcurrentCalls((account) => deps.admit(BigInt(account)), SIGNED_IN_LIMITS)

  return async (incoming, path, gateway) => {
    const { http, responseHeaders: headers } = incoming
    try {
      const found = match(http.method, path)
      if ('allow' in found) throw otherMethod(http.method, path, found.allow)
      const { route, parameters } = found
      if (route.method !== 'GET') checkPage(http, deps.config().server, deps.listenUrl())
      const query = new URLSearchParams(incoming.query)
      const origin = originOf(http, deps.catalogue().trustedProxies)
      const call = { incoming, http, headers, query, parameters, origin, gateway, body: undefined }
      // Before the session is looked up: that is a read, too.
      if (route.method === 'GET' && !route.forwards && !route.takesOwnSlot)
        return await deps.reads.run(readers.of(tokenOf(http), origin.network), incoming, () => respond(route, call))
      return await respond(route, call)
    } catch (thrown) {
      const error = asRejection(thrown)
      incoming.record.error = error.error.code
      return errorResponse({ http, headers }, error.error)
    }
  }

  async function respond(route: ConsoleRoute, call: UncheckedCall): Promise<HttpResponse> {
    if (route.policy !== 'public') return await asPerson(route, call)
    const checked = await withInput(route, call)
    if ('status' in checked) return checked
    if (route.method === 'GET' || route.takesOwnSlot) return await route.respond(checked, deps)
    const { network, wideNetwork } = call.origin
    const answer = anonymous(network, () => route.respond(checked, deps), wideNetwork)
    if (answer === undefined) throw new ApiRejection(BUSY)
    return await answer
  }

  async function asPerson(route: ConsoleRoute, call: UncheckedCall): Promise<HttpResponse> {
    const found = await currentSession(call, deps)
    if (found === undefined) throw new ApiRejection(NOT_SIGNED_IN)
    checkMember(route, found, call.http)
    readers.note(tokenOf(call.http), found.account.id)
    checkPermission(route.policy, found.person)
    const signedInCall: SignedInCall<unknown, URLSearchParams> = { ...call, ...found }
    const checked = await withInput(route, signedInCall)
    if ('status' in checked) return checked
    // The gateway's own endpoints have limits of their own for what they generate.
    if (route.forwards && route.method === 'POST') return route.respond(checked, deps)
    const answer = signedIn(String(found.account.id), () => route.respond(checked, deps))
    if (answer === undefined) throw new ApiRejection(BUSY)
    return await answer
  }

  /** The call with its query and body checked, or the error. No slot is taken yet. */
  async function withInput(route: ConsoleRoute, call: UncheckedCall): Promise<Call<unknown> | HttpResponse> {
    const { checkBody, takesNothing } = route
    const query = route.checkQuery(call.query)
    if (checkBody === undefined) return { ...call, query }
    if (takesNothing && !hasBody(call.http)) return { ...call, query, body: {} }
    const bytes = await readSmallBody(call.http, deps)
    if (!(bytes instanceof Uint8Array)) return errorResponseFor(call, bytes)
    return { ...call, query, body: checkBody(parseJson(bytes)) }
  }
}

type UncheckedCall = Call<unknown, URLSearchParams>

/** A route with a permission is for people whose role in the gateway has it, whatever accounts they belong to. */
export function checkPermission(policy: Policy, { role }: Pick<Person, 'role'>): void {
  if (typeof policy !== 'object') return
  const { permission } = policy
  if (role === undefined || !permits(role, permission)) throw rejected('forbidden', { permission })
}

/** The account that a page shows; another tab of the browser may show another one meanwhile. */
const ACCOUNT_HEADER = 'x-trivium-account'

function checkMember({ policy, method }: ConsoleRoute, { account, role }: SignedIn, { headers }: HttpRequest): void {
  if (policy === 'session' || typeof policy === 'object') return
  if ((headers.get(ACCOUNT_HEADER) ?? String(account.id)) !== String(account.id)) throw new ApiRejection(SWITCHED)
  if (policy === 'owner' && role !== 'owner') throw new ApiRejection(OWNERS_ONLY)
  if (method !== 'GET' && account.disabled) throw new ApiRejection(DISABLED)
}

/** Rejections of reads are rendered as the console's other errors. */
function asRejection(error: unknown): ApiRejection {
  if (error instanceof ApiRejection) return error
  if (error instanceof OperationRejected) return fromOperation(error)
  if (!(error instanceof Failure)) throw error
  const { code, message, retryAfter } = error.info
  if (code !== 'rate_limit_exceeded' && code !== 'service_unavailable') throw error
  return new ApiRejection({ code, message, ...(retryAfter === undefined ? {} : { retryAfter }) })
}

function fromOperation({ code, message, param, retryAfter }: OperationRejected): ApiRejection {
  return new ApiRejection({
    code,
    message,
    ...(param === undefined ? {} : { param }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
}

function otherMethod(method: string, path: string, allow: readonly string[]): Failure | ApiRejection {
  const url = `/console/api/${path.slice(0, 200)}`
  if (allow.length === 0) return new ApiRejection({ code: 'not_found', message: `There is nothing at ${url}.` })
  return new Failure('method_not_allowed', `${url} takes ${allow.join(', ')}, not ${method}.`, {
    allow: allow.join(', '),
  })
}

const SWITCHED: ApiError = {
  code: 'account_switched',
  message: 'Another account was chosen in this browser. Reload the page.',
}
const OWNERS_ONLY: ApiError = { code: 'owners_only', message: 'Only owners of the account can do this.' }
const DISABLED: ApiError = {
  code: 'account_disabled',
  message: 'This account is disabled. Ask the operator of this gateway.',
}
const NOT_SIGNED_IN: ApiError = {
  code: 'not_signed_in',
  message: 'You are not signed in, or your session has ended.',
}
