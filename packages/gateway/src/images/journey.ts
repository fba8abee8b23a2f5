// The journey of a request for images, on the core of all paid calls:
//   authenticate -> admit -> read -> authorize -> (claim) -> route -> reserve -> generate -> respond -> settle

import type { HttpResponse } from '@trivium/http/response.ts'
import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { checkImageLimits, limitSeries } from '@trivium/protocol/dialects/images/request/limits.ts'
import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { freeMemory } from '../bytes/free-memory.ts'
import type { Catalogue, OfferOf } from '../catalogue/catalogue.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import type { Slot } from '../overload/admission.ts'
import { type AdmitDependencies, admit } from '../paid-call/admit.ts'
import { claim, confirmClaim, IDEMPOTENCY_KEY, isClaimed, type KeyClaim, releaseClaim } from '../paid-call/claim.ts'
import { type HoldDependencies, placeHold } from '../paid-call/hold.ts'
import { type HoldErrorDependencies, holdError, unavailable } from '../paid-call/hold-errors.ts'
import type { PaidCall } from '../paid-call/paid-call.ts'
import { recentRateLimit } from '../paid-call/rate-limit-errors.ts'
import { runPaidCall } from '../paid-call/run.ts'
import { showWarnings } from '../paid-call/writing/show-warnings.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { memoryFailure } from '../request/failure.ts'
import type { Node } from '../storage/node/node.ts'
import type { OpenRequest } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import type { ImageEndpoint } from './endpoints/endpoint.ts'
import type { ImageCall } from './image-call.ts'
import { type FundsDependencies, fundsCheck } from './reading/check-funds.ts'
import { checkInputs, offerForInputs } from './reading/fetch-inputs.ts'
import type { ReadDependencies } from './reading/read.ts'
import type { ReadRequest } from './reading/read-request.ts'
import { boundOf, expectedBytes } from './reserve.ts'
import { respondJson } from './respond-json.ts'
import { respondStream, type StreamDependencies } from './respond-stream.ts'
import { type RouteDependencies, type Routed, releaseSlot, route } from './route.ts'
import { takesUrls, upstreamRequest } from './upstream-request.ts'

export type ImageDependencies = {
  /** The configuration in force. A request takes it once and keeps it. */
  catalogue(): Catalogue
  node: Node
} & AuthenticateDependencies &
  AdmitDependencies &
  ReadDependencies &
  FundsDependencies &
  RouteDependencies &
  HoldDependencies &
  HoldErrorDependencies &
  StreamDependencies

export async function imageJourney(
  incoming: ApiRequest,
  endpoint: ImageEndpoint,
  deps: ImageDependencies,
): Promise<HttpResponse> {
  const caller = await authenticate(incoming, endpoint.dialect, deps)
  const catalogue = deps.catalogue()
  const idempotencyKey = incoming.http.headers.get(IDEMPOTENCY_KEY)
  const rateLimited = recentRateLimit(caller, undefined, deps)
  if (rateLimited && idempotencyKey === null) throw rateLimited
  const slot = await admit(incoming, caller, deps)
  let isResponding = false
  let claimed: KeyClaim | undefined
  let read: ReadRequest | undefined
  try {
    const warnings: string[] = []
    const offerOf = (model: string) => authorize(caller, model, 'image', catalogue)
    const isRepeatable = idempotencyKey !== null
    const mayReplay = async () => isRepeatable && (await isClaimed(idempotencyKey, incoming, caller, deps))
    const checkFunds = fundsCheck(caller, catalogue, mayReplay, deps)
    read = await endpoint.read(incoming, { caller, slot, catalogue, offerOf, checkFunds, isRepeatable, warnings }, deps)
    const { fingerprint } = read
    const { limits } = offerOf(read.request.model).model
    checkImageLimits(read.request, limits)
    const request = limitSeries(read.request, limits)
    if (idempotencyKey !== null) {
      const keyed = {
        incoming,
        caller,
        endpoint: endpoint.name,
        body: fingerprint,
        warnings,
        idempotencyKey,
        rateLimited,
      }
      const found = await claim(keyed, catalogue.config.retention, deps)
      if (found && 'status' in found) {
        incoming.record.outcome = 'replayed'
        return found
      }
      claimed = found
    }
    const context = { incoming, endpoint, slot, claim: claimed, request, warnings }
    const imageCall = await reserve(context, caller, catalogue, deps)
    slot.paid()
    if (claimed) await confirmClaim(claimed, imageCall.hold, () => releaseSlot(slotOf(imageCall), deps))
    deps.retryBudget.addRequest()
    showWarnings(imageCall.attempt.warnings, imageCall.headers)
    imageCall.upstreamCall.sent()
    const encoding = endpoint.encoding(imageCall, () => Math.floor(deps.clock() / 1_000))
    const work = () => {
      // After the hold: before it, requests may take little more memory than they have sent.
      const bytes = fingerprint.length + expectedBytes(request)
      if (!slot.weigh(bytes)) throw memoryFailure(bytes, catalogue.config.server.limits.memoryBytes)
      return request.stream ? respondStream(imageCall, encoding, deps) : respondJson(imageCall, encoding, deps)
    }
    const response = await runPaidCall(imageCall, work, deps, continueOnDisconnect)
    isResponding = true
    const { close } = read
    if (request.stream)
      return withEnd(response, () => {
        slot.release()
        freeMemory()
        return close()
      })
    // It is settled, and what is unsent is weighed apart: a client that does not read keeps no slot.
    slot.release()
    await close()
    return response
  } catch (error) {
    if (claimed) await releaseClaim(claimed, deps)
    throw error
  } finally {
    if (!isResponding) {
      slot.release()
      freeMemory()
      await read?.close()
    }
  }
}

