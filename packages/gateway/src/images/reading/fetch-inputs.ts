// Images to edit that a request names by URL. They are fetched, after the hold, only for upstreams that take none.

import type { ImageInput, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { urlsInUnread } from '@trivium/protocol/dialects/shared/pass-through/unread-fields.ts'
import { base64Bytes } from '@trivium/protocol/image-data/base64.ts'
import { checkFetchable, type FetchMediaOptions, fetchMedia, type Inline } from '../../access/urls/fetch-media.ts'
import { offerForRequest } from '../../access/urls/url-names.ts'
import { withCandidates } from '../../access/urls/url-policy.ts'
import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import type { Caller } from '../../storage/storage.ts'
import type { ImageDependencies } from '../dependencies.ts'
import { type PassableRequest, passes } from '../passing/passable.ts'
import { inspectedInput } from './inspect-inputs.ts'

const inputsOf = ({ images, mask }: ImageRequest): readonly ImageInput[] => (mask ? [...images, mask] : images)

/** By URL, the field that names it. */
function urlsIn(request: ImageRequest): Map<string, string> {
  const urls = new Map<string, string>()
  for (const { source } of inputsOf(request)) if (source.kind === 'url') urls.set(source.url, source.field)
  return urls
}

/** The offer reduced to candidates that may receive the request and its URLs. Throws if none remains. */
export async function offerForInputs(
  offer: OfferOf<'image'>,
  request: PassableRequest,
  caller: Caller,
  deps: ImageDependencies,
): Promise<OfferOf<'image'>> {
  const { passing } = request
  const named = () => [...urlsIn(request)].map(([url, field]) => ({ url, field }))
  const urls = passing?.facts.urls ?? [...named(), ...urlsInUnread(request.unknown)]
  const allowed = await offerForRequest(offer, { urls }, caller, deps)
  if (!passing?.untranslatable) return allowed
  const isSame = (candidate: CandidateOf<'image'>) => passes(request, candidate)
  const fallbacks = allowed.fallbacks.map((each) => withCandidates(each, isSame, []))
  const passed = withCandidates(
    allowed,
    isSame,
    fallbacks.filter(({ candidates }) => candidates.length > 0),
  )
  if (passed.candidates.length + passed.fallbacks.length === 0) throw passing.untranslatable
  return passed
}

/** Before the hold, for an upstream that takes no URLs: what can be decided without fetching. Throws Failure. */
export function checkInputs(request: ImageRequest): void {
  for (const [url, field] of urlsIn(request)) checkFetchable(url, field)
}

/** The request with the images themselves in place of URLs. Throws Failure for what cannot be fetched, or is no image. */
export async function withFetchedInputs(
  request: PassableRequest,
  options: Pick<FetchMediaOptions, 'signal' | 'grow'>,
  deps: Pick<ImageDependencies, 'fetchPublic'>,
): Promise<PassableRequest> {
  const urls = urlsIn(request)
  if (urls.size === 0) return request
  const fieldOf = (url: string) => urls.get(url) ?? 'image'
  const fetched = await fetchMedia(new Set(urls.keys()), { ...options, fieldOf }, deps)
  const images: ImageInput[] = []
  for (const image of request.images) images.push(await fetchedInput(image, fetched))
  const { mask } = request
  return { ...request, images, ...(mask ? { mask: await fetchedInput(mask, fetched) } : {}) }
}

async function fetchedInput(image: ImageInput, fetched: ReadonlyMap<string, Inline>): Promise<ImageInput> {
  const { source } = image
  const found = source.kind === 'url' ? fetched.get(source.url) : undefined
  if (source.kind !== 'url' || !found) return image
  const inline = {
    mediaType: found.mime,
    bytes: base64Bytes(found.data),
    source: { kind: 'inline', base64: found.data },
  }
  return inspectedInput(inline as ImageInput, source.field)
}
