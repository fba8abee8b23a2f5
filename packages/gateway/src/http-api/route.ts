// A route of the console API or of the admin API, as data: for their dispatchers, for tests, and for what describes them to others.
import { parametersOf } from '@trivium/protocol/routes.ts'
import type { TObject, TSchema } from 'typebox'
import type { Permission } from '../operate/permissions.ts'
import { fields, NOTHING } from '../request/schema/schema.ts'

/**
 * Who may call a route. `public`: anyone. `session`: what belongs to the person whose browser is signed in. `member`: what belongs to the account
 * that the browser shows; an account that is disabled can only be read. `owner`: the same, for its owners. What belongs to the gateway needs
 * a role with a permission.
 */
export type Policy = HoldersPolicy | Permission
export type HoldersPolicy = 'public' | 'session' | 'member' | 'owner'
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The schemas are JSON schemas. `bytes`: a file, or what the gateway's own endpoint takes and returns. */
export type ApiRoute<Allowed extends Policy = Policy> = {
  /** Its method and its path below that of its API, where `{id}` matches one segment, and `{path...}` at the end all that remains. */
  name: string
  method: Method
  path: string
  policy: Allowed
  /** What it does, in a few words. */
  summary: string
  /** The status of a successful response. */
  status: number
  /** What the path takes. */
  parameters: TObject
  query: TObject
  body: TObject | 'bytes' | undefined
  output: TSchema | 'bytes' | undefined
  /** For the description of the API. */
  example: { body?: object; query?: string } | undefined
}

type Given<Allowed extends Policy> = Pick<ApiRoute<Allowed>, 'name' | 'policy' | 'summary' | 'status'> &
  Partial<ApiRoute<Allowed>>

/** Parameters are text unless their schemas are given. */
export function apiRoute<Allowed extends Policy>(given: Given<Allowed>): ApiRoute<Allowed> {
  const [method, path] = given.name.split(' ') as [Method, string]
  const parameters = fields(Object.fromEntries(parametersOf(path).map((name) => [name, TEXT])))
  const nothing = { query: NOTHING, body: undefined, output: undefined, example: undefined }
  return { method, path, parameters, ...nothing, ...given }
}

const TEXT = { type: 'string' } as unknown as TSchema

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE']

export const byPath = <Route extends Pick<ApiRoute, 'method' | 'path'>>(routes: readonly Route[]): Route[] =>
  routes.toSorted(
    (one, other) => order(one.path, other.path) || METHODS.indexOf(one.method) - METHODS.indexOf(other.method),
  )

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
