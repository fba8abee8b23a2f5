// The journey of an audio file whose words are wanted: what differs from other paid calls (paid-call/open.ts).
//   read -> authorize -> (claim) -> route -> prepare -> hold -> respond: call, pass the transcript on, settle

import type { HttpResponse } from '@trivium/http/response.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import type { TranscriptionTask } from '@trivium/protocol/dialects/shared/transcription/transcription.ts'
import type { TranscriptionDialectId } from '@trivium/protocol/dialects/transcription-services.ts'
import { authorize } from '../access/authorize.ts'
import { withCandidates } from '../access/urls/url-policy.ts'
import { freeMemory } from '../bytes/free-memory.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import type { Nanos } from '../money/amount.ts'
import { fixedBound, placeHold } from '../paid-call/hold.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { finishAfterDisconnect, runPaidCall } from '../paid-call/run.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { memoryFailure } from '../request/failure.ts'
import { beginAtCandidate, type CandidateRequest, type CandidateSteps } from '../routing/call-candidates.ts'
import { measureOf } from '../routing/demand.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import type { LimitedUpstream } from '../upstreams/upstream-call.ts'
import { readUpload } from './read-upload.ts'
import { respondWhole } from './respond.ts'
import { respondStream } from './respond-stream.ts'
import type { TranscriptionDependencies } from './transcription-call.ts'
import { expectedBytes, type MeasuredRequest, type TranscriptionCallKind } from './transcription-call.ts'
import { upstreamRequest } from './upstream-request.ts'

/** A disconnect ends nothing: audio that is being heard is billed. */
export const transcriptionJourney = (
  incoming: ApiRequest,
  task: TranscriptionTask,
  deps: TranscriptionDependencies,
): Promise<HttpResponse> => openPaidCall(TRANSCRIPTION, incoming, task, deps).finally(freeMemory)

type Offer = OfferOf<'transcription'>
type Candidate = CandidateOf<'transcription'>

interface TranscriptionKind extends TranscriptionCallKind {
  endpoint: TranscriptionTask
  prepared: Kind['prepared'] & Pick<CandidateRequest<TranscriptionDialectId>, 'dialect' | 'warnings'>
}

const TRANSCRIPTION: Journey<TranscriptionKind, TranscriptionDependencies> = {
  dialectOf: () => 'chat',
  read: readUpload,
  authorize: (caller, { request }, catalogue) => authorize(caller, request.model, 'transcription', catalogue),
  attribution: ({ request }) => request.attribution,
  fingerprint: ({ fingerprint }, task) => ({ endpoint: `audio.${task}`, body: fingerprint }),
  route({ offer, request: { request }, caller, incoming, tooExpensive }, deps) {
    const wanted = offerFor(offer, request)
    const measure = measureOf(wanted, (each) => fixedBound(boundOf(request, each)))
    return takeCandidate({ wanted, caller, incoming, tooExpensive, limitsOf, measure }, deps)
  },
  prepare({ routed: { offer, candidate }, request: { request } }) {
    const { dialect, warnings } = upstreamRequest(request, candidate)
    return { dialect, warnings, bound: fixedBound(boundOf(request, offer)), isExtensible: false }
  },
  hold: placeHold,
  begin: (request) => beginAtCandidate(request, request.prepared, request.request.request.stream),
  close({ close }) {
    freeMemory()
    return close()
  },
  respond: (request, deps) => runPaidCall(request, work, deps, finishAfterDisconnect),
}

function work(call: PaidRequest<TranscriptionKind>, deps: TranscriptionDependencies): Promise<HttpResponse> {
  const { slot, catalogue } = call
  const { request, fingerprint } = call.request
  const steps = stepsOf(request)
  // After the hold: before it, requests may take little more memory than they have sent.
  const bytes = fingerprint.length + expectedBytes(request.audio)
  if (!slot.weigh(bytes)) throw memoryFailure(bytes, catalogue.config.server.limits.memoryBytes)
  return request.stream ? respondStream(call, steps, deps) : respondWhole(call, steps, deps)
}

/** The offer reduced to candidates that can express the request. Throws RequestError if none remains. */
function offerFor(offer: Offer, request: MeasuredRequest): Offer {
  let fault: RequestError | undefined
  const canServe = (candidate: Candidate): boolean => {
    try {
      upstreamRequest(request, candidate)
      return true
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      fault ??= error
      return false
    }
  }
  const served = withCandidates(offer, canServe, [])
  if (served.candidates.length === 0 && fault) throw fault
  return served
}

const boundOf = ({ audio, prompt = '' }: MeasuredRequest, { rate }: Offer): Nanos =>
  rate.bound({ seconds: audio.most, promptBytes: utf8Length(prompt) })

/** As images: most upstreams are silent until all of the audio has been heard. */
const limitsOf = (upstream: Upstream): LimitedUpstream => ({ ...upstream, timeouts: imageTimeoutsOf(upstream) })

const stepsOf = (request: MeasuredRequest): CandidateSteps<Offer['rate'], Offer['model'], TranscriptionDialectId> => ({
  requestFor: (candidate) => upstreamRequest(request, candidate),
  boundOf: (offer) => boundOf(request, offer),
  limitsOf,
})
