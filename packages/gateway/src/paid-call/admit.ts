// A slot for a request whose caller is known, and of which nothing has been read yet: at once, or in the queue.

import { type BodyHeaders, bodyHeaders } from '@trivium/http/bodies/read-body.ts'
import { MAX_BUFFERED_BYTES, ONE_PIECE_BYTES } from '@trivium/http/server/incoming/incoming-body.ts'
import type { Admission, Load, Slot } from '../overload/admission.ts'
import { OVERLOADED, rejectPaced } from '../overload/load-shedding.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

export type AdmitDependencies = { admission: Admission }

/** Not async: a request that is admitted from the queue before its caller is known has to enter in the same turn of the event loop. */
export function admit(incoming: ApiRequest, caller: Caller, deps: AdmitDependencies): Slot | Promise<Slot> {
  const { body, headers } = incoming.http
  const bytes = weightOf(bodyHeaders(headers))
  const load: Load = { tenant: caller, bytes, isArriving: body.isComplete !== true }
  return deps.admission.enter(load) ?? queued(incoming, load, deps)
}

/**
 * Before its body has been read a request weighs what may have arrived, not what is announced: a small body is in memory from
 * its first byte on, and of any other no more than this is taken from the connection until it is read.
 */
function weightOf({ encoding, length }: BodyHeaders): number {
  const bytes = encoding === null && length !== null ? Number(length) : MAX_BUFFERED_BYTES
  return bytes <= ONE_PIECE_BYTES ? bytes : MAX_BUFFERED_BYTES
}

function queued({ http, record }: ApiRequest, load: Load, { admission }: AdmitDependencies): Promise<Slot> {
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
