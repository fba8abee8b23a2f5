// Requests of a dialect that upstreams of images have, too: one of those gets the bytes of the request, and the client gets its
// reply as it came. All others get a translation.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import type { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { PassThroughRequest } from '@trivium/protocol/dialects/pass-through.ts'
import type { CandidateOf } from '../../catalogue/catalogue.ts'
import type { Failure } from '../../request/failure.ts'
import { dialectFor } from '../../upstreams/endpoint.ts'

export type PassableRequest = ImageRequest & { readonly passing?: Passing }

export type Passing = {
  readonly dialect: ImageDialectId & TextDialectId
  readonly facts: PassThroughRequest
  /** Why upstreams of other dialects cannot serve it; undefined: they can. */
  readonly untranslatable: Failure | RequestError | undefined
  /** Warnings of what those would not get. */
  readonly dropped: readonly string[]
}

/** The candidate gets the bytes of the request. */
export const passes = ({ passing }: PassableRequest, { upstream }: CandidateOf<'image'>): boolean =>
  passing !== undefined && dialectFor(upstream, 'image') === passing.dialect
