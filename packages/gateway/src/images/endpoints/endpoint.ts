// What distinguishes the endpoints that images are requested at: how a request is read, and how its response is written.

import type { ImageReply, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Failure } from '../../access/failure.ts'
import type { IncomingRequest } from '../../access/incoming-request.ts'
import type { Catalogue, ImageOffer } from '../../access/models/catalogue.ts'
import type { Slot } from '../../overload/admission.ts'
import type { CompletedImage, PartialImage } from '../generate.ts'
import type { ImageCall } from '../image-call.ts'
import type { ReadDependencies, ReadRequest } from '../read.ts'

export type ImageEndpoint = {
  dialect: DialectId
  /** Part of the fingerprint of a repeated request: what decides, beside the body, the response and its form. */
  name: string
  /** Throws Failure and RequestError. */
  read(incoming: IncomingRequest, context: ReadContext, deps: ReadDependencies): Promise<ReadRequest>
  /** `created`: the time of the response, in seconds since 1970. */
  encoding(call: Pick<ImageCall, 'request' | 'id'>, created: () => number): ImageEncoding
}

export type ReadContext = {
  /** The caller's. */
  account: bigint
  slot: Slot
  catalogue: Catalogue
  /** The caller's offer of a model. Throws Failure if the caller may not use it. */
  offerOf(model: ImageRequest['model']): ImageOffer
  /** The request has an idempotency key. */
  isRepeatable: boolean
  /** What of the request is dropped or changed. */
  warnings: string[]
}

/** The response of one request, which may be in the middle of its stream. */
export type ImageEncoding = {
  reply(reply: ImageReply): Pieces
  streamType: string
  heartbeat: Uint8Array
  /** Nothing, where the dialect has no partial images. */
  partial(event: PartialImage): Pieces
  /** `usage`: of all images so far. */
  completed(event: CompletedImage, usage: ImageReply['usage']): Pieces
  /** Closes a stream without an error. */
  end(): Pieces
  /** Closes a stream. */
  error(failure: Failure): Uint8Array
}
