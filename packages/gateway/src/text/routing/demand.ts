// What a text request is expected to use: its input, and as much output as a stream is held for at first. What it really used replaces
// that at its end.
import { NO_OPTIONS } from '../../money/prices/token-price.ts'
import { demandOf } from '../../routing/demand.ts'
import type { Unrouted } from '../../routing/find-candidate.ts'
import { boundsOf, modelCap, tokensOf } from '../billing/bounds.ts'
import { withRecalled } from '../billing/coverage.ts'
import type { StatisticsByModel } from '../billing/model-statistics.ts'
import type { PlannedAttempt } from '../request.ts'

/** undefined: nothing of the offer is limited. */
export function textDemand(
  request: PlannedAttempt['request'],
  offer: PlannedAttempt['offer'],
  statistics: StatisticsByModel,
): Unrouted['measure'] {
  if (!offer.isLimited) return undefined
  return (given) => {
    const candidate = given as PlannedAttempt['candidate']
    const sizing = { ...withRecalled({ request, candidate }), stream: true }
    const bounds = boundsOf(sizing, modelCap({ offer, candidate }, statistics), statistics.of(offer.model.id))
    const used = { input: bounds.input, output: bounds.heldOutput, options: NO_OPTIONS, hasAudio: false }
    return demandOf(tokensOf(bounds, sizing.choices, 0).tokens, candidate.costRate?.bound(used))
  }
}
