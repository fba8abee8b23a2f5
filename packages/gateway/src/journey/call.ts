// The call to the upstream, up to its headers. An answer that is not one ends the exchange here, with nothing charged.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { warningHeader } from '@trivium/protocol/canonical/warning.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { readAtMost } from '../http/read.ts'
import type { Fields } from '../observe/log.ts'
import { conclude, type Exchange, endingOfBreak, NOTHING_SEEN } from './exchange.ts'
import { Failure } from './failure.ts'
import { formatRequestId } from './ids.ts'
import type { Outbound } from './outbound.ts'
import type { AbortReason } from './watch.ts'

const ERROR_BODY_BYTES = 64 * 1024

/** Upstream headers that a client gets to see; everything else tells of what is behind the gateway. */
const SHOWN_HEADERS = ['x-sandbox']

/** Resolves with a 2xx reply whose body has not been read. */
export async function call(exchange: Exchange, outbound: Outbound): Promise<Response> {
  exchange.watch.sent()
  let trying = outbound
  for (let mended = 0; ; mended++) {
    const reply = await sent(exchange, trying)
    if (isGood(reply)) {
      trying.release?.()
      return reply
    }
    const failure = await failureOfReply(exchange, reply)
    const isMendable = MENDABLE.includes(reply.status) && mended < MOST_MENDED
    const changed = isMendable ? trying.without(failure.said) : undefined
    if (changed === undefined) {
      await conclude(exchange, 'failed', NOTHING_SEEN)
      throw failure.shown
    }
    // A refusal costs nothing anywhere, so the same hold is good for another try.
    trying = changed
    exchange.answerer = changed.answerer
    showWarnings(exchange)
  }
}

/** Strict services name one field at a time. */
const MOST_MENDED = 5

const isGood = ({ status }: Response): boolean => status >= 200 && status < 300

/** With these a service says that it does not like the request. */
const MENDABLE = [400, 422]

async function sent(exchange: Exchange, { body, path, headers, dialect }: Outbound): Promise<Response> {
  const { parts, quote, watch, request } = exchange
  const { upstream } = quote.candidate
  const { signal } = watch
  try {
    const written = body(quote.loweredCap, signal)
    // Not awaited when it is there: a turn of the loop costs more than everything else in here.
    const bytes = written instanceof Uint8Array ? written : await written
    const reply = await parts.send(upstream, { path, dialect, body: bytes, stream: request.stream, headers, signal })
    watch.headersArrived()
    showHeaders(reply, exchange)
    return reply
  } catch (error) {
    await conclude(exchange, watch.reason ? endingOfBreak(watch) : 'failed', NOTHING_SEEN)
    if (watch.reason) throw failureOfAbort(watch.reason)
    if (error instanceof Failure) throw error
    tell(exchange, 'upstream not reached', { error: String(error) })
    throw unreachable()
  }
}

export function showWarnings({ quote, headers }: Pick<Exchange, 'quote' | 'headers'>): void {
  if (quote.warnings.length > 0) headers.set('x-trivium-warnings', warningHeader(quote.warnings))
}

function showHeaders(reply: Response, exchange: Exchange): void {
  for (const name of SHOWN_HEADERS) {
    const value = reply.headers.get(name)
    if (value !== null) exchange.headers.set(name, value)
  }
}

/** `said`: by the upstream. `shown`: to the caller. */
async function failureOfReply(exchange: Exchange, reply: Response): Promise<{ said: ErrorInfo; shown: Failure }> {
  const bytes = await readAtMost(reply, ERROR_BODY_BYTES).catch(() => undefined)
  const said = DIALECTS[exchange.upstreamDialect].decodeError(reply.status, parsed(bytes))
  return { said, shown: failureOfUpstream(exchange, said, reply) }
}

/** What the upstream said, as the caller is told it: masked already, and in its own words only where the caller can act. */
export function failureOfUpstream(exchange: Exchange, info: ErrorInfo, reply?: Response): Failure {
  const { code, message, param, detail, overloaded, retryAfter = secondsOf(reply?.headers.get('retry-after')) } = info
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

function secondsOf(header: string | null | undefined): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  return seconds > 0 ? seconds : undefined
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
