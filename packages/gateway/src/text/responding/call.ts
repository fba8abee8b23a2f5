// The call to an upstream, up to its headers, and what comes instead of an answer.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { warningHeader } from '@trivium/protocol/canonical/warning.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { Failure } from '../../access/failure.ts'
import { formatRequestId } from '../../access/ids.ts'
import type { Fields } from '../../observe/log.ts'
import { type Exchange, endingOfBreak } from '../../paid-call/exchange.ts'
import type { AbortReason } from '../../paid-call/upstream-call.ts'
import { FAILURE, UNKNOWN } from '../../upstreams/health/key-health.ts'
import { CUT, type FailedAttempt, meaningOf, meaningOfBreak } from '../routing/failed-attempt.ts'
import { nextAttempt } from '../routing/next-attempt.ts'
import type { Outbound } from '../translation/outbound.ts'

const ERROR_BODY_BYTES = 64 * 1024
/** The status tells most; what is said beside it is not worth the limit on silence, while somebody else could be asked. */
const ERROR_BODY_MS = 2_000

/** Upstream headers that a client gets to see; everything else tells of what is behind the gateway. */
const SHOWN_HEADERS = ['x-sandbox']

/**
 * Asks one upstream after the other until one answers: resolves with a 2xx reply whose body has not been read. What comes
 * in its stead may still turn out to be no answer: then `onward` says what to send next, and this is called again.
 */
export async function call(exchange: Exchange, outbound: Outbound): Promise<UpstreamResponse> {
  const { watch } = exchange
  exchange.place.setAwaitingUpstream(true)
  let trying = outbound
  for (let mended = 0; ; ) {
    let reply: UpstreamResponse | undefined
    let broken: FailedAttempt | undefined
    try {
      const written = trying.body(exchange.quote.loweredCap, watch.cancellation)
      // Not awaited when it is there: a turn of the loop costs more than everything else in here.
      reply = await send(exchange, trying, written instanceof Promise ? await written : written)
      watch.headersArrived()
      showHeaders(reply, exchange)
      if (isGood(reply)) return reply
    } catch (error) {
      broken = missOfThrown(exchange, error)
    }
    const refusal = reply && !broken ? await missOfReply(exchange, reply) : undefined
    const miss = refusal?.miss ?? broken ?? missOfBreak(exchange)
    const isMendable = reply && refusal && MENDABLE.includes(reply.status) && mended < MOST_MENDED
    const changed = isMendable ? trying.without(refusal.said) : undefined
    // A refusal costs nothing anywhere, so the same hold is good for another try.
    trying = changed ?? (await nextAttempt(exchange, miss))
    mended = changed ? mended + 1 : 0
    exchange.outbound = trying
    exchange.answerer = trying.answerer
    showWarnings(exchange)
  }
}

/** Strict services name one field at a time. */
const MOST_MENDED = 5

const isGood = ({ status }: UpstreamResponse): boolean => status >= 200 && status < 300

/** With these a service says that it does not like the request. */
const MENDABLE = [400, 422]

function send(exchange: Exchange, { path, headers, dialect }: Outbound, body: Pieces): Promise<UpstreamResponse> {
  const { parts, quote, watch, request } = exchange
  const { upstream, key } = quote.candidate
  exchange.attempt.sent(performance.now())
  return parts.send(upstream, { path, dialect, body, stream: request.stream, headers, key, cancel: watch.cancellation })
}

function missOfThrown(exchange: Exchange, error: unknown): FailedAttempt {
  const { reason } = exchange.watch
  if (reason) return missOfAbort(exchange, reason)
  // Media that could not be fetched, for one: nobody else could fetch it either.
  if (error instanceof Failure) {
    return { failure: error, ending: 'failed', verdict: UNKNOWN, unbilled: false, outcome: 'failed' }
  }
  tell(exchange, 'upstream not reached', { error: String(error) })
  return { failure: unreachable(), ending: 'failed', ...meaningOfBreak(error) }
}

/** By our own doing: the upstream is to blame only for being late. */
export function missOfAbort(exchange: Exchange, reason: AbortReason): FailedAttempt {
  const verdict = reason === 'timeout' ? FAILURE : UNKNOWN
  const ending = endingOfBreak(exchange.watch)
  return { failure: failureOfAbort(reason), ending, verdict, unbilled: false, outcome: ending }
}

/** The upstream broke off, before any output; what it has billed is not known. */
export function missOfBreak(exchange: Exchange): FailedAttempt {
  const { reason } = exchange.watch
  return reason ? missOfAbort(exchange, reason) : { failure: cutOff(), ending: 'cut', ...CUT }
}

/** An error within an answer, before any output. */
export function missOfError(exchange: Exchange, error: ErrorInfo, wasBilled = false): FailedAttempt {
  const failure = failureOfUpstream(exchange, error)
  const meaning = meaningOf(200, error, failure.info.retryAfter)
  return { failure, ending: 'failed', ...meaning, unbilled: meaning.unbilled && !wasBilled }
}

