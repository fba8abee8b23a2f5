// Which upstream, and which of its keys, gets the request: the lowest priority number first, weight decides among equals,
// and of two that were drawn the less loaded one. Conversations that have a prompt cache or thoughts somewhere go there again.

import type { Candidate, Offer } from '../../access/catalogue.ts'
import { Failure } from '../../access/failure.ts'
import { choose } from '../../upstreams/health/choose.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Asked } from '../translation/outbound.ts'
import { sealedText } from '../translation/seals.ts'

type Routing = Pick<Dependencies, 'random' | 'upstreamCalls' | 'ticker' | 'seals'>
type Account = Pick<Asked['caller'], 'account'>
export type Searching = Pick<Asked, 'caller' | 'body' | 'dialect' | 'request'>

/** undefined: nobody can be asked now. `tried`: those that have been. */
export function route(
  offer: Offer,
  asked: Searching,
  parts: Routing,
  tried: readonly Candidate[] = NOBODY,
): Candidate | undefined {
  // Better asked in vain than not asked at all; but nobody is asked a second time who wants to be left alone.
  return (
    routeToHealthy(offer, asked, parts, tried) ??
    (tried.length > 0 ? undefined : routeToCoolingDown(offer, asked, parts))
  )
}

const NOBODY: readonly Candidate[] = []

/** undefined: nobody is well and has room. */
export function routeToHealthy(
  offer: Offer,
  asked: Searching,
  parts: Routing,
  tried: readonly Candidate[] = NOBODY,
): Candidate | undefined {
  const now = parts.ticker.now()
  const only = offer.candidates[0]
  // As most models have it.
  const isOnly = offer.candidates.length === 1 && tried.length === 0
  if (isOnly && only && isHealthy(only, now) && !isFull(only, asked.caller, parts)) return only
  const isReady = (candidate: Candidate): boolean =>
    isHealthy(candidate, now) && !isFull(candidate, asked.caller, parts) && !tried.includes(candidate)
  const { random } = parts
  const sticky = () => stickyOf(asked)
  const home = homeOf(offer, asked, parts)
  const isHome = (candidate: Candidate): boolean => candidate.upstream.id === home && isReady(candidate)
  const atHome = home === undefined ? undefined : choose(offer.tiers, { isUsable: isHome, random, sticky })
  return atHome ?? choose(offer.tiers, { isUsable: isReady, random, sticky })
}

/** Somebody who wants to be left alone for a while, but does not fail. */
function routeToCoolingDown(offer: Offer, asked: Searching, parts: Routing): Candidate | undefined {
  const now = parts.ticker.now()
  const isUsable = (candidate: Candidate): boolean =>
    candidate.health.isUsableAsLastResort(candidate.route.model, now) && !isFull(candidate, asked.caller, parts)
  return choose(offer.tiers, { isUsable, random: parts.random, sticky: () => stickyOf(asked) })
}

const isHealthy = ({ upstream, route, health }: Candidate, now: number): boolean =>
  upstream.breaker === false || health.isReady(route.model, now)

/** It has as many calls as it may have, or the caller's account has its share of them. */
export function isFull({ upstream, health }: Candidate, { account }: Account, { upstreamCalls }: Routing): boolean {
  const perKey = upstream.maxConcurrencyPerKey
  return upstreamCalls.isFull(upstream, account) || (perKey !== undefined && health.inFlight >= perKey)
}

/** No service caches less than about a thousand tokens. */
const WORTH_STICKING = 4 * 1024
/** The beginning of a conversation stays the same while it grows. */
const BEGINNING = 1024

function stickyOf(asked: Searching): number | undefined {
  const beginning = beginningOf(asked)
  if (beginning === undefined) return undefined
  return Number(BigInt.asUintN(32, BigInt(Bun.hash(beginning, BigInt.asUintN(64, asked.caller.account)))))
}

/** What the conversation is known by; undefined: it has nothing to go back to. Its opening is looked for only where it counts. */
function beginningOf({ body, request }: Searching): string | Uint8Array | undefined {
  if (body.length >= WORTH_STICKING) return request.cacheKey ?? request.opening() ?? body.subarray(0, BEGINNING)
  const opening = request.opening()
  return opening === undefined ? undefined : (request.cacheKey ?? opening)
}

/** Thoughts that an upstream gave out encrypted are of use only there. */
function homeOf(offer: Offer, { caller, body, dialect }: Searching, { seals }: Routing): string | undefined {
  const sealed = sealedText(body, dialect.id)
  if (sealed === undefined) return undefined
  const upstreams = new Set(offer.candidates.map(({ upstream }) => upstream.id))
  return [...upstreams].find((id) => seals.unseal(caller.account, id, sealed) !== undefined)
}

/** Of those who are well, none has room. */
export function hasHealthy({ candidates }: Offer, parts: Routing): boolean {
  const now = parts.ticker.now()
  return candidates.some((candidate) => isHealthy(candidate, now))
}

/** Somebody could be asked, but has as much to do as he may have. */
export function hasCallable({ candidates }: Offer, parts: Routing): boolean {
  const now = parts.ticker.now()
  return candidates.some(
    (candidate) => isHealthy(candidate, now) || candidate.health.isUsableAsLastResort(candidate.route.model, now),
  )
}

/** Why nobody can be asked, in words that tell a caller when to come back. */
export function noRouteError(offer: Offer, parts: Routing): Failure {
  const now = parts.ticker.exactNow()
  const { model, fallbacks } = offer
  // Of the model itself none may be left that can be asked for this request.
  const candidates = offer.candidates.length > 0 ? offer.candidates : fallbacks.flatMap((each) => each.candidates)
  if (hasCallable(offer, parts)) {
    const message = `Every upstream of '${model.id}' has as much to do as it can take. Try again shortly.`
    return new Failure('unavailable', message, { retryAfter: 2 })
  }
  const soonest = Math.min(...candidates.map(({ health, route }) => health.usableAsLastResortAt(route.model, now)))
  const retryAfter = Math.max(1, Math.ceil((soonest - now) / 1_000))
  if (candidates.some(({ health, route }) => health.hasRetryAfter(route.model, now))) {
    const message = `The upstream of '${model.id}' has too many requests and asks to wait for ${retryAfter} s.`
    return new Failure('rate_limited', message, { retryAfter })
  }
  return new Failure('unavailable', `No upstream of '${model.id}' works at the moment.`, { retryAfter })
}
