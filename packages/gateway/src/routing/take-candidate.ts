// The candidate that a call is sent to first, and a slot there.

import type { Client } from '@trivium/http/request.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { Caller } from '../storage/storage.ts'
import { Attempt } from '../upstreams/health/key-health.ts'
import type { LimitedUpstream, UpstreamCall, UpstreamCalls } from '../upstreams/upstream-call.ts'
import { routeToHealthy } from './find-candidate.ts'
import { type WaitDependencies, waitOrFallBack } from './wait-or-fall-back.ts'

export type TakeDependencies = WaitDependencies & { upstreamCalls: UpstreamCalls; ticker: Ticker }

/** A slot at the upstream and at the upstream's key. */
export type Routed<P extends AnyPrice, M extends { id: string }> = {
  offer: Offer<P, M>
  candidate: Candidate<P>
  upstreamCall: UpstreamCall
  health: Attempt
}

/** `limitsOf`: the upstream with the time limits of this kind of call. */
export async function takeCandidate<P extends AnyPrice, M extends { id: string }>(
  offer: Offer<P, M>,
  caller: Caller,
  { http, record }: { http: Client } & Pick<ApiRequest, 'record'>,
  limitsOf: (upstream: Upstream) => LimitedUpstream,
  deps: TakeDependencies,
): Promise<Routed<P, M>> {
  const { upstreamCalls, upstreamQueue, ticker } = deps
  const take = (chosen: Offer<P, M>, candidate: Candidate<P>): Routed<P, M> => ({
    offer: chosen,
    candidate,
    upstreamCall: upstreamCalls.start(limitsOf(candidate.upstream), caller.account),
    health: new Attempt(candidate.health, candidate.route.model, ticker.now()),
  })
  const isQueued = upstreamQueue.hasQueue(offer.model, caller.account)
  const healthy = isQueued ? undefined : routeToHealthy(offer, { caller }, deps)
  if (healthy) return take(offer, healthy)
  const since = performance.now()
  try {
    return await waitOrFallBack({ offer, unrouted: { caller }, client: http, tooExpensive: [] }, deps, take)
  } finally {
    record.queuedMs += performance.now() - since
  }
}

/** Nothing was sent to the upstream. */
export function releaseSlot(
  { upstreamCall, health }: { upstreamCall: UpstreamCall; health: Attempt },
  { ticker }: Pick<TakeDependencies, 'ticker'>,
): void {
  upstreamCall.stop()
  health.end(ticker.now())
}