/** Until a stream has ended, another upstream may need the uploads. */
function withEnd(response: HttpResponse, end: () => Promise<void>): HttpResponse {
  const { body } = response
  if (body instanceof Uint8Array) return response
  return { ...response, body: { run: (sink) => body.run(sink).finally(end) } }
}

/** An image that is being made is billed: the call runs to its end and is charged, and its idempotency key replays the response. */
function continueOnDisconnect({ client, upstreamCall, attempt }: PaidCall): void {
  const { drainMs } = imageTimeoutsOf(attempt.candidate.upstream)
  client.onDisconnect = () => upstreamCall.endWithin(drainMs, 'client_disconnected')
  if (client.isDisconnected) client.onDisconnect()
}

type Context = {
  incoming: ApiRequest
  endpoint: ImageEndpoint
  slot: Slot
  claim: KeyClaim | undefined
  request: ImageRequest
  warnings: readonly string[]
}

const slotOf = ({ upstreamCall, attempt: { health } }: ImageCall) => ({ upstreamCall, health })

/** A key that changes this often between lookup and hold is changed on purpose. */
const MOST_KEY_CHANGES = 3

/** A candidate with its slots, and the hold for the most that the images can cost. */
async function reserve(
  context: Context,
  caller: Caller,
  catalogue: Catalogue,
  deps: ImageDependencies,
): Promise<ImageCall> {
  let current = caller
  for (let changes = 0; changes < MOST_KEY_CHANGES; changes++) {
    const offer = offerForInputs(
      authorize(current, context.request.model, 'image', catalogue),
      context.request,
      current,
    )
    const routed = await route(offer, current, context.incoming, deps)
    let isHeld = false
    try {
      const call = await holdFor(routed, context, current, offer, deps)
      isHeld = call !== undefined
      if (call) return call
    } finally {
      if (!isHeld) releaseSlot(routed, deps)
    }
    current = await authenticate(context.incoming, context.endpoint.dialect, deps, current)
  }
  throw unavailable()
}

/** undefined: the key has changed since it was looked up. */
async function holdFor(
  routed: Routed,
  context: Context,
  caller: Caller,
  wanted: OfferOf<'image'>,
  deps: ImageDependencies,
): Promise<ImageCall | undefined> {
  const { request, incoming, claim } = context
  const { offer, candidate } = routed
  // What this upstream cannot express is rejected before anything is held.
  if (!takesUrls(candidate)) checkInputs(request)
  const { dialect, warnings } = upstreamRequest(request, candidate, caller, request.n, deps)
  const amount = boundOf(request, offer, candidate)
  const { nodeId, epoch } = claim?.claim ?? deps.node.identity()
  const owner = { nodeId, epoch }
  const held = await placeHold(
    {
      id: incoming.id,
      caller,
      owner,
      model: wanted.model.id,
      isFallback: false,
      upstream: candidate.upstream.id,
      amount,
      minimum: amount,
      tokens: 0,
      minimumTokens: 0,
      isExtensible: false,
    },
    deps,
  )
  if (held.outcome === 'open') {
    const all = [...context.warnings, ...warnings]
    return callOf(routed, context, caller, { hold: held.request, owner, dialect, warnings: all })
  }
  if (held.outcome === 'key_changed') return undefined
  throw await holdError(held, { caller, model: wanted.model.id, minimum: amount, minimumTokens: 0 }, deps)
}

type Held = Pick<ImageCall, 'owner'> & Pick<ImageCall['attempt'], 'dialect' | 'warnings'> & { hold: OpenRequest }

function callOf(routed: Routed, context: Context, caller: Caller, held: Held): ImageCall {
  const { offer, candidate, upstreamCall, health } = routed
  const { incoming, slot, claim, request } = context
  const { http, responseHeaders: headers, record, id } = incoming
  const { hold, owner, dialect, warnings } = held
  return {
    id,
    caller,
    hold,
    owner,
    upstreamCall,
    client: http,
    headers,
    record,
    startedAt: record.startedAt,
    slot,
    claim,
    attempt: { offer, candidate, dialect, health, warnings },
    failedAttempts: undefined,
    firstOutputAt: undefined,
    isSettled: false,
    request,
    wanted: offer,
    tried: [],
    delivered: [],
    usage: undefined,
    heldBytes: 0,
    calls: 0,
  }
}
