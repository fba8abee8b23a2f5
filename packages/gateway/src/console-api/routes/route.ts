// How a route of the console API is declared: its name is its method and its path below /console/api/, where `{id}` matches one segment,
// and `{path...}` at the end all that remains. The web app infers its client from the types of these tables.
import type { Static, TObject, TSchema } from 'typebox'

/**
 * `public`: anyone. The others need a browser that is signed in. `session`: what belongs to the person. `member`: what belongs to the account
 * that the browser shows; an account that is disabled can only be read. `owner`: the same, for its owners. What belongs to the gateway is in
 * the admin API.
 */
export type Policy = 'public' | 'session' | 'member' | 'owner'
export type Method = 'GET' | 'POST' | 'DELETE'
export type RouteName = `${Method} ${string}`

export type RouteDeclaration = {
  policy: Policy
  /** What it does, in a few words. */
  summary: string
  /** The JSON of a POST. `forwarded`: the gateway's own endpoint reads it. */
  body?: TObject | 'forwarded'
  query?: TObject
  /** The JSON that is returned; other fields are not sent. `csv`: a file. `forwarded`: the response of the gateway's own endpoint. `redirect`: none, the browser goes on to another page. */
  output?: TSchema | 'csv' | 'forwarded' | 'redirect'
  /** The status of a successful response: 200, or 204 without output, unless given. */
  status?: number
  /** An example of the body, for the description of the API. */
  example?: object
  /** The handler waits before it works, and takes a slot itself when it does. */
  takesOwnSlot?: true
}

type Given<D, K extends string, Otherwise> = D extends { [N in K]: infer S extends TSchema } ? Static<S> : Otherwise

export type BodyOf<D> = Given<D, 'body', undefined>
/** Every parameter of a query is optional. */
export type QueryOf<D> = Given<D, 'query', Record<never, never>>
export type OutputOf<D> = Given<D, 'output', void>

/** `{ id: string }` of `keys/{id}`. */
export type ParametersOf<P extends string> = { [N in ParameterName<P>]: string }
type ParameterName<P extends string> = P extends `${string}{${infer N}}${infer Rest}`
  ? (N extends `${infer Name}...` ? Name : N) | ParameterName<Rest>
  : never
