// Reserves funds: the most that the requested images can cost is held in the ledger. Without a hold nothing is sent.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import { IMAGE_SERVICES } from '@trivium/protocol/dialects/image-services.ts'
import { sidesOf } from '@trivium/protocol/dialects/shared/images/sides.ts'
import { Failure } from '../access/failure.ts'
import type { ImageCandidate, ImageOffer } from '../access/models/catalogue.ts'
import type { Nanos } from '../money/amount.ts'
import type { RequestedImages } from '../money/prices/image-price.ts'
import { imageDialectOf, imagesEndpointOf } from '../upstreams/endpoint.ts'
import { REPLY_BYTES } from './image-call.ts'

/** The most that the request can cost at this candidate. */
export function boundOf(request: ImageRequest, offer: ImageOffer, candidate: ImageCandidate): Nanos {
  const bound = offer.rate.bound(requestedImages(request, candidate))
  if (bound === undefined) throw new Failure('bad_request', 'The cost of this request cannot be determined.')
  return bound
}

function requestedImages(request: ImageRequest, candidate: ImageCandidate): RequestedImages {
  const { n, size, quality, prompt, images, mask, partialImages = 0 } = request
  return {
    ...{ count: n, size, quality, partialImages },
    promptBytes: utf8Length(prompt),
    inputImages: images.length + (mask ? 1 : 0),
    calls: makesMany(candidate) ? 1 : n,
  }
}

/** In base64, of a large but usual PNG. */
const BYTES_PER_PIXEL = 2
const USUAL_PIXELS = 1024 * 1536

/** What the images will take in memory on their way to the client. Where a model limits no sizes, callers may ask for any. */
export function expectedBytes({ n, size }: ImageRequest): number {
  const sides = sidesOf(size)
  return Math.min(REPLY_BYTES, n * BYTES_PER_PIXEL * (sides ? sides.width * sides.height : USUAL_PIXELS))
}

/** One call to the upstream makes all images of a request. */
export function makesMany({ upstream }: ImageCandidate): boolean {
  const dialect = imageDialectOf(upstream)
  if (dialect === undefined || !IMAGE_SERVICES[dialect].makesMany) return false
  return dialect !== 'images' || imagesEndpointOf(upstream).makesOne !== true
}
