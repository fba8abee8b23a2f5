// Opens a paid call: everything from the arrival of a request to the hold, once for every kind of call. Nothing is sent to an
// upstream before it is open. Whatever fails on the way, the slots are released, the idempotency key is free and nothing is held.
// Steps that need not wait return no promise, and nothing is awaited then: see docs/decisions/0016-optimizations.md.
//   authenticate -> rate limit -> admit -> read -> authorize -> (claim, or replay) -> route -> prepare -> hold -> confirm

import type { HttpResponse } from '@trivium/http/response.ts'
import { authenticate } from '../access/authenticate.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { isLackOfFunds } from '../money/verbs.ts'
import type { Slot } from '../overload/admission.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { Failure } from '../request/failure.ts'
import { MEASURED_BYTES } from '../request/turns.ts'
import type { RejectedHold } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import { enter } from './admit.ts'
import { claim, confirmClaim, IDEMPOTENCY_KEY, type KeyClaim, releaseClaim } from './claim.ts'
import { countFreeRequest } from './free-requests.ts'
import type { Bound, HoldRequest } from './hold.ts'
import { holdError, unavailable } from './hold-errors.ts'
import type { Admitted, Journey, Kind, OpenDependencies, OpeningOf, Routed } from './journey.ts'
import { recentRateLimit } from './rate-limit-errors.ts'
import { showWarnings } from './warnings.ts'

/** The response of the journey, or the stored one of an earlier request. */
export async function openPaidCall<K extends Kind>(
  journey: Journey<K>,
  incoming: ApiRequest,
  endpoint: K['endpoint'],
  deps: K['deps'],
): Promise<HttpResponse> {
  const idempotencyKey = incoming.http.headers.get(IDEMPOTENCY_KEY)
  const warnings: string[] = []
  let rateLimited: Failure | undefined
  const check = (caller: Caller, catalogue: Catalogue) => {
    rateLimited = recentRateLimit(caller, undefined, deps)
    // A stored response is served all the same.
    if (rateLimited && idempotencyKey === null) throw rateLimited
    journey.check?.({ incoming, endpoint, catalogue, caller, idempotencyKey, warnings }, deps)
  }
  const entering = enter(incoming, journey.dialectOf(endpoint), check, deps)
  const { caller, catalogue, slot } = entering instanceof Promise ? await entering : entering
  let request: K['request'] | undefined
  let claimed: KeyClaim | undefined
  let isStreaming = false
  try {
    const admitted = { incoming, endpoint, catalogue, caller, idempotencyKey, warnings, slot }
    const reading = journey.read(admitted, deps)
    request = reading instanceof Promise ? await reading : reading
    // Before the claim: a caller that may no longer use the model does not get a stored response of it either.
    const offer = journey.authorize(caller, request, catalogue)
    if (idempotencyKey !== null) {
      const found = await claimKey(journey, admitted, request, idempotencyKey, rateLimited, deps)
      if (found && 'status' in found) {
        incoming.record.outcome = 'replayed'
        return found
      }
      claimed = found
    }
    const opening: OpeningOf<K> = {
      incoming,
      endpoint,
      catalogue,
      caller,
      idempotencyKey,
      warnings,
      slot,
      request,
      offer,
      claim: claimed,
      tooExpensive: [],
    }
    const call = await reserve(journey, opening, deps)
    deps.retryBudget.addRequest()
    showWarnings(call.attempt.warnings, call.headers)
    // Once: all attempts share the limit on the total time.
    call.upstreamCall.sent()
    // What is sent is encoded, and passed to a connection, before anything is awaited.
    const response = await (isLarge(opening)
      ? slot.run(() => journey.respond(call, opening, deps))
      : journey.respond(call, opening, deps))
    isStreaming = call.isStream
    return isStreaming && journey.close ? closedAfter(response, request, journey.close) : response
  } catch (error) {
    if (claimed) await releaseClaim(claimed, deps)
    throw error
  } finally {
    if (!isStreaming) slot.release()
    if (!isStreaming && request !== undefined && journey.close) await journey.close(request)
  }
}

/** What it takes on the main thread is measured. */
const isLarge = ({ slot }: { slot: Slot }): boolean => slot.weight > MEASURED_BYTES

/** The embedded models read and answer in this thread, once they are called: about as fast as this. */
const EMBEDDED_BYTES_PER_MS = 128 * 1024

/** Until a stream has ended, another upstream may need what was read. */
function closedAfter<Q>(response: HttpResponse, request: Q, close: (request: Q) => Promise<void>): HttpResponse {
  const { body } = response
  if (body instanceof Uint8Array) return response
  return { ...response, body: { run: (sink) => body.run(sink).finally(() => close(request)) } }
}

