// A way to a model whose upstreams may all have as many calls as they may have: then one that ends makes room.
import type { Candidate, Offer } from './catalogue.ts'
import type { Parts } from './parts.ts'
import { isBusy, nobody, route, type Searching } from './route.ts'

/** Waits only where waiting can help: where nobody is well, callers are told so at once. */
export async function routeInTurn(
  offer: Offer,
  asked: Searching,
  parts: Parts,
  signal: AbortSignal,
): Promise<Candidate> {
  const since = performance.now()
  const isThere = (): boolean => route(offer, asked, parts) !== undefined
  while (isBusy(offer, parts) && (await parts.room.wait(offer.model.id, { since, signal, isThere }))) {
    // Somebody else may have been quicker between the call and now.
    const candidate = route(offer, asked, parts)
    if (candidate) return candidate
  }
  throw nobody(offer, parts)
}
