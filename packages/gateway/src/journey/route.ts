// Which upstream gets the request: the lowest priority number first, weight decides among equals.
import type { Upstream } from '../config/types.ts'
import type { Candidate, Offer } from './catalogue.ts'
import { Failure } from './failure.ts'

export function route(offer: Offer, random: () => number, isFull: (upstream: Upstream) => boolean): Candidate {
  const first = offer.candidates.find(({ upstream }) => !isFull(upstream))
  if (!first) {
    const message = `Every upstream of '${offer.model.id}' has as much to do as it can take. Try again shortly.`
    throw new Failure('unavailable', message, { retryAfter: 2 })
  }
  if (offer.candidates.length === 1) return first
  const isEqual = ({ route, upstream }: Candidate) => route.priority === first.route.priority && !isFull(upstream)
  const equals = offer.candidates.filter(isEqual)
  const total = equals.reduce((sum, candidate) => sum + candidate.route.weight, 0)
  let at = random() * total
  for (const candidate of equals) {
    at -= candidate.route.weight
    if (at < 0) return candidate
  }
  return first
}
