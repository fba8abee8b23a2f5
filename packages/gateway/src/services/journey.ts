// The journey of a call whose request and response are JSON: what differs from other paid calls (paid-call/open.ts). What differs
// between services is in their `JsonService`.
//   read -> authorize -> (claim) -> route -> prepare -> hold -> respond: call, read the response, settle

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { offerForRequest } from '../access/urls/url-names.ts'
import { bookableTokens } from '../money/limits.ts'
import type { Slot } from '../overload/admission.ts'
import { rejectFreeRequest } from '../paid-call/free-requests.ts'
import { placeHold } from '../paid-call/hold.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { finishAfterDisconnect, runPaidCall } from '../paid-call/run.ts'
import { settle } from '../paid-call/settle.ts'
import { writeLargeJson } from '../paid-call/writing/write-json.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { memoryFailure } from '../request/failure.ts'
import { readJson, UNPAID_RATIO } from '../request/read-json.ts'
import { BYTES_PER_VALUE, weighJson } from '../request/weigh-json.ts'
import {
  beginAtCandidate,
  type CandidateKind,
  type CandidateRequest,
  type CandidateSteps,
  callCandidates,
  nextCandidate,
} from '../routing/call-candidates.ts'
import { measureOf } from '../routing/demand.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { failedByOtherModel } from '../routing/other-model.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import { failedByBreak, failedByError, failedByOther } from '../routing/upstream-errors.ts'
import type { JsonService, ServiceCall, ServiceKind, ServiceReply } from './json-service.ts'

/** A request that was read, with its bytes. */
type ServiceRequest<K extends ServiceKind> = { decoded: K['request']; body: Uint8Array }

interface ServiceRequestKind<K extends ServiceKind> extends CandidateKind<K['price'], K['model'], K['dialect']> {
  endpoint: K['endpoint']
  request: ServiceRequest<K>
  prepared: Kind['prepared'] & Pick<CandidateRequest<K['dialect']>, 'dialect' | 'warnings'>
}

export function serviceJourney<K extends ServiceKind>(
  service: JsonService<K>,
): (incoming: ApiRequest, endpoint: K['endpoint'], deps: RoutingDependencies) => Promise<HttpResponse> {
  const journey: Journey<ServiceRequestKind<K>, RoutingDependencies> = {
    dialectOf: service.dialectOf,
    check({ caller, catalogue, idempotencyKey }, deps) {
      // A stored response is served all the same.
      if (idempotencyKey === null && service.isFree?.(caller, catalogue)) rejectFreeRequest(caller, deps)
    },
    async read({ incoming, slot, catalogue, endpoint, caller }, deps) {
      const { limits } = catalogue.config.server
      const parse = (body: Uint8Array, codec: Codec) => {
        weighJson(body, codec, slot, limits)
        return { decoded: service.decode(body, endpoint, limits.values, codec), body }
      }
      const ratio = service.isFree?.(caller, catalogue) ? UNPAID_RATIO : undefined
      const request = await readJson(incoming.http, limits.bodyBytes, slot, deps, parse, ratio)
      const { decoded, body } = request
      incoming.record.model = decoded.model
      weigh(body.length + decoded.values * BYTES_PER_VALUE, slot, limits)
      return request
    },
    authorize: (caller, { decoded }, catalogue) => service.authorize(caller, decoded, catalogue),
    attribution: ({ decoded }) => decoded.attribution,
    fingerprint: ({ body }, endpoint) => ({ endpoint: service.nameOf(endpoint), body }),
    async route({ offer, request, caller, incoming, tooExpensive }, deps) {
      const { urls = [] } = request.decoded
      const wanted = await offerForRequest(offer, { urls }, caller, deps)
      const measure = measureOf(wanted, (offer) => service.boundOf(request.decoded, offer))
      return takeCandidate({ wanted, caller, incoming, tooExpensive, measure }, deps)
    },
    prepare({ routed: { offer, candidate }, request: { decoded }, endpoint }) {
      const { dialect, warnings } = service.requestFor(decoded, candidate, endpoint)
      return { dialect, warnings, bound: service.boundOf(decoded, offer), isExtensible: false }
    },
    hold: placeHold,
    begin: (request) => beginAtCandidate(request, request.prepared, false),
    respond: (request, deps) =>
      runPaidCall(request, () => respond(service, request, deps), deps, finishAfterDisconnect),
  }
  return (incoming, endpoint, deps) => openPaidCall(journey, incoming, endpoint, deps)
}

