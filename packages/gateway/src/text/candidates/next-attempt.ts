// A failed attempt of a text call: what is sent next, if another attempt may follow (routing/next-attempt.ts).

import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { warningsFor } from '../../paid-call/warnings.ts'
import { Failure } from '../../request/failure.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { endAttempt, findNext } from '../../routing/next-attempt.ts'
import { modelCap } from '../billing/bounds.ts'
import { type Coverage, coverageOf, measure } from '../billing/coverage.ts'
import { chargeNothing } from '../charge-tokens.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { RoutedRequest } from '../request.ts'
import type { TextCall } from '../text-call.ts'
import type { Outbound } from '../translation/outbound.ts'
import { prepare } from '../translation/prepare.ts'
import { affinityOf } from './affinity.ts'

/** What to send next. Where nothing may be sent, the call is settled and the failure thrown. */
export async function nextAttempt(
  call: TextCall,
  failed: FailedAttempt,
  deps: TextCallDependencies,
): Promise<Outbound> {
  endAttempt(call, failed, deps)
  const last = call.own.pending?.request
  const next = last && (await findNext(call, failed, routed(last, deps), stepsFor(call, last, deps), deps))
  if (!next) {
    await chargeNothing(call, failed.outcome, deps)
    throw failed.failure
  }
  const { health, coverage } = next
  const { request, outbound } = next.prepared
  const { offer, candidate, warnings } = request
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  const { answerer, options, dialect } = outbound
  call.attempt = { offer, candidate, warnings, health, options, coverage, answerer, dialect }
  call.own.pending = { request, outbound }
  return outbound
}

const routed = (last: RoutedRequest, deps: TextCallDependencies) => ({
  ...last,
  affinity: affinityOf(last, last.caller, deps),
})

type Prepared = { request: RoutedRequest; outbound: Outbound }

const stepsFor = (call: TextCall, last: RoutedRequest, deps: TextCallDependencies) => ({
  prepare(offer: RoutedRequest['offer'], candidate: RoutedRequest['candidate'], tried: RoutedRequest['tried']) {
    const warnings = warningsFor(offer, last.wanted, last.ownWarnings)
    const request: RoutedRequest = { ...last, offer, candidate, tried, warnings }
    const outbound = prepared(request, deps)
    return outbound && { request, outbound }
  },
  cover: ({ request, outbound }: Prepared) => coverageFor(call, request, outbound, deps),
})

function prepared(request: RoutedRequest, deps: TextCallDependencies): Outbound | undefined {
  try {
    return prepare(request, deps)
  } catch (error) {
    if (error instanceof Failure || error instanceof RequestError) return undefined
    throw error
  }
}

/**
 * Another model has another price, and another dialect may allow more output of the same one: the hold is extended to what is
 * more expensive, or the cap is lowered to what is available. undefined: not even the least is.
 */
async function coverageFor(
  { attempt, hold, own: { pending } }: TextCall,
  request: RoutedRequest,
  outbound: Outbound,
  { statistics }: TextCallDependencies,
): Promise<Coverage | undefined> {
  const isSameLimit = pending && modelCap(pending.request, statistics) === modelCap(request, statistics)
  const isSameCap = pending?.outbound.maxOutput === outbound.maxOutput && isSameLimit
  const isSameOffer = request.offer === attempt.offer && Bun.deepEquals(attempt.options, outbound.options)
  if (isSameOffer && isSameCap) return attempt.coverage
  const measured = measure(request, outbound, statistics)
  const { amount, minimum } = measured
  const needed = request.parsed.stream ? minimum : amount
  if (needed > hold.held && (await hold.raise(needed, minimum)) === 'stop') return undefined
  return coverageOf(hold, measured, request)
}
