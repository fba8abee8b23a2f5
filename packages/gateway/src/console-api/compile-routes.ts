// The routes of the console API as the dispatcher runs them: the checks of what they take, their handlers, and what is sent.
import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { Static, TObject } from 'typebox'
import { checked } from '../administration/rejections.ts'
import { transferred } from '../http-api/compress.ts'
import { pickerOf } from '../http-api/pick-output.ts'
import { NOTHING } from '../request/schema/schema.ts'
import type { Call } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import { HANDLERS } from './handlers.ts'
import { CONSOLE_ROUTES } from './routes/index.ts'
import type { Method, Policy, RouteDeclaration } from './routes/route.ts'

export type ConsoleRoute = {
  method: Method
  path: string
  policy: Policy
  /** undefined: the body is not read here. */
  checkBody: ((value: unknown) => Static<TObject>) | undefined
  /** No body at all counts as an empty one. */
  takesNothing: boolean
  /** The gateway's own endpoint responds, which has queues and limits of its own. */
  forwards: boolean
  takesOwnSlot: boolean
  checkQuery(query: URLSearchParams): Static<TObject>
  respond(call: Call<unknown>, deps: ConsoleDependencies): Promise<HttpResponse>
}

type AnyHandler = (call: Call<unknown>, deps: ConsoleDependencies) => unknown

export const compileConsoleRoutes = (): ConsoleRoute[] =>
  Object.entries<RouteDeclaration>(CONSOLE_ROUTES).map(([name, declared]) =>
    // The dispatcher checks policy, parameters, query and body first: the call is what the handler's type says.
    compile(name, declared, HANDLERS[name as keyof typeof HANDLERS] as AnyHandler),
  )

function compile(name: string, declared: RouteDeclaration, handle: AnyHandler): ConsoleRoute {
  const [method, path] = name.split(' ') as [Method, string]
  const { policy, body, query, output, status, takesOwnSlot = false } = declared
  const pick = typeof output === 'object' ? pickerOf(output) : undefined
  return {
    method,
    path,
    policy,
    checkBody: typeof body === 'object' ? (value) => checked(body, value) : undefined,
    takesNothing: body === NOTHING,
    forwards: output === 'forwarded',
    takesOwnSlot,
    checkQuery: (written) => (query ? checked(query, parametersIn(written, query)) : {}),
    async respond(call, deps) {
      const result = await handle(call, deps)
      if (pick === undefined)
        return (result as HttpResponse | undefined) ?? { status: status ?? 204, headers: call.headers, body: NO_BODY }
      const response = json(status ?? 200, call.headers, pick(result))
      return method === 'GET' ? transferred(call.http, response) : response
    },
  }
}

/** The first of each parameter that the schema lists; others are ignored. */
const parametersIn = (written: URLSearchParams, { properties }: TObject) =>
  Object.fromEntries([...written].filter(([name]) => Object.hasOwn(properties, name)).toReversed())

const NO_BODY = new Uint8Array()
