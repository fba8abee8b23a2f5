// A call of a route of the admin API.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { Actor } from '../administration/operation.ts'
import type { Origin } from '../http-api/origin.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { CompiledRoute } from './compile-routes.ts'

export type AdminCall = {
  incoming: ApiRequest
  http: HttpRequest
  headers: ResponseHeaders
  origin: Origin
  route: CompiledRoute
  /** By the names in the route's path, decoded. */
  parameters: Readonly<Record<string, string>>
  query: URLSearchParams
}

/** People and admin keys. */
export type AdminActor = Extract<Actor, { type: 'person' | 'admin-key' }>

/** Unique among people and admin keys. */
export const nameOf = ({ type, id }: AdminActor): string => `${type}/${id}`