function claimKey<K extends Kind>(
  journey: Journey<K>,
  { incoming, endpoint, caller, warnings, catalogue }: Admitted<K['endpoint']>,
  request: K['request'],
  idempotencyKey: string,
  rateLimited: Failure | undefined,
  deps: K['deps'],
) {
  const { resume } = journey
  const keyed = {
    incoming,
    caller,
    warnings,
    idempotencyKey,
    rateLimited,
    resume: resume && ((first: bigint) => resume(first, caller, deps)),
    ...journey.fingerprint(request, endpoint),
  }
  return claim(keyed, catalogue.config.retention, deps)
}

/** A key that changes this often between lookup and hold is changed on purpose. */
const MOST_KEY_CHANGES = 3

/** Routes, prepares and holds, until a hold is granted or nothing is left to try. */
async function reserve<K extends Kind>(
  journey: Journey<K>,
  opening: OpeningOf<K>,
  deps: K['deps'],
): Promise<K['call']> {
  for (let keyChanges = 0; ; ) {
    const routing = journey.route(opening, deps)
    const routed = routing instanceof Promise ? await routing : routing
    let held: Held<K> | RejectedHold | undefined
    let call: K['call'] | undefined
    let bound: Bound
    try {
      const preparing = isLarge(opening)
        ? opening.slot.run(() => journey.prepare(routed, opening, deps))
        : journey.prepare(routed, opening, deps)
      const prepared = preparing instanceof Promise ? await preparing : preparing
      bound = prepared.bound
      if (bound.amount === 0n && keyChanges === 0) countFreeRequest(opening.caller, opening.slot.weight, deps)
      const request = holdRequestOf(routed, prepared, opening, deps)
      held = await journey.hold(request, deps, routed, prepared, opening)
      if (held.verdict === 'open') {
        call = openCall(journey, held, request, routed, prepared, opening)
        return call
      }
    } catch (error) {
      // Nothing was sent, and nothing else would end this hold.
      if (held?.verdict === 'open') await held.request.void('node_lost', '')
      throw error
    } finally {
      if (!call) releaseSlots(routed, deps)
    }
    if (isLackOfFunds(held.verdict) && routed.offer !== routed.wanted) opening.tooExpensive.push(routed.offer.model.id)
    else if (held.verdict === 'key_changed') {
      const { incoming, endpoint, catalogue, request } = opening
      opening.caller = await authenticate(incoming, journey.dialectOf(endpoint), deps, opening.caller)
      if (++keyChanges === MOST_KEY_CHANGES) throw unavailable()
      // What the key may call, and at which price, is decided anew.
      opening.offer = journey.authorize(opening.caller, request, catalogue)
    } else {
      const { minimum, minimumTokens } = bound
      const { caller, catalogue } = opening
      const needed = { caller, model: routed.wanted.model.id, minimum, minimumTokens, config: catalogue.config }
      throw await holdError(held, needed, deps)
    }
  }
}

type Held<K extends Kind> = { verdict: 'open'; request: K['hold'] }

function holdRequestOf<K extends Kind>(
  { wanted, offer, candidate }: K['routed'],
  { bound, isExtensible }: K['prepared'],
  { incoming, caller, claim }: OpeningOf<K>,
  deps: K['deps'],
): HoldRequest {
  const { nodeId, epoch } = claim?.claim ?? deps.node.identity()
  return {
    id: incoming.id,
    caller,
    owner: { nodeId, epoch },
    model: wanted.model.id,
    isFallback: offer !== wanted,
    upstream: candidate.upstream.id,
    bound,
    isExtensible,
  }
}

function openCall<K extends Kind>(
  journey: Journey<K>,
  held: Held<K>,
  { id, caller, owner, isFallback }: HoldRequest,
  routed: K['routed'],
  prepared: K['prepared'],
  opening: OpeningOf<K>,
): K['call'] {
  const { incoming, claim, slot, warnings } = opening
  const { http: client, responseHeaders: headers, record } = incoming
  slot.paid()
  if (routed.candidate.upstream.embedded && isLarge(opening)) slot.charge(slot.weight / EMBEDDED_BYTES_PER_MS)
  const call = journey.callOf(
    {
      id,
      caller,
      hold: held.request,
      owner,
      upstreamCall: routed.upstreamCall,
      client,
      headers,
      record,
      startedAt: record.startedAt,
      slot,
      claim,
      ownWarnings: warnings,
      // The receipt names the model that answered only where there is such a list.
      failedAttempts: isFallback ? [] : undefined,
      firstOutputAt: undefined,
      isSettled: false,
    },
    routed,
    prepared,
    opening,
  )
  if (claim) confirmClaim(claim)
  return call
}

/** Nothing was sent to the upstream. */
export function releaseSlots(
  { upstreamCall, health }: Pick<Routed, 'upstreamCall' | 'health'>,
  { ticker }: Pick<OpenDependencies, 'ticker'>,
): void {
  upstreamCall.stop()
  health.end(ticker.now())
}
