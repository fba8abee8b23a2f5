// The call to the upstream, up to its headers. An answer that is not one ends the exchange here, with nothing charged.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { maskSecrets } from '@trivium/protocol/canonical/mask.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { readAtMost } from '../http/read.ts'
import { conclude, type Exchange, endingOfBreak, NOTHING_SEEN } from './exchange.ts'
import { Failure } from './failure.ts'
import type { AbortReason } from './watch.ts'

const ERROR_BODY_BYTES = 64 * 1024

/** Resolves with a 2xx reply whose body has not been read. */
export async function call(exchange: Exchange, body: Uint8Array, carried: Record<string, string>): Promise<Response> {
  const { parts, quote, watch, dialect, request } = exchange
  const { upstream } = quote.candidate
  let reply: Response
  try {
    const outgoing = {
      path: dialect.upstreamPath,
      body,
      stream: request.stream,
      headers: carried,
      signal: watch.signal,
    }
    reply = await parts.send(upstream, outgoing)
  } catch (error) {
    await conclude(exchange, watch.reason ? endingOfBreak(watch) : 'failed', NOTHING_SEEN)
    if (!watch.reason) parts.log.warn('upstream not reached', { upstream: upstream.id, error: String(error) })
    throw watch.reason ? failureOfAbort(watch.reason) : unreachable()
  }
  watch.headersArrived()
  if (reply.status >= 200 && reply.status < 300) return reply
  const failure = await failureOfReply(exchange, reply)
  await conclude(exchange, 'failed', NOTHING_SEEN)
  throw failure
}

async function failureOfReply(exchange: Exchange, reply: Response): Promise<Failure> {
  const { parts, quote, dialect } = exchange
  const text = await readAtMost(reply, ERROR_BODY_BYTES).catch(() => undefined)
  const info = DIALECTS[dialect.id].decodeError(reply.status, parseJson(text))
  const { upstream } = quote.candidate
  parts.log.warn('upstream refused', {
    upstream: upstream.id,
    status: reply.status,
    message: info.message.slice(0, 200),
  })
  return failureOfUpstream(info, reply.headers.get('retry-after'))
}

/** Only what the caller can mend is told in the upstream's words; the rest would reveal what is behind the gateway. */
const IN_ITS_OWN_WORDS: readonly ErrorInfo['code'][] = [
  'bad_request',
  'unsupported',
  'context_too_long',
  'content_refused',
]

const OUR_WORDS: Partial<Record<ErrorInfo['code'], string>> = {
  rate_limited: 'The upstream is limiting requests at the moment. Try again later.',
  unavailable: 'The upstream is overloaded at the moment. Try again later.',
  upstream_rejected_us: "The upstream refused the gateway's credential. The operator has to look at it.",
  upstream_timeout: 'The upstream did not answer in time.',
}

export function failureOfUpstream(info: ErrorInfo, retryAfter: string | null = null): Failure {
  if (IN_ITS_OWN_WORDS.includes(info.code)) {
    const more = info.param === undefined ? {} : { param: maskSecrets(info.param) }
    return new Failure(info.code, maskSecrets(info.message), more)
  }
  const message = OUR_WORDS[info.code] ?? 'The upstream could not answer this request.'
  const seconds = retryAfter === null ? info.retryAfter : Number(retryAfter)
  const wait = seconds !== undefined && seconds > 0 ? { retryAfter: Math.min(60, Math.ceil(seconds)) } : {}
  return new Failure(info.code in OUR_WORDS ? info.code : 'upstream_failed', message, wait)
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

export function parseJson(bytes: Uint8Array | undefined): unknown {
  if (!bytes) return undefined
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
