// Read this first: the journey of a request. Each step returns a value; a step that says no throws a Failure.
//   authenticate -> read -> (claim) -> authorize -> route -> prepare -> reserve -> call -> respond -> settle

import { type BodyError, NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import { type BodyHeaders, bodyHeaders, JSON_BODY, readBody } from '@trivium/http/bodies/read-body.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse, ResponseHeaders } from '@trivium/http/response.ts'
import { MAX_BUFFERED_BYTES, ONE_PIECE_BYTES } from '@trivium/http/server/incoming/incoming-body.ts'
import type { PathParameters, TextDialect } from '@trivium/protocol/dialects/text-dialect.ts'
import { decodeString, fieldNamed, scanObject } from '@trivium/protocol/framing/json/json-scan.ts'
import { authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { Failure } from '../access/failure.ts'
import { checkVersion } from '../access/protocol-version.ts'
import type { RequestRecord } from '../observe/request-log.ts'
import type { Load, Slot } from '../overload/admission.ts'
import { OVERLOADED, rejectPaced } from '../overload/load-shedding.ts'
import { claimKey, confirmClaim, IDEMPOTENCY_KEY, type KeyClaim, releaseClaim } from '../paid-call/claim.ts'
import { cancelOnDisconnect, type Exchange } from '../paid-call/exchange.ts'
import { type Accepted, acceptAfter, acceptedAs, letGo, NONE_TOO_DEAR, plan, rejectPoor, turnedAway } from './accept.ts'
import type { Dependencies } from './dependencies.ts'
import { call, showWarnings } from './responding/call.ts'
import { concludeWhole, readAnswer } from './responding/respond-json.ts'
import { answerStream } from './responding/respond-stream.ts'
import { codec } from './translation/codec.ts'

/** A sender that is silent for this long is not coming back. */
const BODY_IDLE_MS = 30_000

/** What a JSON value takes in memory once it has been parsed and translated, on average. */
const BYTES_PER_VALUE = 128

/** What the route says of a request: whose dialect it is, and what stands in its address. */
export type TextEndpoint = { dialect: TextDialect; addressed?: PathParameters; asArray?: boolean }

/** A request as the app hands it over: its id is made, its headers for every answer are prepared. */
export type IncomingRequest = {
  http: HttpRequest
  id: bigint
  query: string
  headers: ResponseHeaders
  /** For its line in the log. */
  record: RequestRecord
}

export async function journey(
  incoming: IncomingRequest,
  ask: TextEndpoint,
  parts: Dependencies,
): Promise<HttpResponse> {
  const { http, id } = incoming
  const { headers } = http
  const { dialect } = ask
  const { record } = incoming
  const { startedAt } = record
  const asking = authenticate(incoming, dialect.id, parts)
  const caller = asking instanceof Promise ? await asking : asking
  if (dialect.id === 'messages') checkVersion(headers)
  const key = headers.get(IDEMPOTENCY_KEY)
  const refused = turnedAway(caller, undefined, parts)
  if (refused && key === null) throw refused
  const catalogue = parts.catalogue()
  const { server, retention } = catalogue.config
  const { bodyBytes, values } = server.limits
  const { lowFunds } = parts.rateLimitCache
  // A repeated request is not rejected: its answer may have been paid for and kept.
  if (ask.addressed && key === null && lowFunds.knows(caller)) rejectPoor(caller, ask.addressed.model, catalogue, parts)
  const announced = bodyHeaders(headers)
  const load: Load = { tenant: caller, bytes: weightOf(announced), isArriving: http.body.isComplete !== true }
  const place = parts.admission.enter(load) ?? (await placeInTurn(incoming, load, parts))
  let streaming = false
  let claim: KeyClaim | undefined
  try {
    const idleMs = parts.bodyIdleMs ?? BODY_IDLE_MS
    const reading = { limitBytes: bodyBytes, contentTypes: JSON_BODY, idleMs, after: parts.ticker.after, slot: place }
    const arriving = readBody(http, reading, announced)
    // Not awaited when it is there.
    const body = arriving instanceof Promise ? await arriving : arriving
    if (!(body instanceof Uint8Array)) throw failureOf(body)
    if (!place.received(body.length)) throw failureOf(NO_MEMORY)
    if (key === null && lowFunds.knows(caller)) rejectPoor(caller, modelIn(body), catalogue, parts)
    const request = dialect.passThrough.readRequest(body, codec, ask.addressed, values)
    record.model = request.model
    if (!place.weigh(body.length + request.values * BYTES_PER_VALUE)) throw failureOf(NO_MEMORY)
    const said: string[] = []
    if (key !== null) {
      // Also for an answer that was kept: whoever may no longer use the model does not get it.
      authorize(caller, request.model, catalogue)
      const keyed = { incoming, ask, caller, body, retention, warnings: said, refused }
      const claimed = await claimKey(key, keyed, parts)
      if (claimed && 'status' in claimed) {
        record.outcome = 'replayed'
        return claimed
      }
      claim = claimed
    }
    const arrived = { parts, id, headers, dialect, request, body, asArray: ask.asArray === true, said }
    const owner = claim?.claim ?? parts.node.identity()
    const planning = { arrived, catalogue, incoming, owner, caller, tooDear: NONE_TOO_DEAR }
    const routing = plan(planning)
    const planned = routing instanceof Promise ? await routing : routing
    const held = await parts.settler.open(planned.hold)
    const accepted =
      held.outcome === 'open' ? acceptedAs(planned, held.request) : await acceptAfter(held, planned, planning)
    place.paid()
    if (claim) await confirmClaim(claim, accepted.quote, () => letGo(accepted, parts))
    const exchange = open(accepted, incoming, { startedAt, place, claim })
    // Once: whoever is asked next shares the limit for all of it.
    exchange.watch.sent()
    const calling = call(exchange, accepted.outbound)
    if (request.stream) {
      const answer = await answerStream(exchange, calling, parts.streamTiming)
      streaming = true
      return answer
    }
    const answering = readAnswer(exchange, await calling)
    const whole = answering instanceof Promise ? await answering : answering
    await concludeWhole(exchange, whole)
    return { status: 200, headers: exchange.headers, body: whole.body }
  } catch (error) {
    if (claim) await releaseClaim(claim, parts)
    throw error
  } finally {
    if (!streaming) place.release()
  }
}

/**
 * Before its body has been read a request weighs what may have arrived, not what is announced: a small body has its memory from its
 * first byte on, and of any other no more is taken from the connection than this until it is read.
 */
function weightOf({ encoding, length }: BodyHeaders): number {
  const bytes = encoding === null && length !== null ? Number(length) : MAX_BUFFERED_BYTES
  return bytes <= ONE_PIECE_BYTES ? bytes : MAX_BUFFERED_BYTES
}

/** The model that the body names, without parsing all of it; '' where it names none, or is not valid. */
function modelIn(body: Uint8Array): string {
  const scan = scanObject(body, codec)
  const field = scan.ok ? fieldNamed(scan.fields, 'model') : undefined
  return (field?.kind === 'string' ? decodeString(body, field.start, field.end, codec) : undefined) ?? ''
}

/** Only known callers wait, and nothing of theirs has been read: a line costs little. */
function placeInTurn({ http, record }: IncomingRequest, load: Load, { admission }: Dependencies): Promise<Slot> {
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const { code, message, retryAfter } = OVERLOADED
    const refuse = () => reject(new Failure(code, message, { retryAfter }))
    let hasWaited = false
    admission.enqueue(load, http, (place) => {
      record.queuedMs += performance.now() - since
      if (place) return resolve(place)
      record.isShed = true
      // A client that is rejected at once may ask again at once.
      if (!hasWaited) return rejectPaced(admission, { proceed: refuse })
      admission.rejected++
      refuse()
    })
    hasWaited = true
  })
}

type Opened = Pick<Exchange, 'startedAt' | 'place' | 'claim'>

/** The request itself is let go of when an upstream answers: its body is not kept while its answer streams. */
function open(
  { asked, outbound, quote, watch, attempt }: Accepted,
  incoming: IncomingRequest,
  opened: Opened,
): Exchange {
  const { parts, dialect, request } = asked
  const { startedAt, place, claim } = opened
  const { headers, http, record } = incoming
  parts.retryBudget.addRequest()
  showWarnings({ quote, headers })
  const isText = request.images + request.documents + request.audios + quote.wishes.tools.size === 0
  const exchange: Exchange = {
    parts,
    dialect,
    request: { stream: request.stream, plainBytes: isText ? request.textBytes : 0 },
    asked,
    outbound,
    attempt,
    answerer: outbound.answerer,
    upstreamDialect: outbound.dialect,
    quote,
    watch,
    client: http,
    headers,
    record,
    startedAt,
    firstTokenAt: undefined,
    place,
    claim,
  }
  cancelOnDisconnect(exchange)
  return exchange
}

function failureOf({ reason, message, retryAfter }: BodyError): Failure {
  return new Failure(reason, message, retryAfter === undefined ? {} : { retryAfter })
}
