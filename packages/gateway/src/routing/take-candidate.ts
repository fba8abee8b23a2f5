// The candidate that a call is sent to first, and a slot there. Slots are taken before the hold is placed: several requests would
// find the same slot free meanwhile.

import type { Client } from '@trivium/http/request.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { Routed } from '../paid-call/paid-request.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Attempt } from '../upstreams/health/key-health.ts'
import type { LimitedUpstream } from '../upstreams/upstream-call.ts'
import type { RoutingDependencies } from './dependencies.ts'
import { reserve, routeToHealthy, type Unrouted } from './find-candidate.ts'
import { waitOrFallBack } from './wait-or-fall-back.ts'

/** What is called, and for which caller. */
type Wanted<P extends AnyPrice, M extends { id: string }> = Unrouted & {
  wanted: Offer<P, M>
  incoming: { http: Client } & Pick<ApiRequest, 'record'>
  /** Ids of fallback models that the caller cannot pay for. */
  tooExpensive: readonly string[]
  /** The upstream with the time limits of this kind of call. Absent: those of text. */
  limitsOf?(upstream: Upstream): LimitedUpstream
}

/** A promise only if no candidate is free. */
export function takeCandidate<P extends AnyPrice, M extends { id: string }>(
  request: Wanted<P, M>,
  deps: RoutingDependencies,
): Routed<Offer<P, M>, Candidate<P>> | Promise<Routed<Offer<P, M>, Candidate<P>>> {
  const { wanted, caller } = request
  // Requests that are queued for the same model come first.
  const isQueued = deps.upstreamQueue.hasQueue(wanted.model, caller.account)
  const healthy = isQueued ? undefined : routeToHealthy(wanted, request, deps)
  return healthy ? take(wanted, healthy, request, deps) : takeLater(request, deps)
}

function take<P extends AnyPrice, M extends { id: string }>(
  offer: Offer<P, M>,
  candidate: Candidate<P>,
  request: Wanted<P, M>,
  { upstreamCalls, ticker }: RoutingDependencies,
): Routed<Offer<P, M>, Candidate<P>> {
  const { wanted, caller, limitsOf } = request
  const { upstream } = candidate
  const reservation = reserve(candidate, request, ticker.now())
  return {
    wanted,
    offer,
    candidate,
    upstreamCall: upstreamCalls.start(limitsOf?.(upstream) ?? upstream, caller.account, reservation),
    health: new Attempt(candidate.health, candidate.route.model, ticker.now()),
  }
}

async function takeLater<P extends AnyPrice, M extends { id: string }>(
  request: Wanted<P, M>,
  deps: RoutingDependencies,
): Promise<Routed<Offer<P, M>, Candidate<P>>> {
  const { wanted, incoming, tooExpensive } = request
  const { http: client, record } = incoming
  const since = performance.now()
  try {
    return await waitOrFallBack({ offer: wanted, unrouted: request, client, tooExpensive }, deps, (offer, candidate) =>
      take(offer, candidate, request, deps),
    )
  } finally {
    record.queuedMs += performance.now() - since
  }
}
