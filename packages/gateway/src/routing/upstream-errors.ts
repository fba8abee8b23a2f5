// What an upstream's failure means for this attempt, and what the client is told of it.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { withErrorType } from '@trivium/protocol/dialects/shared/errors/cloud-errors.ts'
import { type UpstreamWords, upstreamWords } from '@trivium/protocol/dialects/shared/errors/upstream-error.ts'
import type { Fields } from '../observe/log.ts'
import { outcomeOfBreak } from '../paid-call/outcome.ts'
import type { AttemptedCall } from '../paid-call/paid-request.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { CredentialUnavailable } from '../upstreams/credentials/credential.ts'
import { FAILURE, UNKNOWN } from '../upstreams/health/key-health.ts'
import type { AbortReason } from '../upstreams/upstream-call.ts'
import { errorWithoutKeys, withoutKeys } from '../upstreams/without-keys.ts'
import type { RoutingDependencies } from './dependencies.ts'
import { CUT, type FailedAttempt, meaningOf, meaningOfBreak } from './failed-attempt.ts'

const ERROR_BODY_BYTES = 64 * 1024
/** The status says most: the rest of an error is not worth the idle timeout while another upstream could be called. */
const ERROR_BODY_MS = 2_000

export function failedByThrow(call: AttemptedCall, error: unknown, deps: RoutingDependencies): FailedAttempt {
  const { reason } = call.upstreamCall
  if (reason) return failedByAbort(call, reason)
  // Media that could not be fetched, for example: another upstream could not fetch it either.
  if (error instanceof Failure) {
    return { failure: error, outcome: 'failed', verdict: UNKNOWN, unbilled: false, reason: 'failed' }
  }
  // Logged once by what renews it, and not for each request.
  if (error instanceof CredentialUnavailable)
    return { failure: unauthorised(), outcome: 'failed', ...meaningOfBreak(error) }
  logUpstream(call, 'upstream not reached', { error: String(error) }, deps)
  return { failure: unreachable(), outcome: 'failed', ...meaningOfBreak(error) }
}

/** Aborted by the gateway: only a timeout is the upstream's fault. */
export function failedByAbort({ upstreamCall }: AttemptedCall, reason: AbortReason): FailedAttempt {
  const verdict = reason === 'timeout' ? FAILURE : UNKNOWN
  const outcome = outcomeOfBreak(upstreamCall)
  return { failure: failureOfAbort(reason), outcome, verdict, unbilled: false, reason: outcome }
}

/** The response broke off before any output; whether it was billed is not known. */
export function failedByBreak(call: AttemptedCall): FailedAttempt {
  const { reason } = call.upstreamCall
  return reason ? failedByAbort(call, reason) : { failure: cutOff(), outcome: 'cut', ...CUT }
}

/** An error within a response, before any output. */
export function failedByError(
  call: AttemptedCall,
  info: ErrorInfo,
  deps: RoutingDependencies,
  wasBilled = false,
): FailedAttempt {
  const error = errorWithoutKeys(call.attempt.candidate.upstream, info)
  const failure = failureOfUpstream(call, error, deps)
  const meaning = meaningOf(200, error, failure.info.retryAfter)
  return {
    failure,
    outcome: 'failed',
    ...meaning,
    unbilled: meaning.unbilled && !wasBilled,
    words: wordsWithin(call, info),
  }
}

/** Something that is no response of a model at all. */
export function failedByOther(message: string): FailedAttempt {
  return { failure: new Failure('upstream_error', message), outcome: 'failed', ...CUT, reason: 'no answer' }
}

/** An error status. `said`: in the upstream's own words. */
export async function failedByReply(
  call: AttemptedCall,
  reply: UpstreamResponse,
  deps: RoutingDependencies,
): Promise<{ said: ErrorInfo; failed: FailedAttempt }> {
  const bytes = await withTimeout(deps.ticker, ERROR_BODY_MS, readOrNothing(reply, ERROR_BODY_BYTES))
  if (bytes === undefined) reply.cancel()
  const { reason } = call.upstreamCall
  if (reason) return { said: NOTHING_SAID, failed: failedByAbort(call, reason) }
  const body = withErrorType(parsed(bytes, call), reply.header('x-amzn-errortype'))
  const said = DIALECTS[call.attempt.dialect].decodeError(reply.status, body)
  const failure = failureOfUpstream(call, said, deps, reply)
  const meaning = meaningOf(reply.status, said, failure.info.retryAfter)
  return { said, failed: { failure, outcome: 'failed', ...meaning, words: upstreamWords(body) } }
}

