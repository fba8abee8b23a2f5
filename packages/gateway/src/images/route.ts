// The candidate that a request for images is sent to first, and a slot there.

import type { Client } from '@trivium/http/request.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { ImageCandidate, ImageOffer } from '../access/catalogue.ts'
import type { IncomingRequest } from '../access/incoming-request.ts'
import type { Upstream } from '../config/types.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import type { LimitedUpstream, UpstreamCall, UpstreamCalls } from '../paid-call/upstream-call.ts'
import { routeToHealthy } from '../routing/find-candidate.ts'
import { type WaitDependencies, waitOrFallBack } from '../routing/wait-or-fall-back.ts'
import type { Caller } from '../storage/storage.ts'
import { Attempt } from '../upstreams/health/key-health.ts'

export type RouteDependencies = WaitDependencies & { upstreamCalls: UpstreamCalls; ticker: Ticker }

/** A slot at the upstream and at the upstream's key. */
export type Routed = { offer: ImageOffer; candidate: ImageCandidate; upstreamCall: UpstreamCall; health: Attempt }

export async function route(
  offer: ImageOffer,
  caller: Caller,
  { http, record }: { http: Client } & Pick<IncomingRequest, 'record'>,
  deps: RouteDependencies,
): Promise<Routed> {
  const { upstreamCalls, upstreamSlots, ticker } = deps
  const take = (chosen: ImageOffer, candidate: ImageCandidate): Routed => ({
    ...{ offer: chosen, candidate },
    upstreamCall: upstreamCalls.start(withImageTimeouts(candidate.upstream), caller.account),
    health: new Attempt(candidate.health, candidate.route.model, ticker.now()),
  })
  const isQueued = upstreamSlots.hasQueue(offer.model, caller.account)
  const healthy = isQueued ? undefined : routeToHealthy(offer, { caller }, deps)
  if (healthy) return take(offer, healthy)
  const since = performance.now()
  try {
    return await waitOrFallBack({ offer, unrouted: { caller }, client: http, tooExpensive: [] }, deps, take)
  } finally {
    record.queuedMs += performance.now() - since
  }
}

/** Images take far longer than the first byte of a text. */
export const withImageTimeouts = (upstream: Upstream): LimitedUpstream => ({
  ...upstream,
  timeouts: imageTimeoutsOf(upstream),
})

/** Nothing was sent to the upstream. */
export function releaseSlot(
  { upstreamCall, health }: Pick<Routed, 'upstreamCall' | 'health'>,
  { ticker }: Pick<RouteDependencies, 'ticker'>,
): void {
  upstreamCall.stop()
  health.end(ticker.now())
}
