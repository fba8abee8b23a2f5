// The routes of the console API, inferred from the gateway's own table: their paths, what they take and what they return.
import type { ConsoleRoutes } from '@trivium/gateway/console-api/routes/index.ts'
import type { BodyOf, Method, OutputOf, ParametersOf, QueryOf } from '@trivium/gateway/console-api/routes/route.ts'

/** `keys/{id}` of `GET keys/{id}`. */
export type Path<M extends Method = Method> = keyof ConsoleRoutes extends infer N
  ? N extends `${M} ${infer P}`
    ? P
    : never
  : never

type RouteOf<M extends Method, P extends string> = ConsoleRoutes[`${M} ${P}` & keyof ConsoleRoutes]

export type Output<M extends Method, P extends string> = OutputOf<RouteOf<M, P>>

/** The parameters of the path, and those of the query, which count as absent if they are empty. */
export type Params<M extends Method, P extends string> = ParametersOf<P> & Query<QueryOf<RouteOf<M, P>>>
type Query<Q> = { readonly [N in keyof Q]?: Q[N] | '' | null | undefined }

type Body<P extends string> = BodyOf<RouteOf<'POST', P>>
type Nothing = Record<never, never>

export type PostArguments<P extends string> =
  Nothing extends ParametersOf<P>
    ? Nothing extends Body<P>
      ? [body?: Body<P>, params?: Nothing]
      : [body: Body<P>, params?: Nothing]
    : [body: Body<P>, params: ParametersOf<P>]
