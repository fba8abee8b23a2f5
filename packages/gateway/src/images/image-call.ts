// A paid call of the image journey: what it adds to the core, from the hold to the settlement.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { DeliveredImage } from '../endpoints/images/modality/price.ts'
import type { ModelOf, RateOf } from '../modalities/index.ts'
import type { Outcome } from '../paid-call/outcome.ts'
import type { CandidateCall } from '../routing/call-candidates.ts'
import type { PassableRequest } from './passing/passable.ts'

/** The largest response, of an upstream and to a client. */
export const REPLY_BYTES = 128 * 1024 * 1024

/** The largest event of a stream. */
export const EVENT_BYTES = 64 * 1024 * 1024

/** What has been made of a request so far, over all calls to upstreams. */
export type ImageWork = {
  /** Images that it names by URL are put into it once they have been fetched. */
  request: PassableRequest
  readonly delivered: DeliveredImage[]
  usage: Usage | undefined
  /** The bytes of the response so far, in base64. */
  heldBytes: number
  /** Responses of upstreams that brought images. */
  calls: number
  /** The upstream that is called now has got the bytes of the request, and its reply is the client's. */
  isPassed: boolean
  /** Something of such a reply has been sent, so that no other can follow. */
  hasPassed: boolean
  /** How such a reply ended. Absent: completed. */
  outcome?: Outcome | undefined
}

export const newWork = (request: PassableRequest): ImageWork => ({
  request,
  delivered: [],
  usage: undefined,
  heldBytes: 0,
  calls: 0,
  isPassed: false,
  hasPassed: false,
})

export type ImageCall = CandidateCall<RateOf<'image'>, ModelOf<'image'>, ImageDialectId, ImageWork>

export const isEventStream = (reply: UpstreamResponse): boolean =>
  reply.header('content-type')?.toLowerCase().startsWith('text/event-stream') ?? false
