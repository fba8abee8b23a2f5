// What distinguishes the endpoints that images are requested at: how a request is read, and how its response is written.

import type { ImageReply } from '@trivium/protocol/canonical/image.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import type { Failure } from '../../request/failure.ts'
import type { ImageDependencies } from '../dependencies.ts'
import type { CompletedImage, PartialImage } from '../generate.ts'
import type { ImageCall, ImageWork } from '../image-call.ts'
import type { PassedEvent } from '../passing/read-passed.ts'
import type { ReadContext, ReadRequest } from '../reading/read-request.ts'

export type ImageEndpoint = {
  dialect: DialectId
  /** Part of the fingerprint of a repeated request: what decides, beside the body, the response and its form. */
  name: string
  /** Throws Failure and RequestError. */
  read(incoming: ApiRequest, context: ReadContext, deps: ImageDependencies): Promise<ReadRequest>
  /** `created`: the time of the response, in seconds since 1970. */
  encoding(call: Pick<ImageWork, 'request'> & Pick<ImageCall, 'id'>, created: () => number): ImageEncoding
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
  /** An event that is passed on. Absent: replies do not pass through. */
  passed?(event: PassedEvent): Pieces
  /** Closes a stream without an error. */
  end(): Pieces
  /** Closes a stream. */
  error(failure: Failure): Uint8Array
}