/** The words of an error within a response, which is decoded already. */
export function wordsWithin({ attempt }: AttemptedCall, info: ErrorInfo): UpstreamWords {
  const { vendorCode, detail, message } = errorWithoutKeys(attempt.candidate.upstream, info)
  return upstreamWords({ code: vendorCode, message: detail ?? message })
}

const NOTHING_SAID: ErrorInfo = { code: 'upstream_error', message: '' }

/** undefined: it is too large, or breaks off. */
export async function readOrNothing(reply: UpstreamResponse, limit: number): Promise<Uint8Array | undefined> {
  try {
    return await readAtMost(reply, limit)
  } catch {
    return undefined
  }
}

/** For the caller: masked already, and in the upstream's words only where the caller can act on them. */
export function failureOfUpstream(
  call: AttemptedCall,
  info: ErrorInfo,
  deps: RoutingDependencies,
  reply?: UpstreamResponse,
): Failure {
  const { candidate, offer } = call.attempt
  const { upstream, route } = candidate
  const { code, message, param, detail, overloaded, vendorCode, violations } = errorWithoutKeys(upstream, info)
  const retryAfter = info.retryAfter ?? (reply && retryAfterIn(reply, deps.clock()))
  // The message is for the caller alone: it may quote the request, so it is not logged.
  logUpstream(call, 'upstream returned an error', { status: reply?.status, code, detail }, deps)
  return new Failure(code, withOwnName(message, route.model, offer.model.id), {
    ...(param === undefined ? {} : { param }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(overloaded === undefined ? {} : { overloaded }),
    ...(vendorCode === undefined ? {} : { vendorCode }),
    ...(violations === undefined ? {} : { violations }),
  })
}

/** An upstream names the model as it is called there, which callers need not know. */
export function withOwnName(message: string, upstreamName: string, ownName: string): string {
  if (upstreamName === ownName) return message
  // Only where it stands alone: a short name is part of other words, too.
  const named = new RegExp(`(?<![\\w-])${RegExp.escape(upstreamName)}(?![\\w-])`, 'g')
  return message.replace(named, () => ownName)
}

/** In seconds. Services send milliseconds, seconds or a date. */
export function retryAfterIn(reply: Pick<UpstreamResponse, 'header'>, now: number): number | undefined {
  const header = reply.header('retry-after') ?? ''
  const milliseconds = Number(reply.header('retry-after-ms') ?? Number.NaN)
  const waits = [milliseconds / 1_000, Number(header), (Date.parse(header) - now) / 1_000]
  return waits.find((seconds) => seconds > 0)
}

/** For the operator; the caller is told less. */
function logUpstream(
  { id, attempt }: AttemptedCall,
  message: string,
  fields: Fields,
  { log }: RoutingDependencies,
): void {
  log.warn(message, { request: formatRequestId(id), upstream: attempt.candidate.upstream.id, ...fields })
}

export function failureOfAbort(reason: AbortReason): Failure {
  switch (reason) {
    case 'timeout':
      return new Failure('upstream_timeout', 'The upstream did not answer in time.')
    case 'shutdown':
      return new Failure('service_unavailable', 'The gateway is shutting down. Retry in 1 second.', { retryAfter: 1 })
    default:
      return new Failure('client_closed_request', 'The client closed the connection.')
  }
}

const unauthorised = () =>
  new Failure('upstream_auth_error', 'The gateway has no valid credential for the upstream. Its operator has to act.')

const unreachable = () => new Failure('upstream_error', 'The upstream could not be reached.')

export const cutOff = () =>
  new Failure('upstream_error', 'The upstream closed the connection before the response was complete.')

/** JSON as every dialect's error is; else the beginning of what a proxy in between sent, for the log. */
function parsed(bytes: Uint8Array | undefined, { attempt }: AttemptedCall): unknown {
  if (!bytes) return undefined
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const text = withoutKeys(attempt.candidate.upstream, body)
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1_000)
  }
}
