// Read this first: the journey of a request. Each step returns a value; a step that says no throws a Failure.
//   authenticate -> read -> authorize -> route -> reserve -> call -> respond -> settle
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { Place } from '../http/admission.ts'
import { JSON_BODY, readBody } from '../http/body.ts'
import type { Caller } from '../storage/storage.ts'
import { answerJson } from './answer-json.ts'
import { answerStream } from './answer-stream.ts'
import { secretOf } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { call } from './call.ts'
import type { Offer } from './catalogue.ts'
import { Client } from './client.ts'
import type { TextDialect, TextRequest } from './dialect.ts'
import { DRAIN_MS, type Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import type { Parts } from './parts.ts'
import { amountsOf, boundsOf, coveredOutput, loweredCap, type Quote, refusalOf, unavailable } from './reserve.ts'
import { route } from './route.ts'
import type { Watch } from './watch.ts'

/** A sender that is silent for this long is not coming back. */
const BODY_IDLE_MS = 30_000

/** A request as the app hands it over: its id is made, its headers for every answer are prepared. */
export type Incoming = {
  http: Request
  id: bigint
  query: string
  headers: Headers
  /** For a call that takes its time: the limits of the journey hold, not the connection's. */
  keepOpen(): void
}

export async function journey(incoming: Incoming, dialect: TextDialect, parts: Parts): Promise<Response> {
  const { http } = incoming
  const startedAt = performance.now()
  const caller = await parts.callers.find(secretOf(http.headers, incoming.query, dialect.id))
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
    const request = must(dialect.readRequest(body))
    const offer = authorize(caller, request.model, catalogue)
    const [quote, watch] = await placeHold(incoming.id, caller, request, offer, parts)
    const exchange = open({ incoming, dialect, request, quote, watch, parts, startedAt, place })
    const calling = call(exchange, upstreamBody(request, quote), carriedHeaders(http.headers, dialect, quote))
    if (!request.stream) return await answerJson(exchange, await calling)
    const answer = await answerStream(exchange, calling, parts.pace)
    streaming = true
    return answer
  } finally {
    if (!streaming) place.leave()
  }
}

/** Until its body has been read, a request that does not say how large it is, or will grow by decoding, weighs the most. */
function admit(http: Request, limit: number, parts: Parts): Place {
  const announced = http.headers.has('content-encoding') ? limit : Number(http.headers.get('content-length') ?? limit)
  const place = parts.admission.enter(announced >= 0 ? Math.min(limit, announced) : limit)
  if (place) return place
  const message = 'The gateway has as much to do as it can take. Try again shortly.'
  throw new Failure('unavailable', message, { retryAfter: 1 })
}

async function placeHold(
  id: bigint,
  caller: Caller,
  request: TextRequest,
  offer: Offer,
  parts: Parts,
): Promise<[Quote, Watch]> {
  const { rate, model } = offer
  const statistics = parts.learned.of(model.id)
  const bounds = boundsOf(request, model.limits.maxOutput, statistics)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, rate)
  if (!parts.node.mayDispatch()) throw unavailable()
  const candidate = route(offer, parts.random, parts.watches.isFull)
  const watch = parts.watches.start(candidate.upstream)
  const opened = await parts.settler.open({
    ...{ verb: 'hold', id, ...parts.node.identity(), account: caller.account, key: caller.key, amount, minimum },
    ...{ model: model.id, upstream: candidate.upstream.id },
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
    ...{ id, caller, open: opened.request, offer, candidate, rate, held, outputCap: bounds.outputCap },
    expectedInput: Math.ceil(request.textBytes * statistics.inputTokensPerByte),
    coveredOutput: covered,
    loweredCap: lowered,
    warnings: lowered === undefined ? [] : [`${request.capField};lowered-to-balance`],
  }
  return [quote, watch]
}

type Opening = Omit<Exchange, 'client' | 'headers' | 'firstTokenAt'> & { incoming: Incoming }

function open({ incoming, request, ...given }: Opening): Exchange {
  const { quote, parts, watch } = given
  const { stream, showUsage, choices, textBytes } = request
  const { headers } = incoming
  if (quote.warnings.length > 0) headers.set('x-trivium-warnings', quote.warnings.join(', '))
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
  return { ...given, request: { stream, showUsage, choices, textBytes }, client, headers, firstTokenAt: undefined }
}

/** Only what must change is changed: the model's name where the upstream calls it otherwise, a cap that was lowered. */
function upstreamBody(request: TextRequest, quote: Quote): Uint8Array {
  const { route, upstream } = quote.candidate
  const fault = upstream.kind === 'sandbox' ? request.model.slice(quote.offer.model.id.length) : ''
  const model = route.model + fault
  return request.edited({ model: model === request.model ? undefined : model, maxOutput: quote.loweredCap })
}

function carriedHeaders(headers: Headers, dialect: TextDialect, quote: Quote): Record<string, string> {
  const carried: Record<string, string> = {}
  const names = quote.candidate.upstream.kind === 'sandbox' ? SANDBOX_HEADERS : dialect.carriedHeaders
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) carried[name] = value
  }
  return carried
}

/** The embedded model's own switches. */
const SANDBOX_HEADERS = ['x-sandbox-fault', 'x-sandbox-pace']

/** Parsers answer with a value or with what is wrong; from here on what is wrong is thrown. */
function must<T extends object>(value: T | ErrorInfo): T {
  if ('code' in value && 'message' in value) {
    const { code, message, ...more } = value
    throw new Failure(code, message, more)
  }
  return value
}
