// Which upstream, and which of its keys, gets the request: the lowest priority number first, weight decides among equals, and
// of two that were drawn the less loaded one. A conversation returns to the upstream that has its prompt cache or its reasoning.

import type { Ticker } from '@trivium/http/ticker.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import { choose } from '../upstreams/health/choose.ts'
import type { KeyObstacle } from '../upstreams/health/key-health.ts'
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
  tried: readonly Candidate[] = NONE_TRIED,
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
  tried: readonly Candidate[] = NONE_TRIED,
): Candidate<P> | undefined {
  const now = deps.ticker.now()
  const only = offer.candidates[0]
  // Most models have one candidate.
  const isOnly = offer.candidates.length === 1 && tried.length === 0
  if (isOnly && only && obstacleTo(only, unrouted.caller, deps, now) === undefined) return only
  return chooseHealthy(offer, unrouted, deps, tried, now)
}

function chooseHealthy<P extends AnyPrice>(
  offer: Offer<P>,
  unrouted: Unrouted,
  deps: CandidateDependencies,
  tried: readonly Candidate[],
  now: number,
): Candidate<P> | undefined {
  const isReady = (candidate: Candidate<P>): boolean =>
    obstacleTo(candidate, unrouted.caller, deps, now) === undefined && !tried.includes(candidate)
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
    isLastResort(candidate, now) && !isFull(candidate, unrouted.caller, deps)
  return choose(offer.tiers, { isUsable, random: deps.random, sticky: () => unrouted.affinity?.sticky() })
}

/** Why a candidate gets no requests now. */
export type Obstacle = 'disabled' | 'draining' | KeyObstacle | 'concurrency_full'

/** Why a healthy candidate is looked for elsewhere; undefined: this one can be called. Previews of routes ask the same. */
export function obstacleTo(
  candidate: Candidate,
  caller: Account,
  deps: CandidateDependencies,
  now: number,
): Obstacle | undefined {
  return illness(candidate, now) ?? (isFull(candidate, caller, deps) ? 'concurrency_full' : undefined)
}

function illness(
  { upstream, upstreamSwitch, route, health }: Candidate,
  now: number,
): Exclude<Obstacle, 'concurrency_full'> | undefined {
  if (upstreamSwitch.state !== 'enabled') return upstreamSwitch.state
  return upstream.breaker === false ? undefined : health.obstacle(route.model, now)
}

/** The operator has not switched its upstream off. */
export const isOn = ({ upstreamSwitch }: Candidate): boolean => upstreamSwitch.state === 'enabled'

const isHealthy = (candidate: Candidate, now: number): boolean => illness(candidate, now) === undefined

/** It may be called where no candidate is healthy. */
export const isLastResort = (candidate: Candidate, now: number): boolean =>
  isOn(candidate) && candidate.health.isUsableAsLastResort(candidate.route.model, now)

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
  return candidates.some((candidate) => isHealthy(candidate, now) || isLastResort(candidate, now))
}

/** Nobody knows when the operator switches an upstream on again. */
const SWITCHED_OFF_RETRY_S = 30

/** Why no candidate can be called, and when to retry. */
export function noRouteError(offer: Offer, deps: CandidateDependencies): Failure {
  const now = deps.ticker.exactNow()
  const { model, fallbacks } = offer
  // The model itself may have no candidate left for this request.
  const own = offer.candidates.length > 0 ? offer.candidates : fallbacks.flatMap((each) => each.candidates)
  const candidates = own.filter(isOn)
  if (candidates.length === 0) {
    const message = `The operator of this gateway has switched off every upstream of '${model.id}'. Retry later.`
    return new Failure('service_unavailable', message, { retryAfter: SWITCHED_OFF_RETRY_S })
  }
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
  return new Failure(
    'service_unavailable',
    `No upstream for model '${model.id}' is available. Retry in ${retryAfter} s.`,
    { retryAfter },
  )
}
