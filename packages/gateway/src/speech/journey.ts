// The journey of a request for speech: what differs from other paid calls (paid-call/open.ts).
//   read -> authorize -> (claim) -> route -> prepare -> hold -> respond: call, pass audio on, settle

import type { HttpResponse } from '@trivium/http/response.ts'
import { decodeSpeechRequest } from '@trivium/protocol/dialects/chat/speech/request.ts'
import type { PathParameters } from '@trivium/protocol/dialects/dialect.ts'
import { readSpeechContent } from '@trivium/protocol/dialects/generate-content/speech/pass-through.ts'
import { authorize } from '../access/authorize.ts'
import { offerForRequest } from '../access/urls/url-names.ts'
import { codec } from '../bytes/codec.ts'
import { usualSeconds } from '../endpoints/speech/modality/price.ts'
import type { DialectOf, ModelOf, RateOf } from '../modalities/index.ts'
import { fixedBound, placeHold } from '../paid-call/hold.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { finishAfterDisconnect, runPaidCall } from '../paid-call/run.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure, memoryFailure } from '../request/failure.ts'
import { readJson } from '../request/read-json.ts'
import { beginAtCandidate, type CandidateKind, type CandidateRequest } from '../routing/call-candidates.ts'
import { measureOf } from '../routing/demand.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import { EVENT_BYTES } from './read-speech.ts'
import { rejectOtherVoices } from './reject-voices.ts'
import { boundOf, respond } from './respond.ts'
import { offerFor, type ReadRequest, speechRequest } from './upstream-request.ts'

export const speechJourney = (incoming: ApiRequest, deps: RoutingDependencies): Promise<HttpResponse> =>
  openPaidCall(SPEECH, incoming, undefined, deps)

/** `addressed`: by generateContent or streamGenerateContent. */
export const speechContentJourney = (
  incoming: ApiRequest,
  addressed: PathParameters,
  deps: RoutingDependencies,
): Promise<HttpResponse> => openPaidCall(SPEECH, incoming, addressed, deps)

interface SpeechKind extends CandidateKind<RateOf<'speech'>, ModelOf<'speech'>, DialectOf<'speech'>> {
  endpoint: PathParameters | undefined
  request: ReadRequest
  prepared: Kind['prepared'] & Pick<CandidateRequest<DialectOf<'speech'>>, 'dialect' | 'warnings'>
}

const SPEECH: Journey<SpeechKind, RoutingDependencies> = {
  dialectOf: (addressed) => (addressed ? 'generate-content' : 'chat'),
  async read({ incoming, slot, catalogue, endpoint: addressed }, deps) {
    const { bodyBytes, values } = catalogue.config.server.limits
    const decode = (body: Uint8Array): ReadRequest =>
      addressed ? readSpeechContent(body, codec, addressed, values) : decodeSpeechRequest(body, codec)
    const request = await readJson(incoming.http, bodyBytes, slot, deps, decode)
    incoming.record.model = request.model
    return request
  },
  authorize(caller, request, catalogue) {
    const { model, characters } = request
    const offer = authorize(caller, model, 'speech', catalogue)
    const most = offer.model.limits.characters
    if (most !== undefined && characters > most)
      throw new Failure('bad_request', `input must have at most ${most} characters for this model.`, { param: 'input' })
    rejectOtherVoices(request, offer)
    return offer
  },
  attribution: (request) => request.attribution,
  fingerprint: ({ body }, addressed) => ({
    endpoint: addressed ? JSON.stringify(['generate-content.speech', addressed.model, addressed.stream]) : 'speech',
    body,
  }),
  async route({ offer, request, caller, incoming, tooExpensive }, deps) {
    const allowed = await offerForRequest(offer, request, caller, deps)
    const wanted = offerFor(allowed, request)
    const measure = measureOf(wanted, (offer) => fixedBound(boundOf(request, offer)))
    return takeCandidate({ wanted, caller, incoming, tooExpensive, measure }, deps)
  },
  prepare({ routed: { offer, candidate }, request }) {
    const { dialect, warnings } = speechRequest(request, offer, candidate)
    return { dialect, warnings, bound: fixedBound(boundOf(request, offer)), isExtensible: false }
  },
  hold: placeHold,
  begin: (request) => beginAtCandidate(request, request.prepared, true),
  respond: (request, deps) => runPaidCall(request, work, deps, finishAfterDisconnect),
}

/** In base64, of 16 bits at 24 kHz. */
const CONTENT_BYTES_PER_SECOND = 64_000

function work(call: PaidRequest<SpeechKind>, deps: RoutingDependencies): Promise<HttpResponse> {
  const { request, slot, catalogue } = call
  // After the hold: before it, requests may take little more memory than they have sent.
  const isContent = call.attempt.dialect === 'generate-content'
  const speech = isContent ? usualSeconds(request.characters) * CONTENT_BYTES_PER_SECOND : 0
  const bytes = request.body.length + Math.min(EVENT_BYTES, Math.ceil(speech))
  if (!slot.weigh(bytes)) throw memoryFailure(bytes, catalogue.config.server.limits.memoryBytes)
  return respond(call, request, deps)
}
