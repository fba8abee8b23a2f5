// The candidate that a request for images is sent to first, and a slot there.

import type { Client } from '@trivium/http/request.ts'
import type { IncomingRequest } from '../access/incoming-request.ts'
import type { ImageOffer } from '../access/models/catalogue.ts'
import type { ImageModel, Upstream } from '../config/types.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import type { ImageRate } from '../money/prices/image-price.ts'
import type { LimitedUpstream } from '../paid-call/upstream-call.ts'
import {
  type Routed as AnyRouted,
  releaseSlot,
  type TakeDependencies,
  takeCandidate,
} from '../routing/take-candidate.ts'
import type { Caller } from '../storage/storage.ts'

export { releaseSlot }
export type RouteDependencies = TakeDependencies
export type Routed = AnyRouted<ImageRate, ImageModel>

export const route = (
  offer: ImageOffer,
  caller: Caller,
  incoming: { http: Client } & Pick<IncomingRequest, 'record'>,
  deps: RouteDependencies,
): Promise<Routed> => takeCandidate(offer, caller, incoming, withImageTimeouts, deps)

/** Images take far longer than the first byte of a text. */
export const withImageTimeouts = (upstream: Upstream): LimitedUpstream => ({
  ...upstream,
  timeouts: imageTimeoutsOf(upstream),
})
