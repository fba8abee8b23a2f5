// Names in callers' URLs are resolved where an upstream inside the operator's network would fetch them: what they lead to there
// must not be reachable for callers.

import { classifyUrl, hostNameOf } from '@trivium/http/addresses/url-guard.ts'
import type { Candidate, Offer } from '../../catalogue/catalogue.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { Failure } from '../../request/failure.ts'
import type { Caller } from '../../storage/storage.ts'
import type { NameChecks } from '../../upstreams/public/name-checks.ts'
import { keyAllowsModel } from '../authorize.ts'
import { forbiddenUrlError, type NamedUrl, offerForUrls, withCandidates } from './url-policy.ts'

/** Limits the different hosts in one request. */
const MOST_NAMES = 16

/** The offer reduced to candidates that may receive the request's URLs. Throws Failure if none remains. */
export async function offerForRequest<P extends AnyPrice, M extends { id: string }>(
  offered: Offer<P, M>,
  request: { urls: readonly NamedUrl[] },
  caller: Caller,
  { nameChecks }: { nameChecks: NameChecks },
): Promise<Offer<P, M>> {
  const offer = offerForUrls(offered, request, caller)
  const names = namesIn(request.urls)
  if (names.size === 0) return offer
  const inside = await candidatesInside(offer, nameChecks)
  if (inside.size === 0) return offer
  if (names.size > MOST_NAMES) {
    const message = `A request for this model may name URLs of at most ${MOST_NAMES} hosts.`
    throw new Failure('bad_request', message, { param: [...names.values()][MOST_NAMES] ?? '' })
  }
  const found = await nameChecks.privateAmong([...names.keys()], caller.account)
  if (found === 'busy')
    throw new Failure('rate_limit_exceeded', 'Too many of your URLs are being looked up.', { retryAfter: 1 })
  const [first] = found
  if (first === undefined) return offer
  const allows = ({ upstream }: Candidate): boolean => !inside.has(upstream.id)
  const fallbacks = offer.fallbacks.map((each) => withCandidates(each, allows, []))
  const narrowed = withCandidates(
    offer,
    allows,
    fallbacks.filter(({ candidates }) => candidates.length > 0),
  )
  if (narrowed.candidates.length > 0 || narrowed.fallbacks.some(({ model }) => keyAllowsModel(caller, model.id)))
    return narrowed
  throw forbiddenUrlError(names.get(first) ?? '')
}

/** Each name with the first field that it is in. */
function namesIn(urls: readonly NamedUrl[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { field, url } of urls) {
    const name = hostNameOf(url)
    if (name !== undefined && !names.has(name)) names.set(name, field)
  }
  return names
}

/** The ids of upstreams in a private network that may not be sent private URLs. */
async function candidatesInside(offer: Offer, nameChecks: NameChecks): Promise<ReadonlySet<string>> {
  const all = [...offer.candidates, ...offer.fallbacks.flatMap(({ candidates }) => candidates)]
  const upstreams = new Map(all.map(({ upstream }) => [upstream.id, upstream]))
  const inside = new Set<string>()
  for (const { id, baseUrl, allowPrivate, embedded } of upstreams.values()) {
    if (allowPrivate || embedded) continue
    const name = hostNameOf(baseUrl)
    if (name === undefined ? classifyUrl(baseUrl) === 'private' : await nameChecks.isPrivate(name)) inside.add(id)
  }
  return inside
}
