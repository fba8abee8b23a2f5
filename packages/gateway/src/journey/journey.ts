// Read this first: the journey of a request. Each step returns a value; a step that says no throws a Failure.
//   authenticate -> read -> (claim) -> authorize -> route -> prepare -> reserve -> call -> respond -> settle
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { Addressed, TextDialect } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Place } from '../http/admission.ts'
import type { Answer, AnswerHeaders } from '../http/answer.ts'
import { type Announced, announcedBody, JSON_BODY, readBody } from '../http/body.ts'
import type { HttpRequest } from '../http/request.ts'
import { type Accepted, acceptAfter, acceptedAs, letGo, NONE_TOO_DEAR, plan, turnedAway } from './accept.ts'
import { concludeWhole, readAnswer } from './answer-json.ts'
import { answerStream } from './answer-stream.ts'
import { authenticate } from './authenticate.ts'
import { call, showWarnings } from './call.ts'
import { codec } from './codec.ts'
import { type Exchange, letLeave } from './exchange.ts'
import { Failure } from './failure.ts'
import { claimKey, confirmClaim, IDEMPOTENCY_KEY, type KeyClaim, releaseClaim } from './idempotency.ts'
import type { Parts } from './parts.ts'
import { OVERLOADED } from './refuse-early.ts'
import { checkVersion } from './version.ts'

/** A sender that is silent for this long is not coming back. */
const BODY_IDLE_MS = 30_000

/** What the route says of a request: whose dialect it is, and what stands in its address. */
export type Ask = { dialect: TextDialect; addressed?: Addressed; asArray?: boolean }

/** A request as the app hands it over: its id is made, its headers for every answer are prepared. */
export type Incoming = {
  http: HttpRequest
  id: bigint
  query: string
  headers: AnswerHeaders
}

export async function journey(incoming: Incoming, ask: Ask, parts: Parts): Promise<Answer> {
  const { http, id } = incoming
  const { headers } = http
  const { dialect } = ask
  const startedAt = performance.now() - http.waitedMs
  const asking = authenticate(incoming, dialect.id, parts)
  const caller = asking instanceof Promise ? await asking : asking
  if (dialect.id === 'messages') checkVersion(headers)
  const key = headers.get(IDEMPOTENCY_KEY)
  const refused = turnedAway(caller, undefined, parts)
  if (refused && key === null) throw refused
  const catalogue = parts.catalogue()
  const { server, retention } = catalogue.config
  const { bodyBytes, values } = server.limits
  const announced = announcedBody(headers)
  const weight = weightOf(announced, bodyBytes)
  const place = parts.admission.enter(weight) ?? (await placeInTurn(http, weight, parts))
  let streaming = false
  let claim: KeyClaim | undefined
  try {
    const idleMs = parts.bodyIdleMs ?? BODY_IDLE_MS
    const reading = { limitBytes: bodyBytes, contentTypes: JSON_BODY, idleMs, after: parts.ticker.after }
    const arriving = readBody(http, reading, announced)
    // Not awaited when it is there.
    const body = arriving instanceof Promise ? await arriving : arriving
    if (!(body instanceof Uint8Array)) throw failureOf(body)
    place.resize(body.length)
    const request = dialect.passing.readRequest(body, codec, ask.addressed, values)
    const said: string[] = []
    if (key !== null) {
      const keyed = { incoming, ask, caller, body, retention, warnings: said, refused }
      const claimed = await claimKey(key, keyed, parts)
      if (claimed && 'status' in claimed) return claimed
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
    if (claim) await confirmClaim(claim, accepted.quote, () => letGo(accepted, parts))
    const exchange = open(accepted, incoming, { startedAt, place, claim })
    // Once: whoever is asked next shares the limit for all of it.
    exchange.watch.sent()
    const calling = call(exchange, accepted.outbound)
    if (request.stream) {
      const answer = await answerStream(exchange, calling, parts.pace)
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
    if (!streaming) place.leave()
  }
}

/** Until its body has been read, a request that does not say how large it is, or will grow by decoding, weighs the most. */
function weightOf({ encoding, length }: Announced, limit: number): number {
  const bytes = encoding === null && length !== null ? Number(length) : limit
  return bytes >= 0 ? Math.min(limit, bytes) : limit
}

/** Only known callers wait, and nothing of theirs has been read: a line costs little. */
function placeInTurn(http: HttpRequest, weight: number, { admission }: Parts): Promise<Place> {
  return new Promise((resolve, reject) => {
    admission.wait(weight, http, (place) => {
      if (place) return resolve(place)
      admission.refused++
      reject(new Failure(OVERLOADED.code, OVERLOADED.message, { retryAfter: OVERLOADED.retryAfter }))
    })
  })
}

type Opened = Pick<Exchange, 'startedAt' | 'place' | 'claim'>

/** The request itself is let go of when an upstream answers: its body is not kept while its answer streams. */
function open({ asked, outbound, quote, watch, attempt }: Accepted, incoming: Incoming, opened: Opened): Exchange {
  const { parts, dialect, request } = asked
  const { startedAt, place, claim } = opened
  const { headers, http } = incoming
  parts.retries.request()
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
    startedAt,
    firstTokenAt: undefined,
    place,
    claim,
  }
  letLeave(exchange)
  return exchange
}

function failureOf({ code, message, ...more }: ErrorInfo): Failure {
  return new Failure(code, message, more)
}
