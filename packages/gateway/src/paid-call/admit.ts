// Who sends a request, and a slot for it: at once, or in the queue. Nothing of the request has been read yet.

import { andThen } from '@trivium/http/and-then.ts'
import { type BodyHeaders, bodyHeaders } from '@trivium/http/bodies/read-body.ts'
import { MAX_BUFFERED_BYTES, ONE_PIECE_BYTES } from '@trivium/http/server/incoming/incoming-body.ts'
import { authenticate } from '../access/authenticate.ts'
import type { Admission, Load, Slot } from '../overload/admission.ts'
import { OVERLOADED, rejectPaced } from '../overload/load-shedding.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import type { Journey } from './journey.ts'
import type { Kind, PaidCallDependencies, PaidRequest } from './paid-request.ts'
import { recentRateLimit } from './rate-limit-errors.ts'

/**
 * Nothing is awaited if the caller is known and a slot is free: admission control reserves a slot for a request that was queued
 * unread, and it has to be taken in the same turn of the event loop. Throws what is rejected without a slot.
 */
export function enter<K extends Kind, D extends PaidCallDependencies>(
  journey: Journey<K, D>,
  request: PaidRequest<K>,
  deps: D,
): Slot | Promise<Slot> {
  const { incoming, endpoint } = request
  return andThen(authenticate(incoming, journey.dialectOf(endpoint), deps), (caller) => {
    request.caller = caller
    request.catalogue = deps.catalogue()
    request.rateLimited = recentRateLimit(caller, undefined, deps)
    // A stored response is served all the same.
    if (request.rateLimited && request.idempotencyKey === null) throw request.rateLimited
    journey.check?.(request, deps)
    return admit(incoming, caller, deps)
  })
}

export function admit(
  incoming: ApiRequest,
  caller: Caller,
  { admission }: Pick<PaidCallDependencies, 'admission'>,
): Slot | Promise<Slot> {
  const { body, headers } = incoming.http
  const bytes = weightOf(bodyHeaders(headers))
  const load: Load = { tenant: caller, bytes, isArriving: body.isComplete !== true }
  return admission.enter(load) ?? queued(incoming, load, admission)
}

/**
 * Before its body has been read a request weighs what may have arrived, not what is announced: a small body is in memory from
 * its first byte on, and of any other no more than this is taken from the connection until it is read.
 */
function weightOf({ encoding, length }: BodyHeaders): number {
  const bytes = encoding === null && length !== null ? Number(length) : MAX_BUFFERED_BYTES
  return bytes <= ONE_PIECE_BYTES ? bytes : MAX_BUFFERED_BYTES
}

function queued({ http, record }: ApiRequest, load: Load, admission: Admission): Promise<Slot> {
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const { code, message, retryAfter } = OVERLOADED
    const rejectNow = () => reject(new Failure(code, message, { retryAfter }))
    let hasWaited = false
    admission.enqueue(load, http, (slot) => {
      record.queuedMs += performance.now() - since
      if (slot) return resolve(slot)
      record.isShed = true
      // A client that is rejected at once may retry at once.
      if (!hasWaited) return rejectPaced(admission, { proceed: rejectNow })
      admission.rejected++
      rejectNow()
    })
    hasWaited = true
  })
}
