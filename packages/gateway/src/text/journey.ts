// Read this first: the journey of a text request. paid-call/open.ts takes the steps in this order, and each is a function by its
// name; one that rejects the request throws a Failure.
//   authenticate -> admit -> read -> authorize -> (claim) -> route -> prepare -> hold -> respond: call, relay, settle

import type { HttpResponse } from '@trivium/http/response.ts'
import { authorize } from '../access/authorize.ts'
import { placeHold } from '../paid-call/hold.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import { runPaidCall } from '../paid-call/run.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { rejectLowFunds } from './low-funds.ts'
import { read } from './read.ts'
import type { TextEndpoint, TextRequest } from './request.ts'
import { begin, prepare } from './reserve.ts'
import { respondJson } from './responding/respond-json.ts'
import { respondStream } from './responding/respond-stream.ts'
import { route } from './routing/route.ts'
import type { TextCall, TextDependencies, TextKind } from './text-call.ts'

export const journey = (incoming: ApiRequest, endpoint: TextEndpoint, deps: TextDependencies): Promise<HttpResponse> =>
  openPaidCall(TEXT, incoming, endpoint, deps)

export const TEXT: Journey<TextKind, TextDependencies> = {
  dialectOf: ({ dialect }) => dialect.id,
  check,
  read,
  authorize: (caller, { parsed }, catalogue) => authorize(caller, parsed.model, 'text', catalogue),
  attribution: ({ parsed }) => parsed.attribution,
  fingerprint: ({ body, background }, endpoint) => ({ endpoint: nameOf(endpoint, background), body }),
  route,
  prepare,
  hold: (request, deps) => request.prepared.deferral?.hold(request) ?? placeHold(request, deps),
  begin,
  respond(call, deps) {
    const { deferral, tool } = call.prepared
    if (deferral) return deferral.respond(call)
    return runPaidCall(call, tool?.respond ?? (call.isStream ? respondStream : respondJson), deps)
  },
}

/** What can be rejected before the request is admitted. */
function check(arrived: TextCall, deps: TextDependencies): void {
  const { incoming, caller, catalogue, idempotencyKey } = arrived
  const { dialect, addressed } = arrived.endpoint
  dialect.version?.check(incoming.http.headers)
  if (addressed && idempotencyKey === null) rejectLowFunds(caller, addressed.model, catalogue, deps)
}

/** Part of the fingerprint of a repeated request: what decides, beside the body, the response and its form. */
const nameOf = ({ dialect, addressed, asArray = false }: TextEndpoint, background: TextRequest['background']): string =>
  JSON.stringify([
    dialect.form ?? dialect.id,
    addressed?.model,
    addressed?.stream,
    asArray,
    ...(background ? [background.isStreamed] : []),
  ])
