// A route of the console API, as one value: its name, who may call it, what it takes and returns, and what it does. Amounts are decimal USD as
// text, times are ISO 8601 in UTC, ids are text.
import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { Static, TObject, TSchema } from 'typebox'
import { transferred } from '../http-api/compress.ts'
import { pickerOf } from '../http-api/pick-output.ts'
import { type ApiRoute, apiRoute, type HoldersPolicy } from '../http-api/route.ts'
import { type Operation, type OperationContext, perform } from '../operate/operation.ts'
import { checked } from '../operate/rejections.ts'
import type { Call, SignedInCall } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'

type RouteName = `${'GET' | 'POST' | 'DELETE'} ${string}`

type Declaration = {
  policy: HoldersPolicy
  summary: string
  /** The JSON of a POST. `forwarded`: the gateway's own endpoint reads it. */
  body?: TObject | 'forwarded'
  /** Every parameter is optional. */
  query?: TObject
  /** The JSON that is returned; other fields are not sent. `csv`: a file. `forwarded`: the response of the gateway's own endpoint. `redirect`: none, the browser goes on to another page. */
  output?: TSchema | 'csv' | 'forwarded' | 'redirect'
  /** The status of a successful response: 200, or 204 without output, unless given. */
  status?: number
  /** An example of the body. */
  example?: object
  /** The handler waits before it works, and takes a slot itself when it does. */
  takesOwnSlot?: true
}

export type ConsoleRoute = ApiRoute<HoldersPolicy> & {
  /** The gateway's own endpoint responds, which has queues and limits of its own. */
  forwards: boolean
  takesOwnSlot: boolean
  respond(call: Call<unknown>, deps: ConsoleDependencies): Promise<HttpResponse>
}
type Handler = (call: Call<unknown>, deps: ConsoleDependencies) => unknown

type Given<D, K extends string, Otherwise> = D extends { [N in K]: infer S extends TSchema } ? Static<S> : Otherwise
type ParameterName<P extends string> = P extends `${string}{${infer N}}${infer Rest}`
  ? (N extends `${infer Name}...` ? Name : N) | ParameterName<Rest>
  : never
type CallOf<N extends string, D> = D extends { policy: 'public' }
  ? Call<Given<D, 'body', undefined>, Given<D, 'query', Nothing>, { [P in ParameterName<N>]: string }>
  : SignedInCall<Given<D, 'body', undefined>, Given<D, 'query', Nothing>, { [P in ParameterName<N>]: string }>
type Nothing = Record<never, never>
/** A handler returns what its route declares; one without a schema makes the response itself, or returns nothing. */
type ResultOf<D> = D extends { output: 'csv' | 'forwarded' | 'redirect' } ? HttpResponse : Given<D, 'output', void>

/** An operation gets the account that the browser shows, and `{id}` in the path names what it is about. */
export function route<N extends RouteName, D extends Declaration>(
  name: N,
  declared: D,
  does:
    | ((call: CallOf<N, D>, deps: ConsoleDependencies) => ResultOf<D> | Promise<ResultOf<D>>)
    | Operation<TSchema, ResultOf<D>>,
): ConsoleRoute {
  const { policy, summary, body, query, output, example, takesOwnSlot = false } = declared
  const { status = output === undefined ? 204 : 200 } = declared
  // The dispatcher checks policy, parameters, query and body first: the call is what the handler's type says.
  const handle = typeof does === 'function' ? (does as Handler) : performs(does)
  const pick = typeof output === 'object' ? pickerOf(output) : undefined
  return {
    ...apiRoute({
      name,
      policy,
      summary,
      status,
      body: typeof body === 'string' ? 'bytes' : body,
      output: output === 'redirect' ? undefined : typeof output === 'string' ? 'bytes' : output,
      ...(query && { query }),
      ...(example && { example: { body: example } }),
    }),
    forwards: output === 'forwarded',
    takesOwnSlot,
    async respond(call, deps) {
      const result = await handle(call, deps)
      if (!pick) return (result as HttpResponse | undefined) ?? { status, headers: call.headers, body: NO_BODY }
      const response = json(status, call.headers, pick(result))
      return name.startsWith('GET ') ? transferred(call.http, response) : response
    },
  }
}

const NO_BODY = new Uint8Array()

/** The first of each parameter that the schema lists; others are ignored. */
export const readQuery = ({ query }: ConsoleRoute, written: URLSearchParams): object =>
  checked(
    query,
    Object.fromEntries([...written].filter(([name]) => Object.hasOwn(query.properties, name)).toReversed()),
  )

function performs(operation: Operation): Handler {
  const { properties } = operation.input as TObject
  const [noun = ''] = operation.name.split(' ')
  return (call, deps) => {
    const signedIn = call as SignedInCall<object | undefined, object, { id?: string }>
    const { body, account, parameters } = signedIn
    const ofAccount = properties.account ? { account: String(account.id) } : {}
    const named = parameters.id === undefined ? {} : { [noun]: parameters.id }
    return perform(operation, holderContext(signedIn, deps), { ...body, ...ofAccount, ...named })
  }
}

/** What an account holder who is signed in may do with operations. */
export const holderContext = (call: SignedInCall<unknown>, deps: ConsoleDependencies): OperationContext => ({
  actor: {
    type: 'holder',
    person: call.person,
    account: call.account,
    role: call.role,
    isByOperator: call.isByOperator,
    address: call.origin.address,
    requestId: call.incoming.id,
  },
  storage: deps.store,
  config: deps.config(),
  listenUrl: deps.listenUrl(),
  mailer: deps.mailer,
  pseudonyms: { pseudonym: (...of) => deps.accountCipher.pseudonym(...of) },
  accountCipher: () => Promise.reject(new Error('account holders get no secrets of the gateway')),
})
