// Read this first: the journey of a request. Each step returns a value; a step that says no throws a Failure.
//   authenticate -> read -> (claim) -> authorize -> route -> prepare -> reserve -> call -> respond -> settle
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Addressed, TextDialect } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Place } from '../http/admission.ts'
import { JSON_BODY, readBody } from '../http/body.ts'
import { holdRate, toolsBound } from '../money/hold.ts'
import type { Identity } from '../storage/node.ts'
import type { Caller } from '../storage/storage.ts'
import { answerJson } from './answer-json.ts'
import { answerStream } from './answer-stream.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { call, showWarnings } from './call.ts'
import type { Catalogue } from './catalogue.ts'
import { Client } from './client.ts'
import { codec } from './codec.ts'
import { DRAIN_MS, type Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import { claimKey, confirmClaim, IDEMPOTENCY_KEY, type KeyClaim, releaseClaim } from './idempotency.ts'
import { rateLimited, tokenLimitOf } from './limit-refusals.ts'
import type { Peer } from './origin.ts'
import { type Asked, dialectOf, type Outbound } from './outbound.ts'
import type { Parts } from './parts.ts'
import { passThrough } from './pass-through.ts'
import { refusalOf } from './refusal.ts'
import {
  amountsOf,
  boundsOf,
  coveredOutput,
  lesser,
  loweredCap,
  outputWithin,
  type Quote,
  tokensOf,
  unavailable,
} from './reserve.ts'
import { route } from './route.ts'
import { hasOthersThoughts } from './seals.ts'
import { translate } from './translate.ts'
import { checkVersion } from './version.ts'
import type { Watch } from './watch.ts'

/** A sender that is silent for this long is not coming back. */
const BODY_IDLE_MS = 30_000

/** What the route says of a request: whose dialect it is, and what stands in its address. */
export type Ask = { dialect: TextDialect; addressed?: Addressed; asArray?: boolean }

/** A request as the app hands it over: its id is made, its headers for every answer are prepared. */
export type Incoming = {
  http: Request
  id: bigint
  query: string
  headers: Headers
  connection: Connection
}

export type Connection = Peer & {
  /** For a call that takes its time: the limits of the journey hold, not the connection's. */
  keepOpen(): void
}

export async function journey(incoming: Incoming, ask: Ask, parts: Parts): Promise<Response> {
  const { http } = incoming
  const { dialect } = ask
  const startedAt = performance.now()
  const caller = await authenticate(incoming, dialect.id, parts)
  if (dialect.id === 'messages') checkVersion(http.headers)
  turnAway(caller, undefined, parts)
  const catalogue = parts.catalogue()
  const { server, retention } = catalogue.config
  const { bodyBytes } = server.limits
  const place = admit(http, bodyBytes, parts)
  let streaming = false
  let claim: KeyClaim | undefined
  try {
    const body = must(
      await readBody(http, {
        limitBytes: bodyBytes,
        contentTypes: JSON_BODY,
        idleMs: parts.bodyIdleMs ?? BODY_IDLE_MS,
        after: parts.ticker.after,
      }),
    )
    place.resize(body.length)
    const request = dialect.passing.readRequest(body, codec, ask.addressed)
    const warnings: string[] = []
    const key = http.headers.get(IDEMPOTENCY_KEY)
    if (key !== null) {
      const claimed = await claimKey(key, { incoming, ask, caller, body, retention, warnings }, parts)
      if (claimed instanceof Response) return claimed
      claim = claimed
    }
    const arrived = {
      parts,
      id: incoming.id,
      headers: http.headers,
      dialect,
      request,
      body,
      asArray: ask.asArray === true,
      warnings,
    }
    const owner = claim?.claim ?? parts.node.identity()
    const { asked, outbound, quote, watch } = await accept(arrived, caller, catalogue, incoming, owner)
    if (claim) await confirmClaim(claim, quote, watch)
    const exchange = open(asked, outbound, incoming, { quote, watch, startedAt, place, claim })
    const calling = call(exchange, outbound)
    if (!request.stream) return await answerJson(exchange, await calling)
    const answer = await answerStream(exchange, calling, parts.pace)
    streaming = true
    return answer
  } catch (error) {
    if (claim) await releaseClaim(claim, parts)
    throw error
  } finally {
    if (!streaming) place.leave()
  }
}

/** The same dialect on both sides, and nothing in it that is another upstream's: then the bytes pass through. */
function prepare(asked: Asked): Outbound {
  const upstream = dialectOf(asked.candidate, asked.dialect.id)
  const passes = upstream === asked.dialect.id && !hasOthersThoughts(asked.body, upstream)
  if (passes) return passThrough(asked)
  return translate(asked, TEXT_DIALECTS[upstream])
}

/** Until its body has been read, a request that does not say how large it is, or will grow by decoding, weighs the most. */
function admit(http: Request, limit: number, parts: Parts): Place {
  const announced = http.headers.has('content-encoding') ? limit : Number(http.headers.get('content-length') ?? limit)
  const place = parts.admission.enter(announced >= 0 ? Math.min(limit, announced) : limit)
  if (place) return place
  const message = 'The gateway has as much to do as it can take. Try again shortly.'
  throw new Failure('unavailable', message, { retryAfter: 1 })
}

type Arrived = Omit<Asked, 'caller' | 'offer' | 'candidate'>
type Accepted = { asked: Asked; outbound: Outbound; quote: Quote; watch: Watch }

/** So often in a row a key changes between being looked up and being used only if somebody means harm. */
const MOST_CHANGES = 3

/** A key that has changed since it was looked up is looked up anew: what it may do, and at which price, is decided again. */
async function accept(
  arrived: Arrived,
  first: Caller,
  catalogue: Catalogue,
  incoming: Incoming,
  owner: Identity,
): Promise<Accepted> {
  const { parts, request, dialect } = arrived
  let caller = first
  for (let changes = 0; changes < MOST_CHANGES; changes++) {
    const offer = authorize(caller, request.model, catalogue)
    const candidate = route(offer, parts.random, parts.watches.isFull)
    const asked: Asked = { ...arrived, caller, offer, candidate, warnings: [...arrived.warnings] }
    const outbound = prepare(asked)
    const held = await placeHold(asked, outbound, owner)
    if (held) return { asked, outbound, ...held }
    caller = await authenticate(incoming, dialect.id, parts, caller)
  }
  throw unavailable()
}

/** Throws for a caller who was refused a moment ago and would be again. `tokens`: the least that the request needs. */
function turnAway(caller: Caller, tokens: number | undefined, { turnedAway, clock }: Parts): void {
  const refusal = turnedAway.find(caller, tokens)
  if (refusal) throw rateLimited(caller, refusal, tokens ?? 0, clock())
}

type Held = Pick<Accepted, 'quote' | 'watch'>

/** undefined: the key is not what the caller's record says any more. */
async function placeHold(asked: Asked, outbound: Outbound, owner: Identity): Promise<Held | undefined> {
  const { id, caller, request, offer, candidate, parts, warnings } = asked
  const { model } = offer
  const statistics = parts.learned.of(model.id)
  const sizing = outbound.maxOutput === undefined ? request : { ...request, maxOutput: outbound.maxOutput }
  const bounds = boundsOf(sizing, model.limits.maxOutput, statistics)
  const { wishes } = outbound
  const rate = holdRate(offer.rate, bounds.input, wishes)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, rate, toolsBound(offer.rate, wishes))
  const expectedInput = Math.ceil(request.textBytes * statistics.inputTokensPerByte)
  const { tokens, minimumTokens } = tokensOf(bounds, request.choices, expectedInput)
  turnAway(caller, minimumTokens, parts)
  if (!parts.node.mayDispatch()) throw unavailable()
  const watch = parts.watches.start(candidate.upstream)
  const { slot, epoch } = owner
  const opened = await parts.settler.open({
    verb: 'hold',
    id,
    slot,
    epoch,
    account: caller.account,
    key: caller.key,
    revision: caller.revision,
    extensible: request.stream,
    amount,
    minimum,
    tokens,
    minimumTokens,
    model: model.id,
    upstream: candidate.upstream.id,
  })
  if (opened.outcome !== 'open') {
    watch.stop()
    if (opened.outcome === 'key_changed') return undefined
    throw await refusalOf(opened, { caller, minimum, minimumTokens }, parts)
  }
  const held = opened.request.granted
  const tokenLimit = tokenLimitOf(caller)
  const byMoney = coveredOutput(held, input, rate)
  const granted = opened.request.grantedTokens
  const covered = lesser(byMoney, tokenLimit && outputWithin(granted, bounds, request.choices))
  const lowered = loweredCap(bounds, request, covered)
  const quote: Quote = {
    id,
    caller,
    open: opened.request,
    offer,
    candidate,
    rate: offer.rate,
    holdRate: rate,
    wishes,
    held,
    outputCap: bounds.outputCap,
    expectedInput,
    coveredOutput: covered,
    tokenLimit,
    loweredCap: lowered,
    warnings,
  }
  const lowering = covered === byMoney ? 'balance' : 'limit'
  if (lowered !== undefined) quote.warnings.push(`${request.capField};lowered-to-${lowering}`)
  return { quote, watch }
}

