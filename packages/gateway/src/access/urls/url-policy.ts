// URLs in a request that the upstream would fetch or call. An upstream may run inside the operator's network: a private URL is
// sent only to upstreams for which the operator allows it. URLs that the gateway itself calls back are checked here, too.

import { classifyUrl } from '@trivium/http/addresses/url-guard.ts'
import { shortText } from '@trivium/protocol/canonical/utf8.ts'
import type { Candidate, Offer } from '../../catalogue/catalogue.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { Failure } from '../../request/failure.ts'
import type { Caller } from '../../storage/storage.ts'
import { tiersOf } from '../../upstreams/health/choose.ts'
import { parseTarget } from '../../upstreams/public/guard-public.ts'
import { PublicFetchError } from '../../upstreams/public/public-fetch-error.ts'
import { keyAllowsModel } from '../authorize.ts'

/** More than any vendor accepts. */
export const MOST_URLS = 4_096

export type NamedUrl = { field: string; url: string }

/** What a candidate must allow, each with the first field that needs it. */
type Needs = { private: string | undefined; object: string | undefined }

/** The offer reduced to candidates that may receive the request's URLs, by their text alone. Throws if none remains. */
export function offerForUrls<P extends AnyPrice, M extends { id: string }>(
  offer: Offer<P, M>,
  { urls }: { urls: readonly NamedUrl[] },
  caller: Caller,
): Offer<P, M> {
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

/** Offers do not change after the catalogue is compiled, so each reduction is computed once. */
const narrowedOffers = new WeakMap<Offer, Map<string, Offer>>()

function narrowedTo<P extends AnyPrice, M extends { id: string }>(
  offer: Offer<P, M>,
  isPrivate: boolean,
  isObject: boolean,
): Offer<P, M> {
  const kept = narrowedOffers.get(offer) ?? new Map<string, Offer>()
  narrowedOffers.set(offer, kept)
  const name = `${isPrivate} ${isObject}`
  const known = kept.get(name)
  // Made from this very offer, so of its type.
  if (known) return known as Offer<P, M>
  const allows = ({ upstream }: Candidate): boolean =>
    (!isPrivate || upstream.allowPrivate) && (!isObject || upstream.sharedObjects)
  // Models may be fallbacks of each other, but a fallback's own fallbacks are never used.
  const fallbacks = offer.fallbacks.map((each) => withCandidates(each, allows, []))
  const narrowed = withCandidates(
    offer,
    allows,
    fallbacks.filter(({ candidates }) => candidates.length > 0),
  )
  kept.set(name, narrowed)
  return narrowed
}

/** `allows`: which candidates stay. */
export function withCandidates<P extends AnyPrice, M extends { id: string }>(
  offer: Offer<P, M>,
  allows: (candidate: Candidate<P>) => boolean,
  fallbacks: readonly Offer<P, M>[],
): Offer<P, M> {
  const candidates = offer.candidates.filter(allows)
  return { ...offer, candidates, tiers: tiersOf(candidates), fallbacks }
}

export const LONGEST_CALLBACK_URL = 2_048

/**
 * Throws if the gateway would never call this URL, so that a submit fails instead of its callbacks. By the text of the URL only:
 * what its name resolves to is checked with every callback.
 */
export function checkCallbackUrl(url: string, allowPrivate: boolean): void {
  if (url.length <= LONGEST_CALLBACK_URL && isPlainUrl(url)) {
    const verdict = classifyUrl(url)
    if (verdict === 'public' || (verdict === 'private' && allowPrivate)) return
  }
  const message = `callback_url must be an http or https URL of a public host, with at most ${LONGEST_CALLBACK_URL} characters.`
  throw new Failure('bad_request', message, { param: 'callback_url' })
}

function isPlainUrl(url: string): boolean {
  try {
    return parseTarget(url).port > 0
  } catch (error) {
    if (error instanceof PublicFetchError) return false
    throw error
  }
}

export function forbiddenUrlError(path: string): Failure {
  const field = shortText(path)
  const message = `${field} must be an http or https URL of a public host, or a data URL.`
  return new Failure('bad_request', message, { param: field })
}

/** Tenant isolation: anyone who knows an object's id could otherwise use another tenant's object. */
export function foreignObjectError(field: string): Failure {
  const message = `${field} refers to an object stored at a vendor that this gateway did not issue to you. Send the content itself.`
  return new Failure('unsupported_parameter', message, { param: field })
}
