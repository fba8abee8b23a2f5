// What reading a request for images needs and gives, whatever form the request has.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import type { Catalogue, OfferOf } from '../../catalogue/catalogue.ts'
import type { CheckFunds } from '../../media/check-funds.ts'
import type { Slot } from '../../overload/admission.ts'
import type { Caller } from '../../storage/storage.ts'
import type { PassableRequest } from '../passing/passable.ts'

export type ReadContext = {
  caller: Caller
  slot: Slot
  catalogue: Catalogue
  /** The caller's offer of a model. Throws Failure if the caller may not use it. */
  offerOf(model: ImageRequest['model']): OfferOf<'image'>
  /** Before a body is read that takes more than memory. */
  checkFunds: CheckFunds<'image'>
  /** The request has an idempotency key. */
  isRepeatable: boolean
  /** What of the request is dropped or changed. */
  warnings: string[]
}

export type ReadRequest = Readonly<{
  request: PassableRequest
  /** The same for the same request: of the body, or of all parts of the form. */
  fingerprint: Uint8Array
  /** Deletes uploaded files. */
  close(): Promise<void>
}>
