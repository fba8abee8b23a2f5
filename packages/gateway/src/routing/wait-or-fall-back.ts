// Where a request goes when no healthy candidate of its model has room: it waits until one of their calls ends, or a fallback
// model is called, or a candidate that is cooling down.

import type { Client } from '@trivium/http/request.ts'
import { keyAllowsModel } from '../access/authorize.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { Holder } from '../sharing/fair-queue.ts'
import type { RoutingDependencies } from './dependencies.ts'
import {
  findCandidate,
  hasCallable,
  hasHealthy,
  isFull,
  noRouteError,
  routeToHealthy,
  type Unrouted,
} from './find-candidate.ts'

/** `tooExpensive`: ids of fallback models that the caller cannot pay for. */
type Choice<O> = { offer: O; unrouted: Unrouted; client: Client; tooExpensive: readonly string[] }

/**
 * `take` is called at the moment a candidate is found, to take its slot: many requests may stop waiting in the same turn of the
 * event loop, and between two of their steps all would find the same slot free.
 */
export async function waitOrFallBack<P extends AnyPrice, M extends { id: string }, T extends object>(
  { offer, unrouted, client, tooExpensive }: Choice<Offer<P, M>>,
  deps: RoutingDependencies,
  take: (offer: Offer<P, M>, candidate: Candidate<P>) => T,
): Promise<T> {
  // The coarse clock may be a tick behind, which would reject callers that waited exactly as long as they were told.
  deps.ticker.exactNow()
  const { caller } = unrouted
  const fallbacks = offer.fallbacks.filter(
    (each) => !tooExpensive.includes(each.model.id) && keyAllowsModel(caller, each.model.id),
  )
  const taken = (offer: Offer<P, M>, candidate: Candidate<P> | undefined) => candidate && take(offer, candidate)
  const isAlone = fallbacks.length === 0
  const find = () => (isAlone ? findCandidate : routeToHealthy)(offer, unrouted, deps)
  const mayWait = () => (isAlone ? hasCallable : hasHealthy)(offer, unrouted, deps)
  // Requests that are queued for the same model come first. Healthy candidates were looked for already.
  const hasQueue = deps.upstreamQueue.hasQueue(offer.model, caller.account)
  const atOnce = isAlone && !hasQueue ? taken(offer, find()) : undefined
  const waiter = { offer, unrouted, client, find, mayWait, taken: () => taken(offer, find()) }
  const found = atOnce ?? (await waitForSlot(waiter, deps))
  if (found) return found
  for (const fallback of fallbacks) {
    const healthy = () => routeToHealthy(fallback, unrouted, deps)
    const atOnce = taken(fallback, healthy())
    if (atOnce) return atOnce
    if (!fallback.isLimited) continue
    // Its share of a limit may have to be asked for.
    const mayWait = () => hasHealthy(fallback, unrouted, deps)
    const waiter = {
      offer: fallback,
      unrouted,
      client,
      find: healthy,
      mayWait,
      taken: () => taken(fallback, healthy()),
    }
    const found = await waitForSlot(waiter, deps)
    if (found) return found
  }
  const last = isAlone ? undefined : taken(offer, findCandidate(offer, unrouted, deps))
  if (last) return last
  throw noRouteError(offer, unrouted, deps)
}

type Waiter<T> = {
  offer: Offer
  unrouted: Unrouted
  client: Client
  find(): Candidate | undefined
  mayWait(): boolean
  taken(): T | undefined
}

/** Only where waiting can help: where no candidate is healthy, the request is rejected at once. */
async function waitForSlot<T extends object>(
  { offer, unrouted, client, find, mayWait, taken }: Waiter<T>,
  deps: RoutingDependencies,
): Promise<T | undefined> {
  const since = performance.now()
  const isAvailable = (): boolean => find() !== undefined
  const hasRoom = (): boolean => offer.candidates.some((candidate) => !isFull(candidate, unrouted, deps))
  const holder = holderOf(unrouted.caller.account, offer, deps)
  const { upstreamQueue } = deps
  while (mayWait() && (await upstreamQueue.wait(offer.model, { since, client, holder, hasRoom, isAvailable }))) {
    // Another request may have taken the slot in the meantime.
    const found = taken()
    if (found) return found
  }
  return undefined
}

/** Calls that an account has at the upstreams of a model. */
function holderOf(account: bigint, { candidates }: Offer, { upstreamCalls }: RoutingDependencies): Holder {
  const upstreams = new Map(candidates.map(({ upstream }) => [upstream.id, upstream]))
  return {
    account,
    get slots() {
      return upstreams.values().reduce((sum, upstream) => sum + upstreamCalls.heldBy(account, upstream), 0)
    },
  }
}
