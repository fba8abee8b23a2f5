// Reserves funds: the most that the request can cost is held in the ledger. Without a hold nothing is sent.

import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import { isLackOfFunds } from '../money/verbs.ts'
import type { Slot } from '../overload/admission.ts'
import type { KeyClaim } from '../paid-call/claim.ts'
import { type HoldDependencies, placeHold } from '../paid-call/hold.ts'
import { type HoldErrorDependencies, holdError, unavailable } from '../paid-call/hold-errors.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { Node } from '../storage/node/node.ts'
import type { OpenRequest, RejectedHold } from '../storage/node/settler.ts'
import { coverageOf, type Measured, measure, withRecalled } from './billing/coverage.ts'
import type { StatisticsByModel } from './billing/model-statistics.ts'
import type { Planning, Routed } from './candidates/route.ts'
import type { TextEndpoint } from './request.ts'
import type { TextCall } from './text-call.ts'
import type { Outbound } from './translation/outbound.ts'

export type ReserveDependencies = HoldDependencies &
  HoldErrorDependencies &
  AuthenticateDependencies & { node: Node; statistics: StatisticsByModel }

/** What the call belongs to. */
export type CallContext = { incoming: ApiRequest; slot: Slot; claim: KeyClaim | undefined }

/** The ledger did not grant the hold. */
export type HoldRejection = { rejected: RejectedHold; routed: Routed; measured: Measured }

export async function reserve(
  routed: Routed,
  outbound: Outbound,
  context: CallContext,
  deps: ReserveDependencies,
): Promise<TextCall | HoldRejection> {
  const { request } = routed
  const { id, caller, wanted, offer, candidate } = request
  const measured = measure(request, outbound, deps.statistics)
  const { nodeId, epoch } = context.claim?.claim ?? deps.node.identity()
  const owner = { nodeId, epoch }
  const { amount, minimum, tokens, minimumTokens } = measured
  const held = await placeHold(
    {
      id,
      caller,
      owner,
      model: wanted.model.id,
      isFallback: offer !== wanted,
      upstream: candidate.upstream.id,
      amount,
      minimum,
      tokens,
      minimumTokens,
      isExtensible: request.parsed.stream,
    },
    deps,
  )
  if (held.outcome !== 'open') return { rejected: held, routed, measured }
  return textCallOf(routed, outbound, measured, { ...context, hold: held.request, owner })
}

type Held = CallContext & { hold: OpenRequest; owner: TextCall['owner'] }

function textCallOf(routed: Routed, outbound: Outbound, measured: Measured, held: Held): TextCall {
  const { request, upstreamCall, health } = routed
  const { incoming, slot, claim, hold, owner } = held
  const { http, responseHeaders: headers, record } = incoming
  const { parsed, offer, candidate, warnings } = request
  const { options, answerer, dialect } = outbound
  const coverage = coverageOf(hold, measured, request)
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  const isText = parsed.images + parsed.documents + parsed.audios + options.tools.size === 0
  return {
    id: request.id,
    caller: request.caller,
    hold,
    owner,
    upstreamCall,
    client: http,
    headers,
    record,
    startedAt: record.startedAt,
    slot,
    claim,
    attempt: { offer, candidate, warnings, health, options, coverage, answerer, dialect },
    // The receipt names the model that answered only where there is such a list.
    failedAttempts: offer === request.wanted ? undefined : [],
    firstOutputAt: undefined,
    isSettled: false,
    isStream: parsed.stream,
    plainBytes: isText ? withRecalled(request).textBytes : 0,
    keepResponse: request.conversation?.keep,
    pending: { request, outbound },
  }
}

/** A key that changes this often between lookup and hold is changed on purpose. */
const MOST_KEY_CHANGES = 3

/**
 * After a rejected hold: what may be tried instead, else the error is thrown. A key that has changed since it was looked up is
 * looked up again: what it may call, and at which price, is decided anew. Fallbacks that are too expensive are left out.
 */
export async function reconsider(
  { rejected, routed, measured }: HoldRejection,
  planning: Planning,
  incoming: ApiRequest,
  { dialect }: TextEndpoint,
  deps: ReserveDependencies,
): Promise<Planning> {
  const { offer, wanted } = routed.request
  const { caller } = planning
  if (isLackOfFunds(rejected.outcome) && offer !== wanted)
    return { ...planning, tooExpensive: [...planning.tooExpensive, offer] }
  if (rejected.outcome === 'key_changed') {
    const changed = await authenticate(incoming, dialect.id, deps, caller)
    const keyChanges = planning.keyChanges + 1
    if (keyChanges === MOST_KEY_CHANGES) throw unavailable()
    return { ...planning, caller: changed, keyChanges }
  }
  const { minimum, minimumTokens } = measured
  throw await holdError(rejected, { caller, model: wanted.model.id, minimum, minimumTokens }, deps)
}
