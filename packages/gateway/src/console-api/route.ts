// How a route of the console API is declared: see routes.ts.
import type { HttpRequest } from '@trivium/http/request.ts'
import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { SignedIn } from '../storage/storage.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import type { Check } from './fields.ts'
import { type Shape, shaped } from './shape.ts'
import { transferred } from './transfer/compress.ts'

/** `public`: anyone. `session`: a browser that is signed in. */
export type Policy = 'public' | 'session'
export type Method = 'GET' | 'POST' | 'DELETE'

/** Where a request comes from. */
export type Origin = { address: string; network: string; wideNetwork: string; userAgent: string }

/** The gateway's own endpoints, for requests that the console makes on behalf of an account. */
export type Gateway = (http: HttpRequest) => HttpResponse | Promise<HttpResponse>

export type Call<Body = undefined> = {
  incoming: ApiRequest
  http: HttpRequest
  headers: ApiRequest['responseHeaders']
  query: URLSearchParams
  /** By the names in the route's path, decoded. */
  parameters: Readonly<Record<string, string>>
  origin: Origin
  gateway: Gateway
  body: Body
}
export type SignedInCall<Body = undefined> = Call<Body> & SignedIn
type CallOf<P extends Policy, Body> = P extends 'session' ? SignedInCall<Body> : Call<Body>

/** Of a POST: the check of its JSON body. `unread`: the handler reads the body itself. */
type Takes<M extends Method, Body> = M extends 'POST' ? { takes: Check<Body> | 'unread' } : { takes?: never }

type Declared<M extends Method, P extends Policy, Body> = Takes<M, Body> & {
  method: M
  /** Below /console/api/. `{id}` matches one segment, `{path...}` at the end all that remains. */
  path: string
  policy: P
  /** The gateway's own endpoint responds, which has queues and limits of its own. */
  forwards?: true
  /** The handler waits before it works, and takes a slot itself when it does. */
  takesOwnSlot?: true
}
type Returning<P extends Policy, Body, T> = {
  returns: Shape<T>
  /** 200 unless given. */
  status?: number
  handle(call: CallOf<P, Body>, deps: ConsoleDependencies): T | Promise<T>
}
/** Without `returns`, the handler makes the response itself, or there is nothing to return. */
type Responding<P extends Policy, Body> = {
  returns?: never
  /** Of a response without a body: 204 unless given. */
  status?: number
  handle(call: CallOf<P, Body>, deps: ConsoleDependencies): HttpResponse | Promise<HttpResponse> | Promise<void>
}

/** A route as the dispatcher sees it. `call` has a session if the policy requires one. */
export type ConsoleRoute = {
  method: Method
  path: string
  policy: Policy
  takes: Check<unknown> | 'unread' | undefined
  forwards: boolean
  takesOwnSlot: boolean
  respond(call: Call<unknown>, deps: ConsoleDependencies): Promise<HttpResponse>
}

export function route<M extends Method, P extends Policy, T, Body = undefined>(
  declared: Declared<M, P, Body> & Returning<P, Body, T>,
): ConsoleRoute
export function route<M extends Method, P extends Policy, Body = undefined>(
  declared: Declared<M, P, Body> & Responding<P, Body>,
): ConsoleRoute
export function route(declared: {
  method: Method
  path: string
  policy: Policy
  takes?: Check<unknown> | 'unread'
  forwards?: true
  takesOwnSlot?: true
  returns?: unknown
  status?: number
  handle(call: never, deps: ConsoleDependencies): unknown
}): ConsoleRoute {
  const { method, path, policy, takes, forwards = false, takesOwnSlot = false, returns, status, handle } = declared
  return {
    method,
    path,
    policy,
    takes,
    forwards,
    takesOwnSlot,
    async respond(call, deps) {
      // The dispatcher has checked policy and body: the call is what the handler's type says.
      const result = await handle(call as never, deps)
      if (returns !== undefined) {
        const response = json(status ?? 200, call.headers, shaped(result, returns))
        return method === 'GET' ? transferred(call.http, response) : response
      }
      return (result as HttpResponse | undefined) ?? { status: status ?? 204, headers: call.headers, body: NO_BODY }
    },
  }
}

const NO_BODY = new Uint8Array()
