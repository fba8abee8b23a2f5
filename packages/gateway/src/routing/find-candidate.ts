// Which upstream, and which of its keys, gets the request: the lowest priority number first, weight decides among equals, and
// of two that were drawn the less loaded one. A conversation returns to the upstream that has its prompt cache or its reasoning.

import type { Ticker } from '@trivium/http/ticker.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import { choose } from '../upstreams/health/choose.ts'
import type { KeyObstacle } from '../upstreams/health/key-health.ts'
import type { Room } from '../upstreams/limits/limit-share.ts'
import { type Demand, NO_DEMAND, Reservation, roomAt, roomFor } from '../upstreams/limits/reservation.ts'
import type { UpstreamCalls } from '../upstreams/upstream-call.ts'

export type CandidateDependencies = {
  random(): number
  upstreamCalls: Pick<UpstreamCalls, 'isFull'>
  ticker: Pick<Ticker, 'now' | 'exactNow'>
}
/** What decides which candidate a request is sent to. */
export type Unrouted = Asking & { caller: Caller; affinity?: Affinity }

/** Who asks, and for how much. */
export type Asking = {
  caller: Pick<Caller, 'account'>
  /** What the request can use at a candidate, where that is limited. Absent: a request, and nothing that its price counts. */
  measure?: ((candidate: Candidate) => Demand) | undefined
}

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
  if (isOnly && only && obstacleTo(only, unrouted, deps, now) === undefined) return only
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
    obstacleTo(candidate, unrouted, deps, now) === undefined && !tried.includes(candidate)
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
    isLastResort(candidate, now) && !isFull(candidate, unrouted, deps)
  return choose(offer.tiers, { isUsable, random: deps.random, sticky: () => unrouted.affinity?.sticky() })
}

/** Why a candidate gets no requests now. */
export type Obstacle = 'disabled' | 'draining' | KeyObstacle | 'limit_reached' | 'concurrency_full'

/** Why a healthy candidate is looked for elsewhere; undefined: this one can be called. Previews of routes ask the same. */
export function obstacleTo(
  candidate: Candidate,
  asking: Asking,
  deps: CandidateDependencies,
  now: number,
): Obstacle | undefined {
  const ill = illness(candidate, now)
  if (ill) return ill
  const room = roomAtLimits(candidate, asking, now)
  if (room === 'reached') return 'limit_reached'
  return room === 'waiting' || isOccupied(candidate, asking, deps) ? 'concurrency_full' : undefined
}

/** What the operator allows of the upstream and the route: most have no limits. */
function roomAtLimits(candidate: Candidate, asking: Asking, now: number): Room {
  const { limits } = candidate
  return limits ? roomFor(limits, demandAt(candidate, asking), asking.caller.account, now) : 'open'
}

const demandAt = (candidate: Candidate, { measure }: Asking): Demand => measure?.(candidate) ?? NO_DEMAND

/** For the attempt that is about to be sent there. undefined: nothing is limited. */
export function reserve(candidate: Candidate, asking: Asking, now: number): Reservation | undefined {
  const { limits } = candidate
  return limits && new Reservation(limits, demandAt(candidate, asking), asking.caller.account, now)
}

function illness(
  { upstream, upstreamSwitch, route, health }: Candidate,
  now: number,
): Exclude<Obstacle, 'limit_reached' | 'concurrency_full'> | undefined {
  if (upstreamSwitch.state !== 'enabled') return upstreamSwitch.state
  return upstream.breaker === false ? undefined : health.obstacle(route.model, now)
}

/** The operator has not switched its upstream off. */
export const isOn = ({ upstreamSwitch }: Candidate): boolean => upstreamSwitch.state === 'enabled'

/** It may be called, or could be if it were not for calls that run. */
const isHealthy = (candidate: Candidate, asking: Asking, now: number): boolean =>
  illness(candidate, now) === undefined && roomAtLimits(candidate, asking, now) !== 'reached'

/** It may be called where no candidate is healthy. */
export const isLastResort = (candidate: Candidate, now: number): boolean =>
  isOn(candidate) && candidate.health.isUsableAsLastResort(candidate.route.model, now)

/** It is at a limit, or the caller's account has its share of it. */
export const isFull = (candidate: Candidate, asking: Asking, deps: CandidateDependencies): boolean =>
  isOccupied(candidate, asking, deps) || roomAtLimits(candidate, asking, deps.ticker.now()) !== 'open'

/** The same of the limits of concurrency. */
function isOccupied(
  { upstream, health }: Candidate,
  { caller: { account } }: Asking,
  { upstreamCalls }: CandidateDependencies,
): boolean {
  const perKey = upstream.maxConcurrencyPerKey
  return upstreamCalls.isFull(upstream, account) || (perKey !== undefined && health.inFlight >= perKey)
}

/** Whether waiting for a slot can help: some candidate is healthy. */
export function hasHealthy({ candidates }: Offer, asking: Asking, deps: CandidateDependencies): boolean {
  const now = deps.ticker.now()
  return candidates.some((candidate) => isHealthy(candidate, asking, now))
}

/** Whether some candidate could be called if it were below its concurrency limit. */
export function hasCallable({ candidates }: Offer, asking: Asking, deps: CandidateDependencies): boolean {
  const now = deps.ticker.now()
  return candidates.some((candidate) => {
    if (isHealthy(candidate, asking, now)) return true
    return isLastResort(candidate, now) && roomAtLimits(candidate, asking, now) !== 'reached'
  })
}

/** Nobody knows when the operator switches an upstream on again. */
const SWITCHED_OFF_RETRY_S = 30

/** Why no candidate can be called, and when to retry. */
export function noRouteError(offer: Offer, asking: Asking, deps: CandidateDependencies): Failure {
  const now = deps.ticker.exactNow()
  const { model, fallbacks } = offer
  // The model itself may have no candidate left for this request.
  const own = offer.candidates.length > 0 ? offer.candidates : fallbacks.flatMap((each) => each.candidates)
  const candidates = own.filter(isOn)
  if (candidates.length === 0) {
    const message = `The operator of this gateway has switched off every upstream of '${model.id}'. Retry later.`
    return new Failure('service_unavailable', message, { retryAfter: SWITCHED_OFF_RETRY_S })
  }
  if (hasCallable(offer, asking, deps)) {
    const message = `Every upstream of '${model.id}' is at its concurrency limit. Retry in 2 seconds.`
    return new Failure('service_unavailable', message, { retryAfter: 2 })
  }
  const reached = candidates.filter((candidate) => roomAtLimits(candidate, asking, now) === 'reached')
  const soonest = Math.min(
    ...candidates.map((candidate) => {
      const { health, route, limits } = candidate
      const usableAt = health.usableAsLastResortAt(route.model, now)
      if (!limits || !reached.includes(candidate)) return usableAt
      return Math.max(usableAt, roomAt(limits, demandAt(candidate, asking), asking.caller.account, now))
    }),
  )
  const retryAfter = Math.max(1, Math.ceil((soonest - now) / 1_000))
  if (reached.length > 0) {
    const message = `The operator's limits of the upstreams of '${model.id}' are reached. Retry in ${retryAfter} s.`
    return new Failure('rate_limit_exceeded', message, { retryAfter })
  }
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
