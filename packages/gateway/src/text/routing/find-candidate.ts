// Which upstream, and which of its keys, gets the request: the lowest priority number first, weight decides among equals, and
// of two that were drawn the less loaded one. A conversation returns to the upstream that has its prompt cache or its reasoning.

import type { Ticker } from '@trivium/http/ticker.ts'
import type { TextCandidate, TextOffer } from '../../access/catalogue.ts'
import { Failure } from '../../access/failure.ts'
import type { UpstreamCalls } from '../../paid-call/upstream-call.ts'
import { choose } from '../../upstreams/health/choose.ts'
import type { RoutedRequest } from '../request.ts'
import { type Seals, sealedText } from '../translation/seals.ts'

export type CandidateDependencies = {
  random(): number
  upstreamCalls: Pick<UpstreamCalls, 'isFull'>
  ticker: Pick<Ticker, 'now' | 'exactNow'>
  seals: Pick<Seals, 'unseal'>
}
type Account = Pick<RoutedRequest['caller'], 'account'>
/** What decides which candidate a request is sent to. */
export type Unrouted = Pick<RoutedRequest, 'caller' | 'body' | 'dialect' | 'request'>

/** undefined: no candidate can be called now. `tried`: those whose attempts failed. */
export function findCandidate(
  offer: TextOffer,
  unrouted: Unrouted,
  deps: CandidateDependencies,
  tried: readonly TextCandidate[] = NONE_TRIED,
): TextCandidate | undefined {
  // A first attempt may go to a candidate that is cooling down, if there is no other; a retry may not.
  return (
    routeToHealthy(offer, unrouted, deps, tried) ??
    (tried.length > 0 ? undefined : routeToCoolingDown(offer, unrouted, deps))
  )
}

const NONE_TRIED: readonly TextCandidate[] = []

/** undefined: no healthy candidate has room. */
export function routeToHealthy(
  offer: TextOffer,
  unrouted: Unrouted,
  deps: CandidateDependencies,
  tried: readonly TextCandidate[] = NONE_TRIED,
): TextCandidate | undefined {
  const now = deps.ticker.now()
  const only = offer.candidates[0]
  // Most models have one candidate.
  const isOnly = offer.candidates.length === 1 && tried.length === 0
  if (isOnly && only && isHealthy(only, now) && !isFull(only, unrouted.caller, deps)) return only
  const isReady = (candidate: TextCandidate): boolean =>
    isHealthy(candidate, now) && !isFull(candidate, unrouted.caller, deps) && !tried.includes(candidate)
  const { random } = deps
  const sticky = () => stickyOf(unrouted)
  const home = homeOf(offer, unrouted, deps)
  const isHome = (candidate: TextCandidate): boolean => candidate.upstream.id === home && isReady(candidate)
  const atHome = home === undefined ? undefined : choose(offer.tiers, { isUsable: isHome, random, sticky })
  return atHome ?? choose(offer.tiers, { isUsable: isReady, random, sticky })
}

/** A candidate that is cooling down, but whose circuit breaker is closed. */
function routeToCoolingDown(
  offer: TextOffer,
  unrouted: Unrouted,
  deps: CandidateDependencies,
): TextCandidate | undefined {
  const now = deps.ticker.now()
  const isUsable = (candidate: TextCandidate): boolean =>
    candidate.health.isUsableAsLastResort(candidate.route.model, now) && !isFull(candidate, unrouted.caller, deps)
  return choose(offer.tiers, { isUsable, random: deps.random, sticky: () => stickyOf(unrouted) })
}

const isHealthy = ({ upstream, route, health }: TextCandidate, now: number): boolean =>
  upstream.breaker === false || health.isReady(route.model, now)

/** It is at its concurrency limit, or the caller's account has its share of it. */
export function isFull(
  { upstream, health }: TextCandidate,
  { account }: Account,
  { upstreamCalls }: CandidateDependencies,
): boolean {
  const perKey = upstream.maxConcurrencyPerKey
  return upstreamCalls.isFull(upstream, account) || (perKey !== undefined && health.inFlight >= perKey)
}

/** No service caches less than about a thousand tokens. */
const WORTH_STICKING = 4 * 1024
/** The beginning of a conversation stays the same while it grows. */
const BEGINNING = 1024

function stickyOf(unrouted: Unrouted): number | undefined {
  const beginning = beginningOf(unrouted)
  if (beginning === undefined) return undefined
  return Number(BigInt.asUintN(32, BigInt(Bun.hash(beginning, BigInt.asUintN(64, unrouted.caller.account)))))
}

/** What identifies the conversation; undefined: it need not return anywhere. Its opening is looked for only where it counts. */
function beginningOf({ body, request }: Unrouted): string | Uint8Array | undefined {
  if (body.length >= WORTH_STICKING) return request.cacheKey ?? request.opening() ?? body.subarray(0, BEGINNING)
  const opening = request.opening()
  return opening === undefined ? undefined : (request.cacheKey ?? opening)
}

/** Reasoning that an upstream returned encrypted can be used only there. */
function homeOf(
  offer: TextOffer,
  { caller, body, dialect }: Unrouted,
  { seals }: CandidateDependencies,
): string | undefined {
  const sealed = sealedText(body, dialect.id)
  if (sealed === undefined) return undefined
  const upstreams = new Set(offer.candidates.map(({ upstream }) => upstream.id))
  return [...upstreams].find((id) => seals.unseal(caller.account, id, sealed) !== undefined)
}

/** Whether waiting for a slot can help: some candidate is healthy. */
export function hasHealthy({ candidates }: TextOffer, deps: CandidateDependencies): boolean {
  const now = deps.ticker.now()
  return candidates.some((candidate) => isHealthy(candidate, now))
}

/** Whether some candidate could be called if it were below its concurrency limit. */
export function hasCallable({ candidates }: TextOffer, deps: CandidateDependencies): boolean {
  const now = deps.ticker.now()
  return candidates.some(
    (candidate) => isHealthy(candidate, now) || candidate.health.isUsableAsLastResort(candidate.route.model, now),
  )
}

/** Why no candidate can be called, and when to retry. */
export function noRouteError(offer: TextOffer, deps: CandidateDependencies): Failure {
  const now = deps.ticker.exactNow()
  const { model, fallbacks } = offer
  // The model itself may have no candidate left for this request.
  const candidates = offer.candidates.length > 0 ? offer.candidates : fallbacks.flatMap((each) => each.candidates)
  if (hasCallable(offer, deps)) {
    const message = `Every upstream of '${model.id}' is at its concurrency limit. Retry in 2 seconds.`
    return new Failure('unavailable', message, { retryAfter: 2 })
  }
  const soonest = Math.min(...candidates.map(({ health, route }) => health.usableAsLastResortAt(route.model, now)))
  const retryAfter = Math.max(1, Math.ceil((soonest - now) / 1_000))
  if (candidates.some(({ health, route }) => health.hasRetryAfter(route.model, now))) {
    const message = `The upstream of '${model.id}' is rate-limited. Retry in ${retryAfter} s.`
    return new Failure('rate_limited', message, { retryAfter })
  }
  return new Failure('unavailable', `No upstream of '${model.id}' works at the moment.`, { retryAfter })
}
