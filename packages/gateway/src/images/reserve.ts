// Reserves funds: the most that the requested images can cost is held in the ledger. Without a hold nothing is sent.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import { IMAGE_SERVICES } from '@trivium/protocol/dialects/image-services.ts'
import { decidesSize } from '@trivium/protocol/dialects/images/request/costly-fields.ts'
import { sidesOf } from '@trivium/protocol/dialects/shared/images/sides.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { RequestedImages } from '../endpoints/images/modality/price.ts'
import type { Nanos } from '../money/amount.ts'
import { Failure } from '../request/failure.ts'
import { dialectFor, imagesEndpointOf } from '../upstreams/endpoint.ts'
import { type ImageCall, REPLY_BYTES } from './image-call.ts'
import { type PassableRequest, passes } from './passing/passable.ts'

/** The most that the request can cost at this candidate. */
export function boundOf(request: PassableRequest, offer: OfferOf<'image'>, candidate: CandidateOf<'image'>): Nanos {
  const bound = offer.rate.bound(requestedImages(request, candidate))
  if (bound === undefined) throw new Failure('bad_request', 'The cost of this request cannot be determined.')
  return bound
}

function requestedImages(request: PassableRequest, candidate: CandidateOf<'image'>): RequestedImages {
  const { quality, prompt, images, mask, partialImages = 0 } = request
  const passed = passes(request, candidate) ? request.passing?.facts : undefined
  const count = mostImages(request, candidate)
  return {
    count,
    size: pricedSize(request),
    quality,
    partialImages,
    promptBytes: passed?.textBytes ?? utf8Length(prompt),
    inputImages: passed?.images ?? images.length + (mask ? 1 : 0),
    calls: makesAll(request, candidate) ? 1 : count,
  }
}

/** The size that the price depends on. undefined: other fields decide it, so that it may be any. */
export const pricedSize = ({ size, unknown }: ImageRequest): string | undefined =>
  unknown.some(decidesSize) ? undefined : size

/** How many images the request can come to at this candidate. */
export const mostImages = ({ n, series }: ImageRequest, candidate: CandidateOf<'image'>): number =>
  series && makesSeries(candidate) ? series.most : n

/** The model decides how many images there are: fewer than the most are no failure. */
export const isSeries = ({ series }: ImageRequest, candidate: CandidateOf<'image'>): boolean =>
  series !== undefined && makesSeries(candidate)

function makesSeries({ upstream }: CandidateOf<'image'>): boolean {
  return dialectFor(upstream, 'image') === 'images' && imagesEndpointOf(upstream).makesSeries === true
}

/** One call to the upstream makes all images of the request. */
export const makesAll = (request: PassableRequest, candidate: CandidateOf<'image'>): boolean =>
  isSeries(request, candidate) || makesMany(candidate) || passes(request, candidate)

/** In base64, of a large but usual PNG; the services that make series send JPEGs. */
const BYTES_PER_PIXEL = 2
const BYTES_PER_PIXEL_OF_SERIES = 0.5
const USUAL_PIXELS = 1024 * 1536

/** What the images will take in memory on their way to the client. Where a model limits no sizes, callers may ask for any. */
export function expectedBytes({ n, size, series }: ImageRequest): number {
  const bytes = series ? series.most * BYTES_PER_PIXEL_OF_SERIES : n * BYTES_PER_PIXEL
  return Math.min(REPLY_BYTES, Math.ceil(bytes * pixelsOf(size)))
}

function pixelsOf(size: string | undefined): number {
  const sides = sidesOf(size)
  if (sides) return sides.width * sides.height
  const thousands = Number(/^(\d)k$/i.exec(size ?? '')?.[1] ?? 0)
  return thousands === 0 ? USUAL_PIXELS : (thousands * 1024) ** 2
}

function makesMany({ upstream }: CandidateOf<'image'>): boolean {
  const dialect = dialectFor(upstream, 'image')
  if (dialect === undefined || !IMAGE_SERVICES[dialect].makesMany) return false
  return dialect !== 'images' || imagesEndpointOf(upstream).makesOne !== true
}

/** No more images are delivered or charged. */
export const isComplete = ({ own: { delivered, request }, attempt }: ImageCall): boolean =>
  delivered.length >= mostImages(request, attempt.candidate)
