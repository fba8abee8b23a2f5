// Which upstream, and which of its keys, gets the request: the lowest priority number first, weight decides among equals, and
// of two that were drawn the less loaded one. A conversation returns to the upstream that has its prompt cache or its reasoning.

import type { Ticker } from '@trivium/http/ticker.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import { choose } from '../upstreams/health/choose.ts'
import type { UpstreamCalls } from '../upstreams/upstream-call.ts'

export type CandidateDependencies = {
  random(): number
  upstreamCalls: Pick<UpstreamCalls, 'isFull'>
  ticker: Pick<Ticker, 'now' | 'exactNow'>
}
type Account = Pick<Caller, 'account'>

/** What decides which candidate a request is sent to. */
export type Unrouted = { caller: Caller; affinity?: Affinity }

/** Where a request should return to. */
export type Affinity = {
  /** The same number chooses the same candidate while it can be called; undefined: any will do. */
  sticky(): number | undefined
  /** The id of the only upstream that can use all of the request. */
  home(offer: Offer): string | undefined
}

/** undefined: no candidate can be called now. `tried`: those whose attempts failed. */
export function findCandidate<P extends AnyPrice>(
  offer: Offer<P>,
  unrouted: Unrouted,
  deps: CandidateDependencies,
  tried: readonly Candidate<P>[] = NONE_TRIED,
): Candidate<P> | undefined {
  // A first attempt may go to a candidate that is cooling down, if there is no other; a retry may not.
  return (
    routeToHealthy(offer, unrouted, deps, tried) ??
    (tried.length > 0 ? undefined : routeToCoolingDown(offer, unrouted, deps))
  )
}

const NONE_TRIED: readonly never[] = []

/** undefined: no healthy candidate has room. */
export function routeToHealthy<P extends AnyPrice>(
  offer: Offer<P>,
  unrouted: Unrouted,
  deps: CandidateDependencies,
  tried: readonly Candidate<P>[] = NONE_TRIED,
): Candidate<P> | undefined {
  const now = deps.ticker.now()
  const only = offer.candidates[0]
  // Most models have one candidate.
  const isOnly = offer.candidates.length === 1 && tried.length === 0
  if (isOnly && only && isHealthy(only, now) && !isFull(only, unrouted.caller, deps)) return only
  const isReady = (candidate: Candidate<P>): boolean =>
    isHealthy(candidate, now) && !isFull(candidate, unrouted.caller, deps) && !tried.includes(candidate)
  const { random } = deps
  const sticky = () => unrouted.affinity?.sticky()
  const home = unrouted.affinity?.home(offer)
  const isHome = (candidate: Candidate<P>): boolean => candidate.upstream.id === home && isReady(candidate)
  const atHome = home === undefined ? undefined : choose(offer.tiers, { isUsable: isHome, random, sticky })
  return atHome ?? choose(offer.tiers, { isUsable: isReady, random, sticky })
}

/** A candidate that is cooling down, but whose circuit breaker is closed. */
function routeToCoolingDown<P extends AnyPrice>(
  offer: Offer<P>,
  unrouted: Unrouted,
  deps: CandidateDependencies,
): Candidate<P> | undefined {
  const now = deps.ticker.now()
  const isUsable = (candidate: Candidate<P>): boolean =>
    candidate.health.isUsableAsLastResort(candidate.route.model, now) && !isFull(candidate, unrouted.caller, deps)
  return choose(offer.tiers, { isUsable, random: deps.random, sticky: () => unrouted.affinity?.sticky() })
}

const isHealthy = ({ upstream, route, health }: Candidate, now: number): boolean =>
  upstream.breaker === false || health.isReady(route.model, now)

/** It is at its concurrency limit, or the caller's account has its share of it. */
export function isFull(
  { upstream, health }: Candidate,
  { account }: Account,
  { upstreamCalls }: CandidateDependencies,
): boolean {
  const perKey = upstream.maxConcurrencyPerKey
  return upstreamCalls.isFull(upstream, account) || (perKey !== undefined && health.inFlight >= perKey)
}

/** Whether waiting for a slot can help: some candidate is healthy. */
export function hasHealthy({ candidates }: Offer, deps: CandidateDependencies): boolean {
  const now = deps.ticker.now()
  return candidates.some((candidate) => isHealthy(candidate, now))
}

/** Whether some candidate could be called if it were below its concurrency limit. */
export function hasCallable({ candidates }: Offer, deps: CandidateDependencies): boolean {
  const now = deps.ticker.now()
  return candidates.some(
    (candidate) => isHealthy(candidate, now) || candidate.health.isUsableAsLastResort(candidate.route.model, now),
  )
}

/** Why no candidate can be called, and when to retry. */
export function noRouteError(offer: Offer, deps: CandidateDependencies): Failure {
  const now = deps.ticker.exactNow()
  const { model, fallbacks } = offer
  // The model itself may have no candidate left for this request.
  const candidates = offer.candidates.length > 0 ? offer.candidates : fallbacks.flatMap((each) => each.candidates)
  if (hasCallable(offer, deps)) {
    const message = `Every upstream of '${model.id}' is at its concurrency limit. Retry in 2 seconds.`
    return new Failure('service_unavailable', message, { retryAfter: 2 })
  }
  const soonest = Math.min(...candidates.map(({ health, route }) => health.usableAsLastResortAt(route.model, now)))
  const retryAfter = Math.max(1, Math.ceil((soonest - now) / 1_000))
  if (candidates.some(({ health, route }) => health.hasRetryAfter(route.model, now))) {
    const message = `The upstream of '${model.id}' is rate-limited. Retry in ${retryAfter} s.`
    return new Failure('rate_limit_exceeded', message, { retryAfter })
  }
  return new Failure('service_unavailable', `No upstream of '${model.id}' works at the moment.`, { retryAfter })
}
