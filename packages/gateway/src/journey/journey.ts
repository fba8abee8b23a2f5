// Read this first: the journey of a request. Each step returns a value; a step that says no throws a Failure.
//   authenticate -> read -> authorize -> route -> reserve -> call -> respond -> settle
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { JSON_BODY, readBody } from '../http/body.ts'
import type { Caller } from '../storage/storage.ts'
import { answerJson } from './answer-json.ts'
import { answerStream } from './answer-stream.ts'
import { secretOf } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { call } from './call.ts'
import type { Offer } from './catalogue.ts'
import type { TextDialect, TextRequest } from './dialect.ts'
import type { Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import type { Parts } from './parts.ts'
import { amountsOf, boundsOf, coveredOutput, loweredCap, type Quote, refusalOf, unavailable } from './reserve.ts'
import { route } from './route.ts'

/** A sender that is silent for this long is not coming back. */
const BODY_IDLE_MS = 30_000

/** A request as the app hands it over: its id is made, its headers for every answer are prepared. */
export type Incoming = {
  http: Request
  id: bigint
  query: string
  headers: Record<string, string>
}

export async function journey(incoming: Incoming, dialect: TextDialect, parts: Parts): Promise<Response> {
  const { http } = incoming
  const startedAt = performance.now()
  const caller = await parts.callers.find(secretOf(http.headers, incoming.query, dialect.id))
  const catalogue = parts.catalogue()
  const { bodyBytes } = catalogue.config.server.limits
  const release = admit(http, bodyBytes, parts)
  let streaming = false
  try {
    const request = must(
      dialect.readRequest(
        must(await readBody(http, { limitBytes: bodyBytes, contentTypes: JSON_BODY, idleMs: BODY_IDLE_MS })),
      ),
    )
    const offer = authorize(caller, request.model, catalogue)
    const quote = await placeHold(incoming.id, caller, request, offer, parts)
    const exchange = open({ incoming, dialect, request, quote, parts, startedAt, release })
    const reply = await call(exchange, upstreamBody(request, quote), carriedHeaders(http.headers, dialect, quote))
    if (!request.stream) return await answerJson(exchange, reply)
    const answer = await answerStream(exchange, reply)
    streaming = true
    return answer
  } finally {
    if (!streaming) release()
  }
}

/** A place among the running requests, given back once. */
function admit(http: Request, limit: number, parts: Parts): () => void {
  const announced = Number(http.headers.get('content-length') ?? limit)
  const weight = Math.min(limit, announced >= 0 ? announced : limit)
  if (!parts.admission.enter(weight)) {
    throw new Failure('unavailable', 'The gateway has as much to do as it can take. Try again shortly.', {
      retryAfter: 1,
    })
  }
  let entered = true
  return () => {
    if (entered) parts.admission.leave(weight)
    entered = false
  }
}

async function placeHold(id: bigint, caller: Caller, request: TextRequest, offer: Offer, parts: Parts): Promise<Quote> {
  const { rate, model } = offer
  const statistics = parts.learned.of(model.id)
  const bounds = boundsOf(request, model.limits.maxOutput, statistics)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, rate)
  const candidate = route(offer, parts.random)
  if (!parts.node.mayDispatch()) throw unavailable()
  const opened = await parts.settler.open({
    ...{ verb: 'hold', id, ...parts.node.identity(), account: caller.account, key: caller.key, amount, minimum },
    ...{ model: model.id, upstream: candidate.upstream.id },
  })
  if (opened.outcome !== 'open') {
    // The ledger knows better than the cache: whatever was remembered of this key is looked up anew.
    if (opened.outcome !== 'no_balance' && opened.outcome !== 'cap_reached') parts.callers.clear()
    throw refusalOf(opened, minimum)
  }
  const held = opened.request.granted
  const covered = coveredOutput(held, input, rate)
  const lowered = loweredCap(bounds, request, covered)
  return {
    ...{ id, caller, open: opened.request, offer, candidate, rate, held, outputCap: bounds.outputCap },
    expectedInput: Math.ceil(request.textBytes * statistics.inputTokensPerByte),
    coveredOutput: covered,
    loweredCap: lowered,
    warnings: lowered === undefined ? [] : ['max_tokens;lowered-to-balance'],
  }
}

type Opening = Pick<Exchange, 'dialect' | 'quote' | 'parts' | 'startedAt' | 'release'> & {
  incoming: Incoming
  request: TextRequest
}

function open({ incoming, request: { edited: _, ...request }, ...given }: Opening): Exchange {
  const { quote, parts } = given
  const watch = parts.watches.start(quote.candidate.upstream.timeouts)
  const client = incoming.http.signal
  const headers = withWarnings(incoming.headers, quote.warnings)
  const exchange: Exchange = {
    ...given,
    request,
    watch,
    client,
    headers,
    firstTokenAt: undefined,
    onClientGone: leaveEarly,
  }
  // Before the upstream's headers leaving is free: the call is cancelled.
  function leaveEarly() {
    watch.abort('client_gone')
  }
  client.addEventListener('abort', () => exchange.onClientGone())
  if (client.aborted) leaveEarly()
  return exchange
}

export function withWarnings(headers: Record<string, string>, warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? headers : { ...headers, 'x-trivium-warnings': warnings.join(', ') }
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
