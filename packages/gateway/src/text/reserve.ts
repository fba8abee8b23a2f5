// What is sent to the first candidate, and the most that it can cost: that much is held in the ledger before anything is sent.

import { warningsFor } from '../paid-call/warnings.ts'
import { coverageOf, measure, withRecalled } from './billing/coverage.ts'
import { beginGeneration } from './generation.ts'
import type { PlannedAttempt } from './request.ts'
import type { Prepared, TextCall, TextDependencies } from './text-call.ts'
import { prepare as prepareOutbound } from './translation/prepare.ts'

export function prepare(opening: TextCall, deps: TextDependencies): Prepared {
  const { request, caller, catalogue, ownWarnings } = opening
  const { wanted, offer, candidate } = opening.routed
  const { parsed, background } = request
  const warnings = warningsFor(offer, wanted, ownWarnings)
  const first: PlannedAttempt = { request, caller, offer, candidate, ownWarnings, warnings }
  // Tools of vendors are among what has a price of its own.
  const tool = parsed.priced.length === 0 ? undefined : deps.offerGatewayTool(first, catalogue)
  const planned = tool?.planned ?? first
  const outbound = prepareOutbound(planned, deps)
  const bound = measure(planned, outbound, deps.statistics)
  const deferral = background && deps.defer(planned, opening)
  return { planned, outbound, bound, isExtensible: parsed.stream, tool, deferral }
}

/** The hold is granted: the first attempt. */
export function begin(call: TextCall): void {
  const { planned, outbound, bound } = call.prepared
  const { request, offer, candidate, warnings } = planned
  const { parsed, conversation } = request
  const { options, answerer, dialect } = outbound
  const coverage = coverageOf(call.hold, bound, planned)
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  const isText = parsed.images + parsed.documents + parsed.audios + options.tools.size === 0
  const { health } = call.routed
  call.attempt = { offer, candidate, warnings, health, options, coverage, answerer, dialect }
  call.isStream = parsed.stream
  call.own = {
    plainBytes: isText ? withRecalled(planned).textBytes : 0,
    keepResponse: conversation?.keep,
    pending: { planned, outbound },
  }
  beginGeneration(call.record, parsed, outbound)
}
