// What the handlers of a table of routes take and return.
import type { HttpResponse } from '@trivium/http/response.ts'
import type { Call, SignedInCall } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import type { BodyOf, OutputOf, ParametersOf, QueryOf, RouteName } from './routes/route.ts'

type CallOf<N, D> = N extends `${string} ${infer Path}`
  ? D extends { policy: 'public' }
    ? Call<BodyOf<D>, QueryOf<D>, ParametersOf<Path>>
    : SignedInCall<BodyOf<D>, QueryOf<D>, ParametersOf<Path>>
  : never

/** A handler returns what its route declares; one without a schema makes the response itself, or returns nothing. */
type ResultOf<D> = D extends { output: 'csv' | 'forwarded' | 'redirect' } ? HttpResponse : OutputOf<D>

export type HandlersOf<Routes> = {
  readonly [N in keyof Routes & RouteName]: (
    call: CallOf<N, Routes[N]>,
    deps: ConsoleDependencies,
  ) => ResultOf<Routes[N]> | Promise<ResultOf<Routes[N]>>
}
