// The journey of a request for images: what differs from other paid calls (paid-call/open.ts).
//   read -> authorize -> (claim) -> route -> prepare -> hold -> respond: generate, present, settle

import type { HttpResponse } from '@trivium/http/response.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { checkImageLimits, limitSeries } from '@trivium/protocol/dialects/images/request/limits.ts'
import { authorize } from '../access/authorize.ts'
import { freeMemory } from '../bytes/free-memory.ts'
import { fundsCheck, type UploadFor } from '../media/check-funds.ts'
import type { ModelOf, RateOf } from '../modalities/index.ts'
import { isClaimed } from '../paid-call/claim.ts'
import { fixedBound, placeHold } from '../paid-call/hold.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { finishAfterDisconnect, runPaidCall } from '../paid-call/run.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { memoryFailure } from '../request/failure.ts'
import { beginAtCandidate, type CandidateKind } from '../routing/call-candidates.ts'
import type { ImageDependencies } from './dependencies.ts'
import type { ImageEndpoint } from './endpoints/endpoint.ts'
import { type ImageWork, newWork } from './image-call.ts'
import { checkInputs, offerForInputs } from './reading/fetch-inputs.ts'
import type { ReadRequest } from './reading/read-request.ts'
import { boundOf, expectedBytes } from './reserve.ts'
import { respondJson } from './respond-json.ts'
import { respondStream } from './respond-stream.ts'
import { route } from './route.ts'
import { takesUrls, type UpstreamRequest, upstreamRequest } from './upstream-request.ts'

/** A disconnect ends nothing: an image that is being made is billed. */
export const imageJourney = (
  incoming: ApiRequest,
  endpoint: ImageEndpoint,
  deps: ImageDependencies,
): Promise<HttpResponse> => openPaidCall(IMAGES, incoming, endpoint, deps).finally(freeMemory)

type Prepared = Pick<UpstreamRequest, 'dialect' | 'warnings'> & Kind['prepared']

interface ImageKind extends CandidateKind<RateOf<'image'>, ModelOf<'image'>, ImageDialectId, ImageWork> {
  endpoint: ImageEndpoint
  request: ReadRequest
  prepared: Prepared
}

const IMAGES: Journey<ImageKind, ImageDependencies> = {
  dialectOf: ({ dialect }) => dialect,
  read,
  authorize: (caller, { request }, catalogue) => authorize(caller, request.model, 'image', catalogue),
  attribution: ({ request }) => request.attribution,
  fingerprint: ({ fingerprint }, { name }) => ({ endpoint: name, body: fingerprint }),
  async route({ offer, request: { request }, caller, incoming, tooExpensive }, deps) {
    return route(await offerForInputs(offer, request, caller, deps), request, caller, incoming, deps, tooExpensive)
  },
  prepare({ routed: { offer, candidate }, request: { request }, caller }, deps) {
    if (!takesUrls(candidate)) checkInputs(request)
    const { dialect, warnings } = upstreamRequest(request, candidate, caller, request.n, deps)
    return { dialect, warnings, bound: fixedBound(boundOf(request, offer, candidate)), isExtensible: false }
  },
  hold: placeHold,
  begin(request) {
    beginAtCandidate(request, request.prepared, request.request.request.stream)
    request.own = newWork(request.request.request)
  },
  close({ close }) {
    freeMemory()
    return close()
  },
  respond,
}

const EDITS: UploadFor<'image'> = {
  type: 'image',
  does: 'edits images',
  cheapest: ({ rate }) => rate.cost({ images: [{ size: undefined, quality: undefined }], requested: 1 })?.cost ?? 0n,
}

async function read(admitted: PaidRequest<ImageKind>, deps: ImageDependencies): Promise<ReadRequest> {
  const { incoming, endpoint, caller, slot, catalogue, idempotencyKey, ownWarnings: warnings } = admitted
  const offerOf = (model: string) => authorize(caller, model, 'image', catalogue)
  const isRepeatable = idempotencyKey !== null
  const mayReplay = async () => isRepeatable && (await isClaimed(idempotencyKey, incoming, caller, deps))
  const checkFunds = fundsCheck(EDITS, caller, catalogue, mayReplay, deps)
  const context = { caller, slot, catalogue, offerOf, checkFunds, isRepeatable, warnings }
  const found = await endpoint.read(incoming, context, deps)
  try {
    const { limits } = offerOf(found.request.model).model
    checkImageLimits(found.request, limits)
    return { ...found, request: limitSeries(found.request, limits) }
  } catch (error) {
    await found.close()
    throw error
  }
}

function respond(imageCall: PaidRequest<ImageKind>, deps: ImageDependencies): Promise<HttpResponse> {
  const { id, endpoint, slot, catalogue } = imageCall
  const { request, fingerprint } = imageCall.request
  const encoding = endpoint.encoding({ id, request }, () => Math.floor(deps.clock() / 1_000))
  const work = () => {
    // After the hold: before it, requests may take little more memory than they have sent.
    const bytes = fingerprint.length + expectedBytes(request)
    if (!slot.weigh(bytes)) throw memoryFailure(bytes, catalogue.config.server.limits.memoryBytes)
    return request.stream ? respondStream(imageCall, encoding, deps) : respondJson(imageCall, encoding, deps)
  }
  return runPaidCall(imageCall, work, deps, finishAfterDisconnect)
}
