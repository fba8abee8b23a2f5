// The candidate that a request for images is sent to first, and a slot there.

import type { Client } from '@trivium/http/request.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import { fixedBound } from '../paid-call/hold.ts'
import type { Routed } from '../paid-call/paid-request.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { measureOf } from '../routing/demand.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import type { Caller } from '../storage/storage.ts'
import type { LimitedUpstream } from '../upstreams/upstream-call.ts'

import type { PassableRequest } from './passing/passable.ts'
import { boundOf } from './reserve.ts'

export type ImageRouted = Routed<OfferOf<'image'>, CandidateOf<'image'>>

export const route = (
  wanted: OfferOf<'image'>,
  request: PassableRequest,
  caller: Caller,
  incoming: { http: Client } & Pick<ApiRequest, 'record'>,
  deps: RoutingDependencies,
  tooExpensive: readonly string[] = [],
): ImageRouted | Promise<ImageRouted> =>
  takeCandidate(
    {
      wanted,
      caller,
      incoming,
      tooExpensive,
      limitsOf: withImageTimeouts,
      measure: measureOf(wanted, (offer, candidate) => fixedBound(boundOf(request, offer, candidate))),
    },
    deps,
  )

/** Images take far longer than the first byte of a text. */
export const withImageTimeouts = (upstream: Upstream): LimitedUpstream => ({
  ...upstream,
  timeouts: imageTimeoutsOf(upstream),
})
