// The answer for those who come when nobody can even wait any longer. It has to be far cheaper than serving them, or it
// would be one more thing that keeps the gateway from its work: made once for each protocol, before key, body and store.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { SecurityHeaders } from '../http/security-headers.ts'

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

/** undefined: not a call of a model. */
export function refuseEarly(
  method: string,
  path: string,
  requestId: string,
  secure: SecurityHeaders,
): Promise<Response> | undefined {
  if (method !== 'POST') return undefined
  const dialect = CALLS.get(path) ?? (path.startsWith(GENERATE_CONTENT) ? 'generate-content' : undefined)
  return dialect && inNextTurn().then(() => refusal(dialect, requestId, secure))
}

let nextTurn: Promise<void> | undefined

/**
 * A client that is answered at once may ask again at once. With a thousand of them the event loop, which looks for more
 * before it goes on, would see nothing else for a second or more: no time-outs, no word from the store, no answer to those
 * who are served. Answered in the next turn, each of them can ask once in a turn.
 */
function inNextTurn(): Promise<void> {
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      nextTurn = undefined
      resolve()
    })
  })
  return nextTurn
}

function refusal(dialect: DialectId, requestId: string, secure: SecurityHeaders): Response {
  const { status, headers, before, after } = preparedFor(dialect, secure)
  // The answer takes a copy of them: one object serves all.
  headers.set('x-request-id', requestId)
  headers.set('request-id', requestId)
  const body = after === undefined ? before : before + requestId + after
  return new Response(body, { status, headers })
}

type Prepared = { status: number; headers: Headers; before: string; after: string | undefined }

const prepared = new WeakMap<SecurityHeaders, Partial<Record<DialectId, Prepared>>>()

function preparedFor(dialect: DialectId, secure: SecurityHeaders): Prepared {
  let known = prepared.get(secure)
  if (!known) {
    known = {}
    prepared.set(secure, known)
  }
  known[dialect] ??= prepare(dialect, secure)
  return known[dialect]
}

/** Stands for the id of the request where a protocol has it in the body. */
const ID = 'req_0000000000000000'

function prepare(dialect: DialectId, secure: SecurityHeaders): Prepared {
  const rendered = DIALECTS[dialect].encodeError(OVERLOADED, ID)
  const [before = '', after] = JSON.stringify(rendered.body).split(ID)
  const headers = new Headers(secure.template)
  for (const [name, value] of Object.entries(rendered.headers)) headers.set(name, value)
  return { status: rendered.status, headers, before, after }
}
