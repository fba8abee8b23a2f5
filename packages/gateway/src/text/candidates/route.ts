// The candidate that a request is sent to first, and a slot there. Slots are taken before the hold is placed: several requests
// would find the same slot free meanwhile.

import type { Ticker } from '@trivium/http/ticker.ts'
import { offerForRequest, type UrlDependencies } from '../../access/urls/url-names.ts'
import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { routeToHealthy } from '../../routing/find-candidate.ts'
import { type WaitDependencies, waitOrFallBack } from '../../routing/wait-or-fall-back.ts'
import type { Caller } from '../../storage/storage.ts'
import { Attempt } from '../../upstreams/health/key-health.ts'
import type { UpstreamCall, UpstreamCalls } from '../../upstreams/upstream-call.ts'
import type { RoutedRequest, TextRequest } from '../request.ts'
import { type AffinityDependencies, affinityOf } from './affinity.ts'

export type RouteDependencies = WaitDependencies &
  AffinityDependencies &
  UrlDependencies & { upstreamCalls: UpstreamCalls; ticker: Ticker }

/** A request with its slot at the upstream and at the upstream's key. */
export type Routed = { request: RoutedRequest; upstreamCall: UpstreamCall; health: Attempt }

/** For whom, and what may not be called instead. */
export type Planning = {
  caller: Caller
  /** How often the caller's key has changed between lookup and hold. */
  keyChanges: number
  /** Fallbacks that the caller cannot pay for. */
  tooExpensive: readonly OfferOf<'text'>[]
  /** Warnings whichever candidate answers. */
  warnings: readonly string[]
}

export async function route(
  offered: OfferOf<'text'>,
  read: TextRequest,
  { caller, tooExpensive, warnings }: Planning,
  incoming: ApiRequest,
  deps: RouteDependencies,
): Promise<Routed> {
  const { upstreamCalls, upstreamQueue, ticker } = deps
  const isPlain = read.parsed.urls.length === 0
  const wanted = isPlain ? offered : await offerForRequest(offered, read.parsed, caller, deps)
  const { body, dialect, parsed, recalled } = read
  const conversation = { caller, body, dialect, parsed, recalled }
  const unrouted = { caller, affinity: affinityOf(conversation, deps) }
  const take = (offer: OfferOf<'text'>, candidate: CandidateOf<'text'>): Routed => {
    const { id, headers, query, dialect, parsed, body, asArray, conversation, keepReasoningMs, recalled } = read
    // Written out: a spread costs far more, and this is made for every request.
    const routed: RoutedRequest = {
      id,
      headers,
      query,
      dialect,
      parsed,
      body,
      asArray,
      conversation,
      keepReasoningMs,
      recalled,
      caller,
      wanted,
      offer,
      candidate,
      tried: NONE,
      ownWarnings: warnings,
      warnings: warningsFor(offer, wanted, warnings),
    }
    const upstreamCall = upstreamCalls.start(candidate.upstream, caller.account)
    return { request: routed, upstreamCall, health: new Attempt(candidate.health, candidate.route.model, ticker.now()) }
  }
  // Requests that are queued for the same model come first.
  const isQueued = upstreamQueue.hasQueue(wanted.model, caller.account)
  const healthy = isQueued ? undefined : routeToHealthy(wanted, unrouted, deps)
  if (healthy) return take(wanted, healthy)
  const since = performance.now()
  try {
    return await waitOrFallBack({ offer: wanted, unrouted, client: incoming.http, tooExpensive }, deps, take)
  } finally {
    incoming.record.queuedMs += performance.now() - since
  }
}

const NONE: readonly CandidateOf<'text'>[] = []

/** The caller is told where a fallback answers. */
export function warningsFor({ model }: OfferOf<'text'>, wanted: OfferOf<'text'>, own: readonly string[]): string[] {
  return model === wanted.model ? [...own] : [...own, `model;answered-by-${model.id}`]
}

/** Nothing was sent to the upstream. */
export function releaseSlot({ upstreamCall, health }: Routed, { ticker }: RouteDependencies): void {
  upstreamCall.stop()
  health.end(ticker.now())
}
