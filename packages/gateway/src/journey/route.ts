// Which upstream gets the request: the lowest priority number first, weight decides among equals.
import type { Candidate, Offer } from './catalogue.ts'
import { Failure } from './failure.ts'

export function route(offer: Offer, random: () => number): Candidate {
  const first = offer.candidates[0]
  if (!first)
    throw new Failure('unavailable', `No upstream serves '${offer.model.id}' at the moment.`, { retryAfter: 5 })
  if (offer.candidates.length === 1) return first
  const equals = offer.candidates.filter((candidate) => candidate.route.priority === first.route.priority)
  const total = equals.reduce((sum, candidate) => sum + candidate.route.weight, 0)
  let at = random() * total
  for (const candidate of equals) {
    at -= candidate.route.weight
    if (at < 0) return candidate
  }
  return first
}
