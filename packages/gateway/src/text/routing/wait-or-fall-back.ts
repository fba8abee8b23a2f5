// Where a request goes when nobody of its model is well and has room: it waits until one of their calls ends, or another
// model stands in, or somebody is asked who would rather be left alone.

import type { Client } from '@trivium/http/request.ts'
import { keyAllowsModel } from '../../access/authorize.ts'
import type { Candidate, Offer } from '../../access/catalogue.ts'
import type { Holder } from '../../overload/fair-queue.ts'
import type { Dependencies } from '../dependencies.ts'
import { hasCallable, hasHealthy, isFull, noRouteError, route, routeToHealthy, type Searching } from './route.ts'

export type RoutedOffer = { offer: Offer; candidate: Candidate }

/**
 * `tooDear`: fallbacks that the caller cannot pay for. `take` is called the moment a way is found: many who have waited in
 * vain are told so together, and between two steps of theirs all would find the same place free.
 */
export async function waitOrFallBack<T extends object>(
  offer: Offer,
  asked: Searching,
  parts: Dependencies,
  client: Client,
  tooDear: readonly Offer[],
  take: (way: RoutedOffer) => T,
): Promise<T> {
  // The coarse clock may be a tick behind, which would reject callers that waited exactly as long as they were told.
  parts.ticker.exactNow()
  const standIns = offer.fallbacks.filter(
    (each) => !tooDear.includes(each) && keyAllowsModel(asked.caller, each.model.id),
  )
  const taken = (offer: Offer, candidate: Candidate | undefined) => candidate && take({ offer, candidate })
  const isAlone = standIns.length === 0
  const find = () => (isAlone ? route : routeToHealthy)(offer, asked, parts)
  const mayWait = () => (isAlone ? hasCallable : hasHealthy)(offer, parts)
  // Whoever waits for the same model came first. Those who are well were asked for already.
  const atOnce =
    isAlone && !parts.upstreamSlots.hasQueue(offer.model, asked.caller.account) ? taken(offer, find()) : undefined
  const turn = { offer, account: asked.caller.account, find, mayWait, taken: () => taken(offer, find()) }
  const found = atOnce ?? (await waitForSlot(turn, parts, client))
  if (found) return found
  for (const standIn of standIns) {
    const found = taken(standIn, routeToHealthy(standIn, asked, parts))
    if (found) return found
  }
  const last = isAlone ? undefined : taken(offer, route(offer, asked, parts))
  if (last) return last
  throw noRouteError(offer, parts)
}

type Turn<T> = {
  offer: Offer
  account: bigint
  find(): Candidate | undefined
  mayWait(): boolean
  taken(): T | undefined
}

/** Waits only where waiting can help: where nobody is well, callers are told so at once. */
async function waitForSlot<T extends object>(
  { offer, account, find, mayWait, taken }: Turn<T>,
  parts: Dependencies,
  client: Client,
): Promise<T | undefined> {
  const since = performance.now()
  const isThere = (): boolean => find() !== undefined
  const mayGo = (): boolean => offer.candidates.some((candidate) => !isFull(candidate, { account }, parts))
  const holder = holderOf(account, offer, parts)
  while (
    mayWait() &&
    (await parts.upstreamSlots.wait(offer.model, { since, client, holder, hasRoom: mayGo, isAvailable: isThere }))
  ) {
    // Somebody else may have been quicker between the call and now.
    const found = taken()
    if (found) return found
  }
  return undefined
}

/** Calls that an account has at the upstreams of a model. */
function holderOf(account: bigint, { candidates }: Offer, { upstreamCalls }: Dependencies): Holder {
  const upstreams = new Map(candidates.map(({ upstream }) => [upstream.id, upstream]))
  return {
    account,
    get slots() {
      return upstreams.values().reduce((sum, upstream) => sum + upstreamCalls.heldBy(account, upstream), 0)
    },
  }
}
