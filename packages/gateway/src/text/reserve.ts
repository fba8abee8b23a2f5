// What is sent to the first candidate, and the most that it can cost: that much is held in the ledger before anything is sent.

import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { HeldCall, Routed } from '../paid-call/journey.ts'
import { warningsFor } from '../paid-call/warnings.ts'
import { coverageOf, type Measured, measure, withRecalled } from './billing/coverage.ts'
import type { StatisticsByModel } from './billing/model-statistics.ts'
import type { Deferral, DeferralDependencies } from './deferral.ts'
import type { GatewayTool, GatewayToolDependencies } from './gateway-tool.ts'
import type { RoutedRequest, TextOpening } from './request.ts'
import type { TextCall } from './text-call.ts'
import type { Outbound, TranslationDependencies } from './translation/outbound.ts'
import { prepare as prepareOutbound } from './translation/prepare.ts'

export type PrepareDependencies = TranslationDependencies &
  GatewayToolDependencies &
  DeferralDependencies & { statistics: StatisticsByModel }

export type Prepared = {
  request: RoutedRequest
  outbound: Outbound
  bound: Measured
  isExtensible: boolean
  tool: GatewayTool | undefined
  deferral: Deferral | undefined
}

export function prepare(
  routed: Routed<OfferOf<'text'>, CandidateOf<'text'>>,
  opening: TextOpening,
  deps: PrepareDependencies,
): Prepared {
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
  { wanted, offer, candidate }: Routed<OfferOf<'text'>, CandidateOf<'text'>>,
  { caller, warnings, request }: TextOpening,
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
    ownWarnings: warnings,
    warnings: warningsFor(offer, wanted, warnings),
  }
}

const NONE: readonly CandidateOf<'text'>[] = []

export function callOf(
  held: HeldCall,
  { health }: Routed,
  { request, outbound, bound, tool, deferral }: Prepared,
): TextCall {
  const { parsed, offer, candidate, warnings } = request
  const { options, answerer, dialect } = outbound
  const coverage = coverageOf(held.hold, bound, request)
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  const isText = parsed.images + parsed.documents + parsed.audios + options.tools.size === 0
  return {
    ...held,
    isStream: parsed.stream,
    attempt: { offer, candidate, warnings, health, options, coverage, answerer, dialect },
    plainBytes: isText ? withRecalled(request).textBytes : 0,
    keepResponse: request.conversation?.keep,
    tool,
    deferral,
    pending: { request, outbound },
  }
}
