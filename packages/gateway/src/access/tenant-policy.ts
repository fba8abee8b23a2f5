// One vendor account serves many callers. Of requests whose bytes are passed on: objects that a vendor stores are rejected, since
// they may be another tenant's, and what has no price is removed, or rejected where the request demands it.

import type { PassThroughEdits, PassThroughRequest, PricedField } from '@trivium/protocol/dialects/pass-through.ts'
import { INSTEAD } from '@trivium/protocol/dialects/responses/request/stored-state.ts'
import { Failure } from '../request/failure.ts'
import { foreignObjectError } from './urls/url-policy.ts'

/** A reference to an item, in the responses dialect. */
const REFERENCE = /^input\[\d+\]\.id$/

/** With its id, any caller could use another tenant's object: the vendor sees a single customer. */
export function rejectObjects({ objects }: Pick<PassThroughRequest, 'objects'>, shared: boolean): void {
  const first = objects[0]
  if (first === undefined || shared) return
  if (first === 'previous_response_id') {
    const message = "The previous response was not found. Send the conversation's items as input instead."
    throw new Failure('previous_response_not_found', message, { param: first })
  }
  if (REFERENCE.test(first)) {
    const message = `${first} refers to an item that was not found among your stored responses. Send the item itself; many clients do so when their option 'store' is false.`
    throw new Failure('unsupported_parameter', message, { param: first })
  }
  const instead = INSTEAD[first.replace(/\.id$/, '')]
  if (instead !== undefined) throw new Failure('unsupported_parameter', instead, { param: first })
  throw foreignObjectError(first)
}

/** `isPriced` says of a field that is not allowed why it is not. Throws Failure for what the request demands. */
export function removeUnpriced(
  fields: readonly PricedField[],
  isAllowed: (field: PricedField) => boolean,
  isPriced: (field: PricedField) => boolean,
): { edits: readonly PassThroughEdits[]; unpriced: readonly string[] } {
  const unpriced = fields.filter((each) => !isAllowed(each))
  const forced = unpriced.find(({ remove }) => remove === undefined)
  if (forced) {
    const why = isPriced(forced) ? 'is not available in another protocol than its own' : 'has no price here'
    const message =
      INSTEAD[forced.field] ?? `${forced.field} requests '${forced.word}', which ${why}. Remove the field.`
    throw new Failure('unsupported_parameter', message, { param: forced.field })
  }
  return {
    edits: unpriced.flatMap(({ remove }) => (remove ? [remove] : [])),
    unpriced: unpriced.map(({ field }) => field),
  }
}
