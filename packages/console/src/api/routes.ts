// The routes of the console API and of the admin API, from the types that are made of the gateway's OpenAPI document.
import type { components, paths } from './schema.d.ts'

/** What the admin API calls its resources, such as `Schemas['Account']`. */
export type Schemas = components['schemas']
export type DryRun = Schemas['DryRun']

type Prefixes = { console: '/console/api/'; admin: '/admin/v1/' }
export type Api = keyof Prefixes
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

type Full<A extends Api, P extends string> = `${Prefixes[A]}${P}`
type RouteOf<A extends Api, M extends Method, P extends string> =
  Full<A, P> extends keyof paths ? paths[Full<A, P>][Lowercase<M> & keyof paths[Full<A, P>]] : never

/** `keys/{id}` of every route with the method. */
export type PathOf<A extends Api, M extends Method = Method> = {
  [F in keyof paths]: F extends Full<A, infer P> ? (RouteOf<A, M, P> extends { responses: unknown } ? P : never) : never
}[keyof paths]

type Json<R> = R extends { content: { 'application/json': infer T } } ? T : never
type Responses<O> = O extends { responses: infer R } ? R : never
type Done<R> = { [S in keyof R & (200 | 201 | 202)]: Json<R[S]> }[keyof R & (200 | 201 | 202)]
type Or<T, Otherwise> = [T] extends [never] ? Otherwise : T

/** What a route returns; of a change: when it is done, not the dry run. */
export type OutputOf<A extends Api, M extends Method, P extends string> = Or<
  Exclude<Done<Responses<RouteOf<A, M, P>>>, DryRun>,
  void
>

export type Nothing = Record<never, never>
type Given<O, In extends 'path' | 'query'> = O extends { parameters: { [N in In]?: infer T } }
  ? Or<NonNullable<T>, Nothing>
  : Nothing
/** A parameter of the query that is empty counts as absent. All are text in a URL. */
type Text<Q> = { readonly [N in keyof Q as N extends 'dry_run' ? never : N]?: string | null | undefined }
export type PathParams<A extends Api, M extends Method, P extends string> = {
  readonly [N in keyof Given<RouteOf<A, M, P>, 'path'>]: string
}

export type ParamsOf<A extends Api, M extends Method, P extends string> = PathParams<A, M, P> &
  Text<Given<RouteOf<A, M, P>, 'query'>>

export type BodyOf<A extends Api, M extends Method, P extends string> =
  RouteOf<A, M, P> extends { requestBody?: { content: { 'application/json': infer T } } } ? T : undefined
