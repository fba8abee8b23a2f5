// What the console API and the admin API do with every request alike: where it comes from, its route, the slot of a read, its errors.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse, ResponseHeaders } from '@trivium/http/response.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Reads } from '../overload/reads/reads.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { matchApiRoute } from './match.ts'
import { type Origin, originOf } from './origin.ts'
import { ApiRejection } from './rejection.ts'
import { createReaders, type Readers } from './session/readers.ts'

export type RoutedCall<Route> = {
  incoming: ApiRequest
  http: HttpRequest
  headers: ResponseHeaders
  origin: Origin
  route: Route
  /** By the names in the route's path, decoded. */
  parameters: Readonly<Record<string, string>>
  query: URLSearchParams
}

type Api<Route> = {
  /** The beginning of every path, such as /admin/v1/. */
  prefix: string
  routes: readonly Route[]
  /** Throws if requests from there are not served. */
  checkOrigin?(origin: Origin): void
  /** Whose reads a request counts to; it is looked up in the slot of the read. */
  credentialOf(http: HttpRequest): string | undefined
  /** It only reads, and has no queue of its own. */
  isRead(route: Route): boolean
  respondTo(error: unknown, incoming: ApiRequest): HttpResponse
}

/** `path`: what follows the prefix, still percent-encoded. `reader`: the account or network whose reads these are. */
export type ApiDispatch<Route> = (
  incoming: ApiRequest,
  path: string,
  serve: (call: RoutedCall<Route>, reader: bigint) => Promise<HttpResponse>,
) => Promise<HttpResponse>

export function createApiDispatch<Route extends { method: string; path: string }>(
  { prefix, routes, checkOrigin, credentialOf, isRead, respondTo }: Api<Route>,
  deps: { catalogue(): Pick<Catalogue, 'trustedProxies'>; reads: Reads },
): { dispatch: ApiDispatch<Route>; readers: Readers } {
  const match = matchApiRoute(routes)
  const readers = createReaders()
  const dispatch: ApiDispatch<Route> = async (incoming, path, serve) => {
    const { http, responseHeaders: headers } = incoming
    try {
      const origin = originOf(http, deps.catalogue().trustedProxies)
      checkOrigin?.(origin)
      const found = match(http.method, path)
      if ('allow' in found) throw otherMethod(http.method, prefix + path.slice(0, LONGEST_SHOWN), found.allow)
      const call = { incoming, http, headers, origin, query: new URLSearchParams(incoming.query), ...found }
      const reader = readers.of(credentialOf(http), origin.network)
      // Before the credential is looked up: that is a read, too.
      if (isRead(found.route)) return await deps.reads.run(reader, incoming, () => serve(call, reader))
      return await serve(call, reader)
    } catch (error) {
      return respondTo(error, incoming)
    }
  }
  return { dispatch, readers }
}

const LONGEST_SHOWN = 200

export const nothingAt = (url: string): ApiRejection =>
  new ApiRejection({ code: 'not_found', message: `There is nothing at ${url}.` })

function otherMethod(method: string, url: string, allow: readonly string[]): Failure | ApiRejection {
  if (allow.length === 0) return nothingAt(url)
  const methods = allow.join(', ')
  return new Failure('method_not_allowed', `${url} takes ${methods}, not ${method}.`, { allow: methods })
}
