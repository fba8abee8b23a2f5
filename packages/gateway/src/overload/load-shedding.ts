// Load shedding: rejects requests when the queue is full. A rejection must be far cheaper than serving the request, so it is
// prepared once per protocol and sent before key lookup, body and store.

import { PreparedResponse, REQUEST_ID_PLACEHOLDER } from '@trivium/http/prepared-response.ts'
import { fixedHeaders, type HttpResponse } from '@trivium/http/response.ts'
import type { SecurityHeaders } from '@trivium/http/security-headers.ts'
import type { AdmissionGate } from '@trivium/http/server/admission-gate.ts'
import { createNextIterationQueue, createPacedQueue, type PacedItem } from '@trivium/http/server/paced-queue.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { sheddableDialect } from '@trivium/protocol/match-route.ts'
import { formatRequestId } from '../request/ids.ts'
import type { Admission } from './admission.ts'

export const OVERLOADED = {
  code: 'service_unavailable',
  message: 'The gateway is overloaded. Retry in 1 second.',
  retryAfter: 1,
} satisfies ErrorInfo

/** While the CPU is saturated, requests are queued or rejected by their path alone. */
export function createAdmissionGate({
  admission,
  catalogue,
  ids,
}: {
  admission: Admission
  catalogue(): { headers: SecurityHeaders }
  ids: { next(): bigint }
}): AdmissionGate {
  return {
    get isActive() {
      return admission.isGateActive
    },
    submit(path, bytes, request) {
      const dialect = sheddableDialect(path)
      if (!dialect) return undefined
      const isQueued = admission.enqueueUnread(bytes, request, (queuedMs) => {
        if (request.isDisconnected) return
        if (queuedMs !== undefined) return request.admit(queuedMs)
        admission.rejected++
        request.reject(preparedFor(dialect, catalogue().headers))
      })
      if (isQueued) return 'queued'
      rejectPaced(admission, request)
      return preparedFor(dialect, catalogue().headers)
    },
    nextRequestId: () => formatRequestId(ids.next()),
  }
}

/** Rejects a request whose head has been parsed. undefined: the path is exempt from load shedding. */
export function rejectEarly(
  method: string,
  path: string,
  requestId: string,
  secure: SecurityHeaders,
  admission: Admission,
): Promise<HttpResponse> | undefined {
  const dialect = method === 'POST' ? sheddableDialect(path) : undefined
  if (!dialect) return undefined
  return new Promise((resolve) => {
    rejectPaced(admission, { proceed: () => resolve(preparedFor(dialect, secure).response(requestId)) })
  })
}

/** Counts a rejection, and delays it so that clients cannot retry at once. */
export function rejectPaced(admission: Admission, request: PacedItem): void {
  admission.rejected++
  if (admission.isSaturated) rejectSlowly(request)
  else rejectSoon(request)
}

/**
 * A client that is rejected at once may retry at once. A thousand of them would occupy the event loop for a second or more:
 * no timeouts, no results from the store, no responses to requests that are served. A rejection in the next iteration
 * limits each client to one request per iteration.
 */
const rejectSoon = createNextIterationQueue()

/**
 * While the CPU is saturated, that is still too often: a few thousand clients that retry at once take more than half of it.
 * A rejection costs about 10 us, so this rate takes about 2 %. The delay is at most the
 * `retry-after` of the rejection.
 */
const rejectSlowly = createPacedQueue({ perSecond: 2_000, maxDelayMs: OVERLOADED.retryAfter * 1_000 })

const prepared = new WeakMap<SecurityHeaders, Partial<Record<DialectId, PreparedResponse>>>()

function preparedFor(dialect: DialectId, secure: SecurityHeaders): PreparedResponse {
  let known = prepared.get(secure)
  if (!known) {
    known = {}
    prepared.set(secure, known)
  }
  known[dialect] ??= prepare(dialect, secure)
  return known[dialect]
}

function prepare(dialect: DialectId, secure: SecurityHeaders): PreparedResponse {
  const { status, headers, body } = DIALECTS[dialect].encodeError(OVERLOADED, REQUEST_ID_PLACEHOLDER)
  const own = Object.entries(headers).filter(([, value]) => value !== REQUEST_ID_PLACEHOLDER)
  const fixed = fixedHeaders({ ...secure.authenticated.set, ...Object.fromEntries(own) })
  return new PreparedResponse({ status, fixed, body: JSON.stringify(body) })
}