function weigh(bytes: number, slot: Slot, { memoryBytes }: { memoryBytes: number }): void {
  if (!slot.weigh(bytes)) throw memoryFailure(bytes, memoryBytes)
}

async function respond<K extends ServiceKind>(
  service: JsonService<K>,
  call: PaidRequest<ServiceRequestKind<K>>,
  deps: RoutingDependencies,
): Promise<HttpResponse> {
  const { endpoint, slot, catalogue } = call
  const { decoded, body: sent } = call.request
  // After the hold: before it, requests may take little more memory than they have sent.
  const parsed = sent.length + decoded.values * BYTES_PER_VALUE
  weigh(parsed + service.replyBytes(decoded), slot, catalogue.config.server.limits)
  const steps: CandidateSteps<K['price'], K['model'], K['dialect']> = {
    requestFor(candidate) {
      const request = service.requestFor(decoded, candidate, endpoint)
      return { ...request, body: request.body(), contentType: 'application/json', stream: false }
    },
    boundOf: (offer) => service.boundOf(decoded, offer).amount,
  }
  const { reply, received } = await callUntilRead(service, call, decoded, steps, deps)
  const { read, tokens } = reply
  const body = slot.run(() => service.encodeReply(read, received, decoded, call, endpoint))
  const { offer, candidate } = call.attempt
  call.record.tokens = { input: tokens, cached: 0, output: 0, reasoning: undefined }
  const charge = service.costOf(offer.rate, read, decoded)
  const result = {
    outcome: call.client.isDisconnected ? ('client_disconnected' as const) : ('completed' as const),
    charges: charge ? [charge] : [],
    sawOutput: true,
    tokens: bookableTokens(tokens),
    upstreamCost: candidate.costRate && service.costOf(candidate.costRate, read, decoded)?.cost,
    body,
    ...(service.isCounted(offer.rate, read) ? { details: ',"counted":"usage was missing"' } : {}),
  }
  return writeLargeJson(call, body, () => settle(call, result, deps), deps)
}

/** One upstream after the other, until one sends a response that can be read. */
async function callUntilRead<K extends ServiceKind>(
  service: JsonService<K>,
  call: ServiceCall<K>,
  request: K['request'],
  steps: CandidateSteps<K['price'], K['model'], K['dialect']>,
  deps: RoutingDependencies,
): Promise<{ reply: ServiceReply<K>; received: Uint8Array }> {
  for (;;) {
    const response = await callCandidates(call, steps, deps)
    const received = await receivedBytes(call, response, service.replyBytes(request))
    const read = 'failure' in received ? received : readReply(service, received, request, call, deps)
    if (!('failure' in read)) {
      call.firstOutputAt = performance.now()
      return read
    }
    await nextCandidate(call, read, steps, deps)
  }
}

function readReply<K extends ServiceKind>(
  service: JsonService<K>,
  received: Uint8Array,
  request: K['request'],
  call: ServiceCall<K>,
  deps: RoutingDependencies,
): { reply: ServiceReply<K>; received: Uint8Array } | FailedAttempt {
  const reply = service.readReply(received, request)
  if (reply === undefined) return failedByOther(UNREADABLE)
  if ('error' in reply) return failedByError(call, reply.error, deps)
  return failedByOtherModel(call.attempt.candidate, reply.model) ?? { reply, received }
}

const UNREADABLE = 'The upstream sent a response that is not what was asked for.'

async function receivedBytes(
  call: PaidRequest,
  response: UpstreamResponse,
  most: number,
): Promise<Uint8Array | FailedAttempt> {
  try {
    const bytes = await readAtMost(response, most, call.upstreamCall)
    return bytes ?? failedByOther('The upstream sent a response that is too large.')
  } catch {
    return failedByBreak(call)
  }
}
