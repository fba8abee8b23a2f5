// The answer for those who come when nobody can even wait any longer. It has to be far cheaper than serving them, or it
// would be one more thing that keeps the gateway from its work: made once for each protocol, before key, body and store.

import { PreparedResponse, REQUEST_ID_PLACEHOLDER } from '@trivium/http/prepared-response.ts'
import { fixedHeaders, type HttpResponse } from '@trivium/http/response.ts'
import type { SecurityHeaders } from '@trivium/http/security-headers.ts'
import type { AdmissionGate } from '@trivium/http/server/admission-gate.ts'
import { createNextIterationQueue, createPacedQueue, type PacedItem } from '@trivium/http/server/paced-queue.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { sheddableDialect } from '@trivium/protocol/match-route.ts'
import type { Catalogue } from '../access/catalogue.ts'
import { formatRequestId, type Ids } from '../access/ids.ts'
import type { Admission } from './admission.ts'

export const OVERLOADED = {
  code: 'unavailable',
  message: 'The gateway has as much to do as it can take. Try again shortly.',
  retryAfter: 1,
} satisfies ErrorInfo

type GateDependencies = { admission: Admission; catalogue(): Pick<Catalogue, 'headers'>; ids: Ids }

/** Where the processor cannot follow most wait here, or are turned away, with nothing known of them but their path. */
export function createAdmissionGate({ admission, catalogue, ids }: GateDependencies): AdmissionGate {
  return {
    get isActive() {
      return admission.isGateActive
    },
    submit(path, bytes, who) {
      const dialect = sheddableDialect(path)
      if (!dialect) return undefined
      const waits = admission.enqueueUnread(bytes, who, (queuedMs) => {
        if (who.isDisconnected) return
        if (queuedMs !== undefined) return who.admit(queuedMs)
        admission.rejected++
        who.reject(preparedFor(dialect, catalogue().headers))
      })
      if (waits) return 'queued'
      rejectPaced(admission, who)
      return preparedFor(dialect, catalogue().headers)
    },
    nextRequestId: () => formatRequestId(ids.next()),
  }
}

/** The others are known to be requests, and nothing more. undefined: not a call of a model. */
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

/** `who` is told of it when it is time. */
export function rejectPaced(admission: Admission, who: PacedItem): void {
  admission.rejected++
  if (admission.isSaturated) inTurn(who)
  else inNextTurn(who)
}

/**
 * A client that is answered at once may ask again at once. With a thousand of them the event loop, which looks for more
 * before it goes on, would see nothing else for a second or more: no time-outs, no word from the store, no answer to those
 * who are served. Answered in the next turn, each of them can ask once in a turn.
 */
const inNextTurn = createNextIterationQueue()

/**
 * Where the processor cannot follow, that is still too often: a few thousand clients that ask again at once take more than
 * half of it, and the faster they are refused the less is done for those who are served. A refusal costs about 10 us: so
 * many take about a fiftieth. The others hold still for as long as they would have been told to stay away.
 */
const inTurn = createPacedQueue({ perSecond: 2_000, maxDelayMs: OVERLOADED.retryAfter * 1_000 })

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