type Opened = Pick<Exchange, 'quote' | 'watch' | 'startedAt' | 'place' | 'claim'>

/** Only what is needed to the end: the body of a request is not kept while its answer streams. */
function open({ parts, dialect, request }: Asked, outbound: Outbound, incoming: Incoming, opened: Opened): Exchange {
  const { quote, watch, startedAt, place, claim } = opened
  const { headers } = incoming
  showWarnings({ quote, headers })
  const client = new Client(incoming.http)
  // Before the upstream's headers leaving is free: the call is cancelled. Not for those who do it all the time.
  client.onGone = () => {
    if (parts.aborts.mustDrain(quote.caller.account)) watch.within(DRAIN_MS, 'client_gone')
    else watch.abort('client_gone')
  }
  watch.onFirstTick = () => {
    client.look()
    incoming.connection.keepOpen()
  }
  return {
    parts,
    dialect,
    request: { stream: request.stream, textBytes: request.textBytes },
    answerer: outbound.answerer,
    upstreamDialect: outbound.dialect,
    quote,
    watch,
    client,
    headers,
    startedAt,
    firstTokenAt: undefined,
    place,
    claim,
  }
}

/** Parsers answer with a value or with what is wrong; from here on what is wrong is thrown. */
function must<T extends object>(value: T | ErrorInfo): T {
  if ('code' in value && 'message' in value) {
    const { code, message, ...more } = value
    throw new Failure(code, message, more)
  }
  return value
}
