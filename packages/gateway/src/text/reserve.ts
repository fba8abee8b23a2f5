// What is sent to the first candidate, and the most that it can cost: that much is held in the ledger before anything is sent.

import { warningsFor } from '../paid-call/warnings.ts'
import { coverageOf, measure, withRecalled } from './billing/coverage.ts'
import type { RoutedRequest } from './request.ts'
import type { Prepared, TextCall, TextDependencies, TextKind } from './text-call.ts'
import { prepare as prepareOutbound } from './translation/prepare.ts'

export function prepare(routed: TextKind['routed'], opening: TextCall, deps: TextDependencies): Prepared {
  const found = routedRequest(routed, opening)
  const { parsed } = found
  // Tools of vendors are among what has a price of its own.
  const tool = parsed.priced.length === 0 ? undefined : deps.offerGatewayTool(found, opening.catalogue)
  const request = tool?.request ?? found
  const outbound = prepareOutbound(request, deps)
  const bound = measure(request, outbound, deps.statistics)
  const deferral = opening.request.background && deps.defer(request, opening)
  return { request, outbound, bound, isExtensible: parsed.stream, tool, deferral }
}

function routedRequest(
  { wanted, offer, candidate }: TextKind['routed'],
  { caller, ownWarnings, request }: TextCall,
): RoutedRequest {
  const { id, headers, query, dialect, parsed, body, background, asArray, conversation, keepReasoningMs, recalled } =
    request
  // Written out: a spread costs far more, and this is made for every request.
  return {
    id,
    headers,
    query,
    dialect,
    parsed,
    body,
    background,
    asArray,
    conversation,
    keepReasoningMs,
    recalled,
    caller,
    wanted,
    offer,
    candidate,
    tried: NONE,
    ownWarnings,
    warnings: warningsFor(offer, wanted, ownWarnings),
  }
}

const NONE: readonly never[] = []

/** The hold is granted: the first attempt. */
export function begin(call: TextCall): void {
  const { request, outbound, bound } = call.prepared
  const { parsed, offer, candidate, warnings } = request
  const { options, answerer, dialect } = outbound
  const coverage = coverageOf(call.hold, bound, request)
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  const isText = parsed.images + parsed.documents + parsed.audios + options.tools.size === 0
  const { health } = call.routed
  call.attempt = { offer, candidate, warnings, health, options, coverage, answerer, dialect }
  call.isStream = parsed.stream
  call.own = {
    plainBytes: isText ? withRecalled(request).textBytes : 0,
    keepResponse: request.conversation?.keep,
    pending: { request, outbound },
  }
}
