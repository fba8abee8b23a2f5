// The call to an upstream, up to the headers of a response that may have images.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import { type SettleDependencies, settle } from '../paid-call/settle.ts'
import { showWarnings, warningsFor } from '../paid-call/warnings.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { endAttempt, findNext, type NextAttemptDependencies } from '../routing/next-attempt.ts'
import { failedByReply, failedByThrow, type UpstreamErrorDependencies } from '../routing/upstream-errors.ts'
import { showRateLimits, type UpstreamHeaderDependencies } from '../routing/upstream-headers.ts'
import type { Send } from '../upstreams/send.ts'
import type { ImageCall } from './image-call.ts'
import { type FetchInputsDependencies, withFetchedInputs } from './reading/fetch-inputs.ts'
import { boundOf, isSeries, makesAll } from './reserve.ts'
import { withImageTimeouts } from './route.ts'
import {
  takesUrls,
  type UpstreamRequest,
  type UpstreamRequestDependencies,
  upstreamRequest,
} from './upstream-request.ts'

export type CallDependencies = NextAttemptDependencies &
  UpstreamErrorDependencies &
  UpstreamRequestDependencies &
  UpstreamHeaderDependencies &
  FetchInputsDependencies &
  SettleDependencies & { send: Send }

/** Calls one upstream after the other until one answers: resolves with a 2xx response whose body has not been read. */
export async function call(imageCall: ImageCall, deps: CallDependencies): Promise<UpstreamResponse> {
  for (;;) {
    const failed = await attempt(imageCall, deps)
    if (!('failure' in failed)) return failed
    await nextAttempt(imageCall, failed, deps)
  }
}

async function attempt(imageCall: ImageCall, deps: CallDependencies): Promise<UpstreamResponse | FailedAttempt> {
  const { attempt, upstreamCall } = imageCall
  imageCall.slot.setAwaitingUpstream(true)
  try {
    const cancel = upstreamCall.cancellation
    await fetchInputs(imageCall, deps)
    const { path, dialect, contentType, body, stream, isPassed } = outgoing(imageCall, attempt.candidate, deps)
    imageCall.isPassed = isPassed === true
    const { upstream, key } = attempt.candidate
    attempt.health.sent(performance.now())
    const reply = await deps.send(upstream, { path, dialect, contentType, body, stream, headers: {}, key, cancel })
    upstreamCall.headersArrived()
    const mark = reply.header('x-sandbox')
    if (mark !== null) imageCall.headers.set('x-sandbox', mark)
    showRateLimits(reply, imageCall.headers, deps)
    if (reply.status >= 200 && reply.status < 300) return reply
    return (await failedByReply(imageCall, reply, deps)).failed
  } catch (error) {
    return failedByThrow(imageCall, error, deps)
  }
}

/** Once for all candidates that take no URLs. */
async function fetchInputs(imageCall: ImageCall, deps: CallDependencies): Promise<void> {
  const { attempt, upstreamCall, slot } = imageCall
  if (takesUrls(attempt.candidate)) return
  const { signal } = upstreamCall.cancellation
  const grow = (bytes: number) => slot.grow(bytes)
  upstreamCall.suspendIdle(true)
  try {
    imageCall.request = await withFetchedInputs(imageCall.request, { signal, grow }, deps)
  } finally {
    upstreamCall.suspendIdle(false)
  }
}

/** How many images the next call to the upstream is for. */
function missing({ request, delivered }: ImageCall, candidate: CandidateOf<'image'>): number {
  const isOneCall = makesAll(request, candidate) && !isSeries(request, candidate)
  return isOneCall ? request.n - delivered.length : 1
}

function outgoing(imageCall: ImageCall, candidate: CandidateOf<'image'>, deps: CallDependencies): UpstreamRequest {
  const { request, caller } = imageCall
  return upstreamRequest(request, candidate, caller, missing(imageCall, candidate), deps)
}

/** Another candidate, if there may be one. Else the failure is thrown; the call is settled if it has made nothing. */
export async function nextAttempt(imageCall: ImageCall, failed: FailedAttempt, deps: CallDependencies): Promise<void> {
  const { attempt, caller, wanted, tried, request, hold } = imageCall
  endAttempt(imageCall, failed, deps)
  const last = { caller, wanted, offer: attempt.offer, candidate: attempt.candidate, tried }
  type Prepared = UpstreamRequest & {
    offer: OfferOf<'image'>
    candidate: CandidateOf<'image'>
    tried: readonly CandidateOf<'image'>[]
  }
  const steps = {
    prepare(
      offer: OfferOf<'image'>,
      candidate: CandidateOf<'image'>,
      tried: readonly CandidateOf<'image'>[],
    ): Prepared | undefined {
      const prepared = preparedFor(imageCall, candidate, deps)
      return prepared && { ...prepared, offer, candidate, tried }
    },
    async cover({ offer, candidate }: Prepared) {
      const needed = boundOf(request, offer, candidate)
      return needed > hold.held && (await hold.raise(needed, needed)) === 'stop' ? undefined : needed
    },
    limitsOf: withImageTimeouts,
  }
  const next = await findNext(imageCall, failed, last, steps, deps)
  if (!next) {
    if (imageCall.delivered.length === 0) await settleFailed(imageCall, failed, deps)
    throw failed.failure
  }
  const { offer, candidate, dialect, warnings } = next.prepared
  const own = warningsFor(offer, wanted, imageCall.ownWarnings)
  const entry = { upstream: attempt.candidate.upstream.id, model: attempt.offer.model.id, outcome: failed.reason }
  imageCall.failedAttempts = [...(imageCall.failedAttempts ?? []), entry]
  imageCall.tried = next.prepared.tried
  imageCall.attempt = { offer, candidate, dialect, health: next.health, warnings: [...own, ...warnings] }
  showWarnings(imageCall.attempt.warnings, imageCall.headers)
  imageCall.upstreamCall.resetIdle()
}

/** undefined: this candidate cannot serve the request. */
export function preparedFor(
  imageCall: ImageCall,
  candidate: CandidateOf<'image'>,
  deps: CallDependencies,
): UpstreamRequest | undefined {
  try {
    return outgoing(imageCall, candidate, deps)
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

export async function settleFailed(
  imageCall: ImageCall,
  { outcome }: Pick<FailedAttempt, 'outcome'>,
  deps: SettleDependencies,
): Promise<void> {
  await settle(imageCall, { outcome, charges: [], sawOutput: false }, deps)
}
