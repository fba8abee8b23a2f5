// Every route of the console API as data: for the dispatcher, for tests, and for what describes the API to others.
import { parametersOf } from '@trivium/protocol/routes.ts'
import type { TObject, TSchema } from 'typebox'
import { CONSOLE_ROUTES, ERROR } from './routes/index.ts'
import type { Method, Policy, RouteDeclaration, RouteName } from './routes/route.ts'

/** The schemas are JSON schemas. `bytes`: a file, or what the gateway's own endpoint takes and returns. */
export type ListedRoute = {
  name: RouteName
  method: Method
  /** Below /console/api/. */
  path: string
  /** The names in braces in the path. */
  parameters: readonly string[]
  /** Every policy but `public` needs the session cookie. */
  policy: Policy
  summary: string
  status: number
  body: TObject | 'bytes' | undefined
  query: TObject | undefined
  output: TSchema | 'bytes' | undefined
  /** An example of the body. */
  example: object | undefined
  /** The body of every other status. */
  error: TSchema
}

export const listConsoleRoutes = (): ListedRoute[] =>
  Object.entries<RouteDeclaration>(CONSOLE_ROUTES).map(
    ([name, { policy, summary, status, body, query, output, example }]) => {
      const [method, path] = name.split(' ') as [Method, string]
      return {
        name: name as RouteName,
        method,
        path,
        parameters: parametersOf(path),
        policy,
        summary,
        status: status ?? (output === undefined ? 204 : 200),
        body: typeof body === 'string' ? 'bytes' : body,
        query,
        output: output === 'redirect' ? undefined : typeof output === 'string' ? 'bytes' : output,
        example,
        error: ERROR,
      }
    },
  )
