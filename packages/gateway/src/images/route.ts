// The candidate that a request for images is sent to first, and a slot there.

import type { Client } from '@trivium/http/request.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import type { ModelOf, RateOf } from '../modalities/index.ts'
import type { ApiRequest } from '../request/api-request.ts'
import {
  type Routed as AnyRouted,
  releaseSlot,
  type TakeDependencies,
  takeCandidate,
} from '../routing/take-candidate.ts'
import type { Caller } from '../storage/storage.ts'
import type { LimitedUpstream } from '../upstreams/upstream-call.ts'

export { releaseSlot }
export type RouteDependencies = TakeDependencies
export type Routed = AnyRouted<RateOf<'image'>, ModelOf<'image'>>

export const route = (
  offer: OfferOf<'image'>,
  caller: Caller,
  incoming: { http: Client } & Pick<ApiRequest, 'record'>,
  deps: RouteDependencies,
): Promise<Routed> => takeCandidate(offer, caller, incoming, withImageTimeouts, deps)

/** Images take far longer than the first byte of a text. */
export const withImageTimeouts = (upstream: Upstream): LimitedUpstream => ({
  ...upstream,
  timeouts: imageTimeoutsOf(upstream),
})
