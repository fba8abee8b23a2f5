// The answer for those who come when nobody can even wait any longer. It has to be far cheaper than serving them, or it
// would be one more thing that keeps the gateway from its work: made once for each protocol, before key, body and store.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { type Answer, AnswerHeaders, type FixedHeaders, fixedHeaders } from '../http/answer.ts'
import { createPace } from '../http/pace.ts'
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

/** undefined: not a call of a model. `isBehind`: the processor cannot follow. */
export function refuseEarly(
  method: string,
  path: string,
  requestId: string,
  secure: SecurityHeaders,
  isBehind: boolean,
): Promise<Answer> | undefined {
  if (method !== 'POST') return undefined
  const dialect = CALLS.get(path) ?? (path.startsWith(GENERATE_CONTENT) ? 'generate-content' : undefined)
  return dialect && (isBehind ? inTurn() : inNextTurn()).then(() => refusal(dialect, requestId, secure))
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

/**
 * Where the processor cannot follow, that is still too often: a few thousand clients that ask again at once take more than
 * half of it, and the faster they are refused the less is done for those who are served. A refusal costs 10 to 20 us: so
 * many take about a twelfth. The others hold still for as long as they would have been told to stay away.
 */
const inTurn = createPace({ perSecond: 5_000, longestMs: OVERLOADED.retryAfter * 1_000 })

function refusal(dialect: DialectId, requestId: string, secure: SecurityHeaders): Answer {
  const { status, fixed, body, idAt } = preparedFor(dialect, secure)
  return {
    status,
    headers: new AnswerHeaders(fixed, requestId),
    body: idAt === -1 ? body : withId(body, idAt, requestId),
  }
}

function withId(prepared: Uint8Array, at: number, requestId: string): Uint8Array {
  const body = Buffer.from(prepared)
  body.write(requestId, at, 'latin1')
  return body
}

/** `idAt`: where the id of the request goes in the body, -1 if nowhere. */
type Prepared = { status: number; fixed: FixedHeaders; body: Uint8Array; idAt: number }

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
  const body = Buffer.from(JSON.stringify(rendered.body))
  const own = Object.entries(rendered.headers).filter(([, value]) => value !== ID)
  const fixed = fixedHeaders({ ...secure.authenticated.set, ...Object.fromEntries(own) })
  return { status: rendered.status, fixed, body, idAt: body.indexOf(ID) }
}