/** Something that is no answer at all. */
export function missOfOther(message: string): FailedAttempt {
  return { failure: new Failure('upstream_failed', message), ending: 'failed', ...CUT, outcome: 'no answer' }
}

/** Of the attempt that is made now: what an earlier one could not say may have been said in the end. */
export function showWarnings({ quote, headers }: Pick<Exchange, 'quote' | 'headers'>): void {
  if (quote.warnings.length === 0) headers.remove('x-trivium-warnings')
  else headers.set('x-trivium-warnings', warningHeader(quote.warnings))
}

function showHeaders(reply: UpstreamResponse, exchange: Exchange): void {
  for (const name of SHOWN_HEADERS) {
    const value = reply.header(name)
    if (value !== null) exchange.headers.set(name, value)
  }
}

/** `said`: by the upstream, in its own words. */
async function missOfReply(
  exchange: Exchange,
  reply: UpstreamResponse,
): Promise<{ said: ErrorInfo; miss: FailedAttempt }> {
  const bytes = await readSoon(reply, exchange)
  if (exchange.watch.reason) return { said: NOTHING_SAID, miss: missOfAbort(exchange, exchange.watch.reason) }
  const said = DIALECTS[exchange.upstreamDialect].decodeError(reply.status, parsed(bytes))
  const failure = failureOfUpstream(exchange, said, reply)
  const meaning = meaningOf(reply.status, said, failure.info.retryAfter)
  return { said, miss: { failure, ending: 'failed', ...meaning } }
}

async function readSoon(reply: UpstreamResponse, { parts }: Exchange): Promise<Uint8Array | undefined> {
  const bytes = await withTimeout(parts.ticker, ERROR_BODY_MS, readOrNothing(reply, ERROR_BODY_BYTES))
  if (bytes === undefined) reply.cancel()
  return bytes
}

/** Of something that is no answer: nothing, where it is too large or breaks off. */
export async function readOrNothing(reply: UpstreamResponse, limit: number): Promise<Uint8Array | undefined> {
  try {
    return await readAtMost(reply, limit)
  } catch {
    return undefined
  }
}

const NOTHING_SAID: ErrorInfo = { code: 'upstream_failed', message: '' }

/** What the upstream said, as the caller is told it: masked already, and in its own words only where the caller can act. */
export function failureOfUpstream(exchange: Exchange, info: ErrorInfo, reply?: UpstreamResponse): Failure {
  const { code, message, param, detail, overloaded } = info
  const retryAfter = info.retryAfter ?? (reply && retryAfterIn(reply, exchange.parts.clock()))
  // What is wrong with the caller's request is told to the caller; it may quote the request, so it is not logged.
  tell(exchange, 'upstream refused', { status: reply?.status, code, detail })
  return new Failure(code, ownName(exchange, message), {
    ...(param === undefined ? {} : { param }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(overloaded === undefined ? {} : { overloaded }),
  })
}

/** An upstream talks about the model by the name it has there, which is nobody else's business. */
function ownName({ quote }: Exchange, message: string): string {
  const { route } = quote.candidate
  return route.model === quote.offer.model.id ? message : message.replaceAll(route.model, quote.offer.model.id)
}

/** When to come back, as services say it: in milliseconds, in seconds, or as a date. */
export function retryAfterIn(reply: Pick<UpstreamResponse, 'header'>, now: number): number | undefined {
  const header = reply.header('retry-after') ?? ''
  const milliseconds = Number(reply.header('retry-after-ms') ?? Number.NaN)
  const waits = [milliseconds / 1_000, Number(header), (Date.parse(header) - now) / 1_000]
  return waits.find((seconds) => seconds > 0)
}

/** One line for the operator; the caller is told less. */
function tell({ parts, quote }: Exchange, message: string, fields: Fields): void {
  parts.log.warn(message, { request: formatRequestId(quote.id), upstream: quote.candidate.upstream.id, ...fields })
}

export function failureOfAbort(reason: AbortReason): Failure {
  switch (reason) {
    case 'timeout':
      return new Failure('upstream_timeout', 'The upstream did not answer in time.')
    case 'shutdown':
      return new Failure('unavailable', 'The gateway is shutting down. Try again.', { retryAfter: 1 })
    default:
      return new Failure('client_gone', 'The client closed the connection.')
  }
}

const unreachable = () => new Failure('upstream_failed', 'The upstream could not be reached.')

export const cutOff = () => new Failure('upstream_failed', 'The upstream broke off its answer.')

/** JSON as every dialect's error is, else the beginning of whatever a proxy in between has said: for the log. */
function parsed(bytes: Uint8Array | undefined): unknown {
  if (!bytes) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1_000)
  }
}
