// A paid call of the image journey: what it adds to the core, from the hold to the settlement.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { DeliveredImage } from '../modalities/image/price.ts'
import type { CallAttempt, PaidCall } from '../paid-call/paid-call.ts'

/** The largest response, of an upstream and to a client. */
export const REPLY_BYTES = 128 * 1024 * 1024

/** One attempt at one candidate: the next attempt replaces it as a whole. */
export type ImageAttempt = CallAttempt &
  Readonly<{ offer: OfferOf<'image'>; candidate: CandidateOf<'image'>; dialect: ImageDialectId }>

export type ImageCall = PaidCall<ImageAttempt> & {
  /** Images that it names by URL are put into it once they have been fetched. */
  request: ImageRequest
  /** Of the model that the caller named. */
  readonly wanted: OfferOf<'image'>
  /** Candidates that were chosen for earlier attempts. */
  tried: readonly CandidateOf<'image'>[]
  /** What has been made so far, over all calls to upstreams. */
  readonly delivered: DeliveredImage[]
  usage: Usage | undefined
  /** Of the response so far, in base64. */
  heldBytes: number
  /** Responses of upstreams that brought images. */
  calls: number
}
