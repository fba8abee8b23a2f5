// Every request below /console/api: route, origin, session, body, handler, errors. A handler runs only after all of the checks that
// its route declares.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { createConcurrentCalls } from '../http-api/concurrent-calls.ts'
import { createApiDispatch } from '../http-api/dispatch.ts'
import { type ApiError, errorResponse } from '../http-api/errors.ts'
import { hasBody, parseJson, readSmallBody } from '../http-api/read-small-body.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import { checkPage } from '../http-api/same-origin.ts'
import { readSessionCookie } from '../http-api/session/cookie.ts'
import { currentSession } from '../http-api/session/sessions.ts'
import { checked, OperationRejected } from '../operate/rejections.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { NOTHING } from '../request/schema/schema.ts'
import type { SignedIn } from '../storage/storage.ts'
import type { Call, Gateway, SignedInCall } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import { type ConsoleRoute, readQuery } from './route.ts'
import { CONSOLE_ROUTES } from './routes.ts'

/** `path`: what follows /console/api/, still percent-encoded. `gateway`: the gateway's own endpoints. */
export type Dispatch = (incoming: ApiRequest, path: string, gateway: Gateway) => Promise<HttpResponse>

const SIGNED_IN_LIMITS = { most: 256, mostOfOne: 16 }

export function createDispatch(deps: ConsoleDependencies): Dispatch {
  const anonymous = createConcurrentCalls(() => deps.admit(undefined))
  const tokenOf = ({ headers }: HttpRequest) => readSessionCookie(headers, deps.config().server)
  const signedIn = createConcurrentCalls((account) => deps.admit(BigInt(account)), SIGNED_IN_LIMITS)
  const { dispatch, readers } = createApiDispatch(
    {
      prefix: '/console/api/',
      routes: CONSOLE_ROUTES,
      credentialOf: tokenOf,
      isRead: ({ method, forwards, takesOwnSlot }) => method === 'GET' && !forwards && !takesOwnSlot,
      respondTo,
    },
    deps,
  )
  return (incoming, path, gateway) =>
    dispatch(incoming, path, async (call) => {
      const { route, http } = call
      if (route.method !== 'GET') checkPage(http, deps.config().server, deps.listenUrl())
      return await respond(route, { ...call, gateway, body: undefined })
    })

  async function respond(route: ConsoleRoute, call: UncheckedCall): Promise<HttpResponse> {
    if (route.policy !== 'public') return await asPerson(route, call)
    const asked = await withInput(route, call)
    if (route.method === 'GET' || route.takesOwnSlot) return await route.respond(asked, deps)
    const { network, wideNetwork } = call.origin
    return await anonymous(network, () => route.respond(asked, deps), wideNetwork)
  }

  async function asPerson(route: ConsoleRoute, call: UncheckedCall): Promise<HttpResponse> {
    const found = await currentSession(call, deps)
    if (found === undefined) throw new ApiRejection(NOT_SIGNED_IN)
    checkMember(route, found, call.http)
    readers.note(tokenOf(call.http), found.account.id)
    const signedInCall: SignedInCall<unknown, URLSearchParams> = { ...call, ...found }
    const asked = await withInput(route, signedInCall)
    // The gateway's own endpoints have limits of their own for what they generate.
    if (route.forwards && route.method === 'POST') return route.respond(asked, deps)
    return await signedIn(String(found.account.id), () => route.respond(asked, deps))
  }

  /** The call with its query and body checked. No slot is taken yet. */
  async function withInput(route: ConsoleRoute, call: UncheckedCall): Promise<Call<unknown>> {
    const query = readQuery(route, call.query)
    if (typeof route.body !== 'object') return { ...call, query }
    // No body at all counts as an empty one.
    if (route.body === NOTHING && !hasBody(call.http)) return { ...call, query, body: {} }
    return { ...call, query, body: checked(route.body, parseJson(await readSmallBody(call, deps))) }
  }
}

type UncheckedCall = Call<unknown, URLSearchParams>

/** The account that a page shows; another tab of the browser may show another one meanwhile. */
const ACCOUNT_HEADER = 'x-trivium-account'

function checkMember({ policy, method }: ConsoleRoute, { account, role }: SignedIn, { headers }: HttpRequest): void {
  if (policy === 'session') return
  if ((headers.get(ACCOUNT_HEADER) ?? String(account.id)) !== String(account.id)) throw new ApiRejection(SWITCHED)
  if (policy === 'owner' && role !== 'owner') throw new ApiRejection(OWNERS_ONLY)
  if (method !== 'GET' && account.disabled) throw new ApiRejection(DISABLED)
}

/** Rejections of reads are rendered as the console's other errors; what nobody expected is app.ts's. */
function respondTo(thrown: unknown, { responseHeaders: headers, record }: ApiRequest): HttpResponse {
  const error = errorOf(thrown)
  record.error = error.code
  return errorResponse(headers, error)
}

function errorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiRejection) return thrown.error
  if (thrown instanceof OperationRejected) return thrown
  if (!(thrown instanceof Failure)) throw thrown
  const { code, message, retryAfter } = thrown.info
  if (code !== 'rate_limit_exceeded' && code !== 'service_unavailable') throw thrown
  return { code, message, retryAfter }
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
