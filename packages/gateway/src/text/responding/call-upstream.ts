// The call to an upstream, up to the headers of a response that can be passed on.

import { andThen } from '@trivium/http/and-then.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { showWarnings } from '../../paid-call/warnings.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { failedByBreak, failedByReply, failedByThrow } from '../../routing/upstream-errors.ts'
import { showRateLimits } from '../../routing/upstream-headers.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { nextAttempt } from '../routing/next-attempt.ts'
import type { TextCall } from '../text-call.ts'
import type { Outbound } from '../translation/outbound.ts'

/** Upstream headers that a client gets; all others would reveal what is behind the gateway. */
const SHOWN_HEADERS = ['x-sandbox']

/** Strict services name one unsupported field at a time. */
const MOST_CORRECTIONS = 5

/** With these statuses a service rejects the request as such. */
const CORRECTABLE = [400, 422]

/**
 * Calls one upstream after the other until one answers: resolves with a 2xx reply whose body has not been read. If that turns
 * out to be no response of a model, `nextAttempt` says what to send next, and this is called again.
 */
export async function callUpstream(textCall: TextCall, deps: TextCallDependencies): Promise<UpstreamResponse> {
  textCall.slot.setAwaitingUpstream(true)
  let sending = outboundOf(textCall)
  for (let corrections = 0; ; ) {
    let reply: UpstreamResponse | undefined
    let broken: FailedAttempt | undefined
    try {
      reply = await send(textCall, sending, deps)
      textCall.upstreamCall.headersArrived()
      showHeaders(reply, textCall)
      showRateLimits(reply, textCall.headers, deps)
      if (isSuccess(reply)) return reply
    } catch (error) {
      broken = failedByThrow(textCall, error, deps)
    }
    const rejection = reply && !broken ? await failedByReply(textCall, reply, deps) : undefined
    const failed = rejection?.failed ?? broken ?? failedByBreak(textCall)
    const isCorrectable = reply && rejection && CORRECTABLE.includes(reply.status) && corrections < MOST_CORRECTIONS
    const corrected = isCorrectable ? sending.without(rejection.said) : undefined
    // A rejection costs nothing anywhere, so the same hold covers the corrected request.
    sending = corrected ?? (await nextAttempt(textCall, failed, deps))
    corrections = corrected ? corrections + 1 : 0
    if (corrected) replaceOutbound(textCall, corrected)
    showWarnings(textCall.attempt.warnings, textCall.headers)
  }
}

function outboundOf({ own: { pending } }: TextCall): Outbound {
  if (!pending) throw new Error('a request was released before it was sent')
  return pending.outbound
}

function replaceOutbound(textCall: TextCall, outbound: Outbound): void {
  textCall.attempt = { ...textCall.attempt, answerer: outbound.answerer }
  const { pending } = textCall.own
  if (pending) textCall.own.pending = { ...pending, outbound }
}

const isSuccess = ({ status }: UpstreamResponse): boolean => status >= 200 && status < 300

function send(
  textCall: TextCall,
  outbound: Outbound,
  deps: TextCallDependencies,
): UpstreamResponse | Promise<UpstreamResponse> {
  const { attempt, upstreamCall, slot } = textCall
  const body = outbound.body(attempt.coverage.loweredCap, upstreamCall.cancellation, slot)
  return andThen(body, sendBody, textCall, outbound, deps)
}

function sendBody(
  body: Pieces,
  { attempt, upstreamCall, isStream, record }: TextCall,
  outbound: Outbound,
  deps: TextCallDependencies,
): Promise<UpstreamResponse> {
  const cancel = upstreamCall.cancellation
  const { upstream, key, route } = attempt.candidate
  attempt.health.sent(performance.now())
  const { path, headers, dialect } = outbound
  const origin = { record, model: route.model }
  return deps.send(upstream, { path, dialect, body, stream: isStream, headers, key, cancel, origin })
}

function showHeaders(reply: UpstreamResponse, { headers }: TextCall): void {
  for (const name of SHOWN_HEADERS) {
    const value = reply.header(name)
    if (value !== null) headers.set(name, value)
  }
}
