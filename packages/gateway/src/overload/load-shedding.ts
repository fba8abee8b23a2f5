// The answer for those who come when nobody can even wait any longer. It has to be far cheaper than serving them, or it
// would be one more thing that keeps the gateway from its work: made once for each protocol, before key, body and store.

import { ID, PreparedAnswer } from '@trivium/http/prepared-response.ts'
import { type Answer, fixedHeaders } from '@trivium/http/response.ts'
import type { SecurityHeaders } from '@trivium/http/security-headers.ts'
import type { Door } from '@trivium/http/server/gate.ts'
import { createNextTurn, createPace, type Waiter } from '@trivium/http/server/paced-queue.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId, isVendorCall } from '@trivium/protocol/dialects/index.ts'
import { formatRequestId } from '../access/ids.ts'
import type { Dependencies } from '../text/dependencies.ts'
import type { Admission } from './admission.ts'

export const OVERLOADED = {
  code: 'unavailable',
  message: 'The gateway has as much to do as it can take. Try again shortly.',
  retryAfter: 1,
} satisfies ErrorInfo

/** What takes long and costs money. Everything else is answered as ever: health, lists, usage, the console. */
const CALLS: ReadonlyMap<string, DialectId> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/messages', 'messages'],
])
const GENERATE_CONTENT = '/v1beta/models/'

/** undefined: not a path at which models are called. */
const dialectAt = (path: string): DialectId | undefined =>
  CALLS.get(path) ?? (path.startsWith(GENERATE_CONTENT) || isVendorCall(path) ? 'generate-content' : undefined)

/** Where the processor cannot follow most wait here, or are turned away, with nothing known of them but their path. */
export function createDoor({ admission, catalogue, ids }: Pick<Dependencies, 'admission' | 'catalogue' | 'ids'>): Door {
  return {
    get isCrowded() {
      return admission.isCrowded
    },
    meet(path, bytes, who) {
      const dialect = dialectAt(path)
      if (!dialect) return undefined
      const waits = admission.waitAtDoor(bytes, who, (waitedMs) => {
        if (who.isGone) return
        if (waitedMs !== undefined) return who.comeIn(waitedMs)
        admission.refused++
        who.sendHome(preparedFor(dialect, catalogue().headers))
      })
      if (waits) return 'waits'
      rejectInTurn(admission, who)
      return preparedFor(dialect, catalogue().headers)
    },
    nextId: () => formatRequestId(ids.next()),
  }
}

/** The others are known to be requests, and nothing more. undefined: not a call of a model. */
export function refuseEarly(
  method: string,
  path: string,
  requestId: string,
  secure: SecurityHeaders,
  admission: Admission,
): Promise<Answer> | undefined {
  const dialect = method === 'POST' ? dialectAt(path) : undefined
  if (!dialect) return undefined
  return new Promise((resolve) => {
    rejectInTurn(admission, { itIsTime: () => resolve(preparedFor(dialect, secure).answer(requestId)) })
  })
}

/** `who` is told of it when it is time. */
export function rejectInTurn(admission: Admission, who: Waiter): void {
  admission.refused++
  if (admission.isBehind) inTurn(who)
  else inNextTurn(who)
}

/**
 * A client that is answered at once may ask again at once. With a thousand of them the event loop, which looks for more
 * before it goes on, would see nothing else for a second or more: no time-outs, no word from the store, no answer to those
 * who are served. Answered in the next turn, each of them can ask once in a turn.
 */
const inNextTurn = createNextTurn()

/**
 * Where the processor cannot follow, that is still too often: a few thousand clients that ask again at once take more than
 * half of it, and the faster they are refused the less is done for those who are served. A refusal costs about 10 us: so
 * many take about a fiftieth. The others hold still for as long as they would have been told to stay away.
 */
const inTurn = createPace({ perSecond: 2_000, longestMs: OVERLOADED.retryAfter * 1_000 })

const prepared = new WeakMap<SecurityHeaders, Partial<Record<DialectId, PreparedAnswer>>>()

function preparedFor(dialect: DialectId, secure: SecurityHeaders): PreparedAnswer {
  let known = prepared.get(secure)
  if (!known) {
    known = {}
    prepared.set(secure, known)
  }
  known[dialect] ??= prepare(dialect, secure)
  return known[dialect]
}

function prepare(dialect: DialectId, secure: SecurityHeaders): PreparedAnswer {
  const { status, headers, body } = DIALECTS[dialect].encodeError(OVERLOADED, ID)
  const own = Object.entries(headers).filter(([, value]) => value !== ID)
  const fixed = fixedHeaders({ ...secure.authenticated.set, ...Object.fromEntries(own) })
  return new PreparedAnswer({ status, fixed, body: JSON.stringify(body) })
}
