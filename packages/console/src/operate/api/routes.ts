// The routes of the admin API, from the types that are made of the gateway's OpenAPI document.
import type { components, paths } from './schema.d.ts'

/** What the API calls its resources, such as `Schemas['Account']`. */
export type Schemas = components['schemas']
export type DryRun = Schemas['DryRun']

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type ChangeMethod = Exclude<Method, 'GET'>

type Full<P extends string> = `/admin/v1/${P}`
type RouteOf<M extends Method, P extends string> =
  Full<P> extends keyof paths ? paths[Full<P>][Lowercase<M> & keyof paths[Full<P>]] : never

/** `accounts/{account}` of every route with the method. */
export type Path<M extends Method> = {
  [F in keyof paths]: F extends Full<infer P> ? (RouteOf<M, P> extends { responses: unknown } ? P : never) : never
}[keyof paths]

type Json<R> = R extends { content: { 'application/json': infer T } } ? T : never
type Responses<O> = O extends { responses: infer R } ? R : never
type Done<R> = { [S in keyof R & (200 | 201 | 202)]: Json<R[S]> }[keyof R & (200 | 201 | 202)]

/** What a route returns; of a change: when it is done, not the dry run. */
export type Output<M extends Method, P extends string> = Exclude<Done<Responses<RouteOf<M, P>>>, DryRun>

/** The entries of a list. */
export type Row<P extends Path<'GET'>> = Output<'GET', P> extends { data: (infer T)[] } ? T : never
export type ListPath = { [P in Path<'GET'>]: Output<'GET', P> extends { object: 'list' } ? P : never }[Path<'GET'>]

type Nothing = Record<never, never>
type OrNothing<T> = [T] extends [never] ? Nothing : T
type Given<O, In extends 'path' | 'query'> = O extends { parameters: { [N in In]?: infer T } }
  ? OrNothing<NonNullable<T>>
  : Nothing
/** A parameter of the query that is empty counts as absent. All are text in a URL. */
type Text<Q> = { readonly [N in keyof Q as N extends 'dry_run' ? never : N]?: string | null | undefined }
type PathText<T> = { readonly [N in keyof T]: string }

export type Params<M extends Method, P extends string> = PathText<Given<RouteOf<M, P>, 'path'>> &
  Text<Given<RouteOf<M, P>, 'query'>>

export type Body<M extends ChangeMethod, P extends string> =
  RouteOf<M, P> extends {
    requestBody?: { content: { 'application/json': infer T } }
  }
    ? T
    : undefined
