// The call to an upstream, up to the headers of a response that may have images.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { CandidateOf } from '../catalogue/catalogue.ts'
import type { ModelOf, RateOf } from '../modalities/index.ts'
import { type CandidateSteps, callCandidates, nextCandidate } from '../routing/call-candidates.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import type { ImageDependencies } from './dependencies.ts'
import type { ImageCall } from './image-call.ts'
import { withFetchedInputs } from './reading/fetch-inputs.ts'
import { boundOf, isSeries, makesAll } from './reserve.ts'
import { withImageTimeouts } from './route.ts'
import { takesUrls, type UpstreamRequest, upstreamRequest } from './upstream-request.ts'

/** Calls one upstream after the other until one answers: resolves with a 2xx response whose body has not been read. */
export const call = (imageCall: ImageCall, deps: ImageDependencies): Promise<UpstreamResponse> =>
  callCandidates(imageCall, stepsOf(imageCall, deps), deps)

/** Another candidate, if there may be one. Else the failure is thrown; the call is settled if it has made nothing. */
export const nextAttempt = (imageCall: ImageCall, failed: FailedAttempt, deps: ImageDependencies): Promise<void> =>
  nextCandidate(imageCall, failed, stepsOf(imageCall, deps), deps)

const stepsOf = (
  imageCall: ImageCall,
  deps: ImageDependencies,
): CandidateSteps<RateOf<'image'>, ModelOf<'image'>, ImageDialectId> => ({
  requestFor: (candidate) => outgoing(imageCall, candidate, deps),
  boundOf: (offer, candidate) => boundOf(imageCall.own.request, offer, candidate),
  async completeRequestFor(candidate) {
    await fetchInputs(imageCall, deps)
    const request = outgoing(imageCall, candidate, deps)
    imageCall.own.isPassed = request.isPassed === true
    return request
  },
  limitsOf: withImageTimeouts,
})

/** Once for all candidates that take no URLs. */
async function fetchInputs(imageCall: ImageCall, deps: ImageDependencies): Promise<void> {
  const { attempt, upstreamCall, slot } = imageCall
  if (takesUrls(attempt.candidate)) return
  const { signal } = upstreamCall.cancellation
  const grow = (bytes: number) => slot.grow(bytes)
  upstreamCall.suspendIdle(true)
  try {
    imageCall.own.request = await withFetchedInputs(imageCall.own.request, { signal, grow }, deps)
  } finally {
    upstreamCall.suspendIdle(false)
  }
}

/** How many images the next call to the upstream is for. */
function missing({ own: { request, delivered } }: ImageCall, candidate: CandidateOf<'image'>): number {
  const isOneCall = makesAll(request, candidate) && !isSeries(request, candidate)
  return isOneCall ? request.n - delivered.length : 1
}

function outgoing(imageCall: ImageCall, candidate: CandidateOf<'image'>, deps: ImageDependencies): UpstreamRequest {
  const { caller } = imageCall
  const { request } = imageCall.own
  return upstreamRequest(request, candidate, caller, missing(imageCall, candidate), deps)
}
