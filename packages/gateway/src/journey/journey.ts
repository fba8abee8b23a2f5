// Read this first: the journey of a request. Each step returns a value; a step that says no throws a Failure.
//   authenticate -> read -> authorize -> route -> prepare -> reserve -> call -> respond -> settle
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Addressed, TextDialect } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Place } from '../http/admission.ts'
import { JSON_BODY, readBody } from '../http/body.ts'
import { answerJson } from './answer-json.ts'
import { answerStream } from './answer-stream.ts'
import { secretOf } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { call, showWarnings } from './call.ts'
import { Client } from './client.ts'
import { codec } from './codec.ts'
import { DRAIN_MS, type Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import { type Asked, dialectOf, type Outbound } from './outbound.ts'
import type { Parts } from './parts.ts'
import { passThrough } from './pass-through.ts'
import { amountsOf, boundsOf, coveredOutput, loweredCap, type Quote, refusalOf, unavailable } from './reserve.ts'
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
  /** For a call that takes its time: the limits of the journey hold, not the connection's. */
  keepOpen(): void
}

export async function journey(incoming: Incoming, ask: Ask, parts: Parts): Promise<Response> {
  const { http } = incoming
  const { dialect } = ask
  const startedAt = performance.now()
  const caller = await parts.callers.find(secretOf(http.headers, incoming.query, dialect.id))
  if (dialect.id === 'messages') checkVersion(http.headers)
  const catalogue = parts.catalogue()
  const { bodyBytes } = catalogue.config.server.limits
  const place = admit(http, bodyBytes, parts)
  let streaming = false
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
    const offer = authorize(caller, request.model, catalogue)
    const candidate = route(offer, parts.random, parts.watches.isFull)
    const asked: Asked = {
      parts,
      id: incoming.id,
      caller,
      headers: http.headers,
      dialect,
      request,
      body,
      offer,
      candidate,
      asArray: ask.asArray === true,
      warnings: [],
    }
    const outbound = prepare(asked)
    const [quote, watch] = await placeHold(asked, outbound)
    const exchange = open(asked, outbound, incoming, { quote, watch, startedAt, place })
    const calling = call(exchange, outbound)
    if (!request.stream) return await answerJson(exchange, await calling)
    const answer = await answerStream(exchange, calling, parts.pace)
    streaming = true
    return answer
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

async function placeHold(asked: Asked, outbound: Outbound): Promise<[Quote, Watch]> {
  const { id, caller, request, offer, candidate, parts, warnings } = asked
  const { rate, model } = offer
  const statistics = parts.learned.of(model.id)
  const sizing = outbound.maxOutput === undefined ? request : { ...request, maxOutput: outbound.maxOutput }
  const bounds = boundsOf(sizing, model.limits.maxOutput, statistics)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, rate)
  if (!parts.node.mayDispatch()) throw unavailable()
  const watch = parts.watches.start(candidate.upstream)
  const { slot, epoch } = parts.node.identity()
  const opened = await parts.settler.open({
    verb: 'hold',
    id,
    slot,
    epoch,
    account: caller.account,
    key: caller.key,
    amount,
    minimum,
    model: model.id,
    upstream: candidate.upstream.id,
  })
  if (opened.outcome !== 'open') {
    watch.stop()
    // The ledger knows better than the cache: whatever was remembered of this key is looked up anew.
    if (opened.outcome !== 'no_balance' && opened.outcome !== 'cap_reached') parts.callers.clear()
    throw refusalOf(opened, minimum)
  }
  const held = opened.request.granted
  const covered = coveredOutput(held, input, rate)
  const lowered = loweredCap(bounds, request, covered)
  const quote: Quote = {
    id,
    caller,
    open: opened.request,
    offer,
    candidate,
    rate,
    held,
    outputCap: bounds.outputCap,
    expectedInput: Math.ceil(request.textBytes * statistics.inputTokensPerByte),
    coveredOutput: covered,
    loweredCap: lowered,
    warnings,
  }
  if (lowered !== undefined) quote.warnings.push(`${request.capField};lowered-to-balance`)
  return [quote, watch]
}

type Opened = Pick<Exchange, 'quote' | 'watch' | 'startedAt' | 'place'>

/** Only what is needed to the end: the body of a request is not kept while its answer streams. */
function open({ parts, dialect, request }: Asked, outbound: Outbound, incoming: Incoming, opened: Opened): Exchange {
  const { quote, watch, startedAt, place } = opened
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
    incoming.keepOpen()
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
