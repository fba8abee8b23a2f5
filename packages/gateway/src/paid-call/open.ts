// Opens a paid request: everything from its arrival to the hold, once for every kind. Nothing is sent to an upstream before it is
// open. Whatever fails on the way, the slots are released, the idempotency key is free and nothing is held.
// Steps that need not wait return no promise, and nothing is awaited then: see docs/decisions/0016-optimizations.md.
//   authenticate -> rate limit -> admit -> read -> authorize -> (claim, or replay) -> route -> prepare -> hold -> confirm -> respond

import type { HttpResponse } from '@trivium/http/response.ts'
import { attributionOf } from '../access/attribution/attribution.ts'
import { authenticate } from '../access/authenticate.ts'
import { isLackOfFunds } from '../money/verbs.ts'
import type { Slot } from '../overload/admission.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { MEASURED_BYTES } from '../request/turns.ts'
import type { RejectedHold } from '../storage/node/settler.ts'
import { enter } from './admit.ts'
import { budgetsText } from './budgets/on-receipts.ts'
import { claim, confirmClaim, IDEMPOTENCY_KEY, releaseClaim } from './claim.ts'
import { countFreeRequest } from './free-requests.ts'
import { holdError, unavailable } from './hold-errors.ts'
import type { Journey } from './journey.ts'
import { type Kind, type PaidCallDependencies, PaidRequest, type Routed } from './paid-request.ts'
import { endFailed } from './run.ts'
import { showWarnings, warnOfRetirement } from './warnings.ts'

/** The response of the journey, or the stored one of an earlier request. */
export async function openPaidCall<K extends Kind, D extends PaidCallDependencies>(
  journey: Journey<K, D>,
  incoming: ApiRequest,
  endpoint: K['endpoint'],
  deps: D,
): Promise<HttpResponse> {
  const request = new PaidRequest<K>(incoming, endpoint, incoming.http.headers.get(IDEMPOTENCY_KEY))
  const entering = enter(journey, request, deps)
  request.slot = entering instanceof Promise ? await entering : entering
  let isRead = false
  let isStreaming = false
  try {
    const reading = journey.read(request, deps)
    request.request = reading instanceof Promise ? await reading : reading
    isRead = true
    // Before the claim: a caller that may no longer use the model does not get a stored response of it either.
    request.offer = journey.authorize(request.caller, request.request, request.catalogue)
    warnOfRetirement(request)
    const attributing = attribute(journey, request, deps)
    if (attributing) await attributing
    const replayed = request.idempotencyKey === null ? undefined : await claimKey(journey, request, deps)
    if (replayed) return replayed
    // Routes, prepares and holds, until a hold is granted or nothing is left to try.
    for (let keyChanges = 0, isOpen = false; !isOpen; ) {
      const routing = journey.route(request, deps)
      const routed = routing instanceof Promise ? await routing : routing
      let held: Held<K> | RejectedHold | undefined
      try {
        request.routed = routed
        const preparing = isLarge(request)
          ? request.slot.run(() => journey.prepare(request, deps))
          : journey.prepare(request, deps)
        request.prepared = preparing instanceof Promise ? await preparing : preparing
        const isFree = request.prepared.bound.amount === 0n
        if (isFree && keyChanges === 0) countFreeRequest(request.caller, request.slot.weight, deps)
        request.owner = request.claim?.claim ?? deps.node.identity()
        held = await journey.hold(request, deps)
        if (held.verdict === 'open') {
          begin(journey, request, held.request)
          isOpen = true
        }
      } catch (error) {
        // Nothing was sent, and nothing else would end this hold.
        if (held?.verdict === 'open') await held.request.void('node_lost', '')
        throw error
      } finally {
        if (!isOpen) releaseSlots(routed, deps)
      }
      if (held.verdict !== 'open' && (await isKeyChanged(journey, request, held, keyChanges, deps))) keyChanges++
    }
    deps.retryBudget.addRequest()
    showWarnings(request.attempt.warnings, request.headers)
    // Once: all attempts share the limit on the total time.
    request.upstreamCall.sent()
    // What is sent is encoded, and passed to a connection, before anything is awaited.
    const response = await (isLarge(request)
      ? request.slot.run(() => journey.respond(request, deps))
      : journey.respond(request, deps))
    isStreaming = request.isStream
    return isStreaming && journey.close ? closedAfter(response, request.request, journey.close) : response
  } catch (error) {
    await endFailed(request, error, deps)
    if (request.claim) await releaseClaim(request.claim, deps)
    throw error
  } finally {
    if (!isStreaming) request.slot.release()
    if (!isStreaming && isRead && journey.close) await journey.close(request.request)
  }
}

