// Who sends a request, and a slot for it: at once, or in the queue. Nothing of the request has been read yet.

import { andThen } from '@trivium/http/and-then.ts'
import { type BodyHeaders, bodyHeaders } from '@trivium/http/bodies/read-body.ts'
import { MAX_BUFFERED_BYTES, ONE_PIECE_BYTES } from '@trivium/http/server/incoming/incoming-body.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import { authenticate } from '../access/authenticate.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Admission, Load, Slot } from '../overload/admission.ts'
import { OVERLOADED, rejectPaced } from '../overload/load-shedding.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import type { PaidCallDependencies } from './paid-request.ts'

/**
 * Nothing is awaited if the caller is known and a slot is free: admission control reserves a slot for a request that was queued
 * unread, and it has to be taken in the same turn of the event loop. `check` throws what is rejected without a slot.
 */
export function enter(
  incoming: ApiRequest,
  dialect: DialectId,
  check: (caller: Caller, catalogue: Catalogue) => void,
  deps: PaidCallDependencies,
): Entered | Promise<Entered> {
  return andThen(authenticate(incoming, dialect, deps), (caller) => {
    const catalogue = deps.catalogue()
    check(caller, catalogue)
    const slot = admit(incoming, caller, deps)
    return slot instanceof Promise
      ? slot.then((queued) => ({ caller, catalogue, slot: queued }))
      : { caller, catalogue, slot }
  })
}

type Entered = { caller: Caller; catalogue: Catalogue; slot: Slot }

function admit(incoming: ApiRequest, caller: Caller, { admission }: PaidCallDependencies): Slot | Promise<Slot> {
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
