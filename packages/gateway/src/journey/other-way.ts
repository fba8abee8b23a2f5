// Where a request goes when nobody of its model is well and has room: it waits until one of their calls ends, or another
// model stands in, or somebody is asked who would rather be left alone.
import type { Client } from '../http/request.ts'
import { isOnList } from './authorize.ts'
import type { Candidate, Offer } from './catalogue.ts'
import type { Parts } from './parts.ts'
import { isBusy, isOnlyFull, nobody, route, routeToWell, type Searching } from './route.ts'

export type Way = { offer: Offer; candidate: Candidate }

/** `tooDear`: fallbacks that the caller cannot pay for. */
export async function otherWay(
  offer: Offer,
  asked: Searching,
  parts: Parts,
  client: Client,
  tooDear: readonly Offer[],
): Promise<Way> {
  const standIns = offer.fallbacks.filter((each) => !tooDear.includes(each) && isOnList(asked.caller, each.model.id))
  const candidate =
    standIns.length === 0
      ? await alone(offer, asked, parts, client)
      : await routeInTurn({ offer, find: () => routeToWell(offer, asked, parts), mayWait: isOnlyFull }, parts, client)
  if (candidate) return { offer, candidate }
  for (const standIn of standIns) {
    const candidate = routeToWell(standIn, asked, parts)
    if (candidate) return { offer: standIn, candidate }
  }
  const last = standIns.length === 0 ? undefined : route(offer, asked, parts)
  if (last) return { offer, candidate: last }
  throw nobody(offer, parts)
}

/** Nobody stands in for it. */
async function alone(offer: Offer, asked: Searching, parts: Parts, client: Client): Promise<Candidate | undefined> {
  const find = () => route(offer, asked, parts)
  // Whoever waits for the same model came first.
  const first = parts.room.isWaitedFor(offer.model.id) ? undefined : find()
  return first ?? (await routeInTurn({ offer, find, mayWait: isBusy }, parts, client))
}

type Turn = { offer: Offer; find: () => Candidate | undefined; mayWait: (offer: Offer, parts: Parts) => boolean }

/** Waits only where waiting can help: where nobody is well, callers are told so at once. */
async function routeInTurn(
  { offer, find, mayWait }: Turn,
  parts: Parts,
  client: Client,
): Promise<Candidate | undefined> {
  const since = performance.now()
  const isThere = (): boolean => find() !== undefined
  while (mayWait(offer, parts) && (await parts.room.wait(offer.model.id, { since, client, isThere }))) {
    // Somebody else may have been quicker between the call and now.
    const candidate = find()
    if (candidate) return candidate
  }
  return undefined
}
