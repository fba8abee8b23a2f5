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
import type { PlannedAttempt } from '../request.ts'
import type { TextCall } from '../text-call.ts'
import type { Outbound } from '../translation/outbound.ts'
import { prepare } from '../translation/prepare.ts'
import { affinityOf } from './affinity.ts'
import { textDemand } from './demand.ts'

/** What to send next. Where nothing may be sent, the call is settled and the failure thrown. */
export async function nextAttempt(
  call: TextCall,
  failed: FailedAttempt,
  deps: TextCallDependencies,
): Promise<Outbound> {
  endAttempt(call, failed, deps)
  const last = call.own.pending?.planned
  const next = last && (await findNext(call, failed, placeOf(last, call, deps), stepsFor(call, last, deps), deps))
  if (!next) {
    await chargeNothing(call, failed.outcome, deps)
    throw failed.failure
  }
  const { health, coverage } = next
  const { planned, outbound } = next.prepared
  const { offer, candidate, warnings } = planned
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  const { answerer, options, dialect } = outbound
  call.attempt = { offer, candidate, warnings, health, options, coverage, answerer, dialect }
  call.own.pending = { planned, outbound }
  return outbound
}

const placeOf = (
  { request, caller, offer, candidate }: PlannedAttempt,
  call: TextCall,
  deps: TextCallDependencies,
) => ({
  caller,
  wanted: call.routed.wanted,
  offer,
  candidate,
  affinity: affinityOf(request, caller, deps),
  measure: textDemand(request, call.routed.wanted, deps.statistics),
})

type Prepared = { planned: PlannedAttempt; outbound: Outbound }

const stepsFor = (call: TextCall, last: PlannedAttempt, deps: TextCallDependencies) => ({
  prepare(offer: PlannedAttempt['offer'], candidate: PlannedAttempt['candidate']) {
    const warnings = warningsFor(offer, call.routed.wanted, last.ownWarnings)
    const planned: PlannedAttempt = { ...last, offer, candidate, warnings }
    const outbound = prepared(planned, deps)
    return outbound && { planned, outbound }
  },
  cover: ({ planned, outbound }: Prepared) => coverageFor(call, planned, outbound, deps),
})

function prepared(planned: PlannedAttempt, deps: TextCallDependencies): Outbound | undefined {
  try {
    return prepare(planned, deps)
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
  planned: PlannedAttempt,
  outbound: Outbound,
  { statistics }: TextCallDependencies,
): Promise<Coverage | undefined> {
  const isSameLimit = pending && modelCap(pending.planned, statistics) === modelCap(planned, statistics)
  const isSameCap = pending?.outbound.maxOutput === outbound.maxOutput && isSameLimit
  const isSameOffer = planned.offer === attempt.offer && Bun.deepEquals(attempt.options, outbound.options)
  if (isSameOffer && isSameCap) return attempt.coverage
  const measured = measure(planned, outbound, statistics)
  const { amount, minimum } = measured
  const needed = planned.request.parsed.stream ? minimum : amount
  if (needed > hold.held && (await hold.raise(needed, minimum)) === 'stop') return undefined
  return coverageOf(hold, measured, planned)
}
