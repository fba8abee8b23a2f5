// Read this first: the journey of a text request. paid-call/open.ts takes the steps in this order, and each is a function by its
// name; one that rejects the request throws a Failure.
//   authenticate -> admit -> read -> authorize -> (claim) -> route -> prepare -> hold -> respond: call, relay, settle

import type { HttpResponse } from '@trivium/http/response.ts'
import { authorize } from '../access/authorize.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import { placeHold } from '../paid-call/hold.ts'
import type { Arrived, Journey, OpenDependencies, Routed } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import { runPaidCall } from '../paid-call/run.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { ReadDependencies } from '../request/read-json.ts'
import type { OpenRequest } from '../storage/node/settler.ts'
import { type RouteDependencies, route } from './candidates/route.ts'
import { type LowFundsDependencies, rejectLowFunds } from './low-funds.ts'
import { read } from './read.ts'
import type { TextEndpoint, TextRequest } from './request.ts'
import { callOf, type PrepareDependencies, type Prepared, prepare } from './reserve.ts'
import { call } from './responding/call.ts'
import { respond } from './responding/respond.ts'
import type { StreamDependencies } from './responding/respond-stream.ts'
import { type Settle, settle } from './settle.ts'
import type { TextCall } from './text-call.ts'

export type TextDependencies = OpenDependencies &
  ReadDependencies &
  LowFundsDependencies &
  RouteDependencies &
  PrepareDependencies &
  StreamDependencies

export const journey = (incoming: ApiRequest, endpoint: TextEndpoint, deps: TextDependencies): Promise<HttpResponse> =>
  openPaidCall(TEXT, incoming, endpoint, deps)

type TextKind = {
  endpoint: TextEndpoint
  request: TextRequest
  offer: OfferOf<'text'>
  routed: Routed<OfferOf<'text'>, CandidateOf<'text'>>
  prepared: Prepared
  hold: OpenRequest
  call: TextCall
  deps: TextDependencies
}

export const TEXT: Journey<TextKind> = {
  dialectOf: ({ dialect }) => dialect.id,
  check,
  read,
  authorize: (caller, { parsed }, catalogue) => authorize(caller, parsed.model, 'text', catalogue),
  fingerprint: ({ body, background }, endpoint) => ({ endpoint: nameOf(endpoint, background), body }),
  route,
  prepare,
  hold: (request, deps, _, { deferral }) => deferral?.hold(request) ?? placeHold(request, deps),
  callOf,
  respond(textCall, _, deps) {
    if (textCall.deferral) return textCall.deferral.respond(textCall)
    const charge: Settle = (observed, whole, before) => settle(textCall, observed, deps, whole, before)
    const work = () => textCall.tool?.respond(textCall) ?? respond(textCall, call(textCall, deps), charge, deps)
    return runPaidCall(textCall, work, deps)
  },
}

/** What can be rejected before the request is admitted. */
function check(arrived: Arrived<TextEndpoint>, deps: TextDependencies): void {
  const { incoming, caller, catalogue, idempotencyKey } = arrived
  const { dialect, addressed } = arrived.endpoint
  dialect.version?.check(incoming.http.headers)
  if (addressed && idempotencyKey === null) rejectLowFunds(caller, addressed.model, catalogue, deps)
}

/** Part of the fingerprint of a repeated request: what decides, beside the body, the response and its form. */
const nameOf = ({ dialect, addressed, asArray = false }: TextEndpoint, background: TextRequest['background']): string =>
  JSON.stringify([
    dialect.id,
    addressed?.model,
    addressed?.stream,
    asArray,
    ...(background ? [background.isStreamed] : []),
  ])
