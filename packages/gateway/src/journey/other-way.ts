// Where a request goes when nobody of its model is well and has room: it waits until one of their calls ends, or another
// model stands in, or somebody is asked who would rather be left alone.
import type { Client } from '../http/request.ts'
import { isOnList } from './authorize.ts'
import type { Candidate, Offer } from './catalogue.ts'
import type { Parts } from './parts.ts'
import { isBusy, isOnlyFull, nobody, route, routeToWell, type Searching } from './route.ts'

export type Way = { offer: Offer; candidate: Candidate }

/**
 * `tooDear`: fallbacks that the caller cannot pay for. `take` is called the moment a way is found: many who have waited in
 * vain are told so together, and between two steps of theirs all would find the same place free.
 */
export async function otherWay<T extends object>(
  offer: Offer,
  asked: Searching,
  parts: Parts,
  client: Client,
  tooDear: readonly Offer[],
  take: (way: Way) => T,
): Promise<T> {
  // The coarse clock may be a tick behind, which would reject callers that waited exactly as long as they were told.
  parts.ticker.exactNow()
  const standIns = offer.fallbacks.filter((each) => !tooDear.includes(each) && isOnList(asked.caller, each.model.id))
  const taken = (offer: Offer, candidate: Candidate | undefined) => candidate && take({ offer, candidate })
  const isAlone = standIns.length === 0
  const find = () => (isAlone ? route : routeToWell)(offer, asked, parts)
  const mayWait = () => (isAlone ? isBusy : isOnlyFull)(offer, parts)
  // Whoever waits for the same model came first. Those who are well were asked for already.
  const atOnce = isAlone && !parts.room.isWaitedFor(offer.model) ? taken(offer, find()) : undefined
  const turn = { model: offer.model, find, mayWait, taken: () => taken(offer, find()) }
  const found = atOnce ?? (await takeInTurn(turn, parts, client))
  if (found) return found
  for (const standIn of standIns) {
    const found = taken(standIn, routeToWell(standIn, asked, parts))
    if (found) return found
  }
  const last = isAlone ? undefined : taken(offer, route(offer, asked, parts))
  if (last) return last
  throw nobody(offer, parts)
}

type Turn<T> = {
  model: Offer['model']
  find(): Candidate | undefined
  mayWait(): boolean
  taken(): T | undefined
}

/** Waits only where waiting can help: where nobody is well, callers are told so at once. */
async function takeInTurn<T extends object>(
  { model, find, mayWait, taken }: Turn<T>,
  { room }: Parts,
  client: Client,
): Promise<T | undefined> {
  const since = performance.now()
  const isThere = (): boolean => find() !== undefined
  while (mayWait() && (await room.wait(model, { since, client, isThere }))) {
    // Somebody else may have been quicker between the call and now.
    const found = taken()
    if (found) return found
  }
  return undefined
}