/** Whom and what it is for, and the budgets of that. Throws for what the operator or the key does not allow. */
function attribute<K extends Kind, D extends PaidCallDependencies>(
  journey: Journey<K, D>,
  opening: PaidRequest<K>,
  deps: D,
): Promise<void> | undefined {
  const { incoming, request, caller, catalogue, record, offer } = opening
  if (!incoming.isAttributed) {
    const said = journey.attribution?.(request)
    record.attribution = attributionOf(incoming.http.headers, said, caller, catalogue.config.attribution, deps)
  }
  const budgets = deps.budgets.applying({ caller, model: offer.model.id, attribution: record.attribution })
  if (budgets instanceof Promise)
    return budgets.then((applying) => {
      opening.budgets = applying
    })
  opening.budgets = budgets
  return undefined
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

/** Resolves with the stored response of an earlier request; undefined: this one runs. */
async function claimKey<K extends Kind, D extends PaidCallDependencies>(
  { resume, fingerprint }: Journey<K, D>,
  request: PaidRequest<K>,
  deps: D,
): Promise<HttpResponse | undefined> {
  const { incoming, caller, ownWarnings: warnings, idempotencyKey, rateLimited, catalogue } = request
  const keyed = {
    incoming,
    caller,
    warnings,
    idempotencyKey: idempotencyKey ?? '',
    rateLimited,
    resume: resume && ((first: bigint) => resume(first, caller, deps)),
    ...fingerprint(request.request, request.endpoint),
  }
  const found = await claim(keyed, catalogue.config.retention, deps)
  if (!found || !('status' in found)) {
    request.claim = found
    return undefined
  }
  incoming.record.outcome = 'replayed'
  return found
}

type Held<K extends Kind> = { verdict: 'open'; request: K['hold'] }

/** The hold is granted. */
function begin<K extends Kind, D extends PaidCallDependencies>(
  journey: Journey<K, D>,
  request: PaidRequest<K>,
  hold: K['hold'],
): void {
  const { wanted, offer, candidate, upstreamCall } = request.routed
  const { claim, slot } = request
  slot.paid()
  if (candidate.upstream.embedded && isLarge(request)) slot.charge(slot.weight / EMBEDDED_BYTES_PER_MS)
  request.hold = hold
  if (request.budgets) request.budgetsText ??= budgetsText(request.budgets, hold.budgetsLeft)
  request.upstreamCall = upstreamCall
  // The receipt names the model that answered only where there is such a list.
  request.failedAttempts = offer === wanted ? undefined : []
  journey.begin(request)
  if (claim) confirmClaim(claim)
}

/** A key that changes this often between lookup and hold is changed on purpose. */
const MOST_KEY_CHANGES = 3

/** Prepares the request for another try, and whether the key has changed. Throws if there is nothing left to try. */
async function isKeyChanged<K extends Kind, D extends PaidCallDependencies>(
  journey: Journey<K, D>,
  request: PaidRequest<K>,
  rejected: RejectedHold,
  keyChanges: number,
  deps: D,
): Promise<boolean> {
  const { wanted, offer } = request.routed
  if (isLackOfFunds(rejected.verdict) && offer !== wanted) {
    request.tooExpensive.push(offer.model.id)
    return false
  }
  const { incoming, endpoint, caller, catalogue } = request
  if (rejected.verdict !== 'key_changed') {
    const { minimum, minimumTokens } = request.prepared.bound
    const { budgets } = request
    const needed = { caller, model: wanted.model.id, minimum, minimumTokens, budgets, config: catalogue.config }
    throw await holdError(rejected, needed, deps)
  }
  request.caller = await authenticate(incoming, journey.dialectOf(endpoint), deps, caller)
  if (keyChanges + 1 === MOST_KEY_CHANGES) throw unavailable()
  // What the key may call, at which price and under which tags, is decided anew.
  request.offer = journey.authorize(request.caller, request.request, catalogue)
  const attributing = attribute(journey, request, deps)
  if (attributing) await attributing
  return true
}

/** Nothing was sent to the upstream. */
export function releaseSlots(
  { upstreamCall, health }: Pick<Routed, 'upstreamCall' | 'health'>,
  { ticker }: Pick<PaidCallDependencies, 'ticker'>,
): void {
  upstreamCall.stop()
  health.end(ticker.now())
}
