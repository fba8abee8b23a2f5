// URLs that a caller names for the upstream to fetch or to call. An upstream may live in the operator's network, or be paid to
// act in it: a private URL goes only where the operator allows it.

import { classifyUrl } from '@trivium/http/addresses/url-guard.ts'
import { shortText } from '@trivium/protocol/canonical/utf8.ts'
import type { PassThroughRequest } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Caller } from '../storage/storage.ts'
import { tiersOf } from '../upstreams/health/choose.ts'
import { keyAllowsModel } from './authorize.ts'
import type { TextCandidate, TextOffer } from './catalogue.ts'
import { Failure } from './failure.ts'

/** More than any vendor takes. */
const MOST_URLS = 4_096

/** What a candidate must allow, with the first field that asks for it. */
type Needs = { private: string | undefined; object: string | undefined }

/** The offer with those candidates alone that may be sent the request's URLs. Throws where none is left. */
export function offerForUrls(offer: TextOffer, { urls }: PassThroughRequest, caller: Caller): TextOffer {
  if (urls.length === 0) return offer
  if (urls.length > MOST_URLS) throw new Failure('bad_request', `A request may name at most ${MOST_URLS} URLs.`)
  const needs: Needs = { private: undefined, object: undefined }
  for (const { field, url } of urls) {
    const verdict = classifyUrl(url)
    if (verdict === 'forbidden') throw forbiddenUrlError(field)
    if (verdict !== 'public') needs[verdict] ??= field
  }
  if (needs.private === undefined && needs.object === undefined) return offer
  const narrowed = narrowedTo(offer, needs.private !== undefined, needs.object !== undefined)
  const { candidates, fallbacks } = narrowed
  if (candidates.length > 0 || fallbacks.some(({ model }) => keyAllowsModel(caller, model.id))) return narrowed
  throw needs.private === undefined ? foreignObjectError(needs.object ?? '') : forbiddenUrlError(needs.private)
}

/** Both are frozen with the catalogue, so what is left of an offer is found once. */
const narrowedOffers = new WeakMap<TextOffer, Map<string, TextOffer>>()

function narrowedTo(offer: TextOffer, isPrivate: boolean, isObject: boolean): TextOffer {
  const kept = narrowedOffers.get(offer) ?? new Map<string, TextOffer>()
  narrowedOffers.set(offer, kept)
  const name = `${isPrivate} ${isObject}`
  const known = kept.get(name)
  if (known) return known
  const allows = ({ upstream }: TextCandidate): boolean =>
    (!isPrivate || upstream.allowPrivate) && (!isObject || upstream.sharedObjects)
  // Models may stand in for each other, but nobody asks for the fallbacks of a fallback.
  const fallbacks = offer.fallbacks.map((each) => withCandidates(each, allows, []))
  const narrowed = withCandidates(
    offer,
    allows,
    fallbacks.filter(({ candidates }) => candidates.length > 0),
  )
  kept.set(name, narrowed)
  return narrowed
}

function withCandidates(
  offer: TextOffer,
  allows: (candidate: TextCandidate) => boolean,
  fallbacks: readonly TextOffer[],
): TextOffer {
  const candidates = offer.candidates.filter(allows)
  return { ...offer, candidates, tiers: tiersOf(candidates), fallbacks }
}

function forbiddenUrlError(path: string): Failure {
  const field = shortText(path)
  const message = `${field} must be an http or https URL of a public host, or a data URL.`
  return new Failure('bad_request', message, { param: field })
}

/** Whoever knows its name could use another tenant's object. */
export function foreignObjectError(field: string): Failure {
  const message = `${field} refers to an object stored at a vendor that this gateway did not issue to you. Send the content itself.`
  return new Failure('unsupported', message, { param: field })
}
