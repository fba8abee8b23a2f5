// What a request is expected to use at a candidate whose upstream or route has limits: what it is held for, at the upstream's cost.
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { Nanos } from '../money/amount.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { Bound } from '../paid-call/paid-request.ts'
import type { Demand } from '../upstreams/limits/reservation.ts'

/** Above any limit. */
const MOST_NANOS = 1_000_000_000_000_000n

export const demandOf = (tokens: number, cost: Nanos | undefined): Demand => ({
  tokens,
  nanos: Number(cost === undefined || cost < MOST_NANOS ? (cost ?? 0n) : MOST_NANOS),
})

type BoundOf<P extends AnyPrice, M extends { id: string }> = (
  offer: Offer<P, M>,
  candidate: Candidate<P>,
) => Pick<Bound, 'amount' | 'tokens'>

/** undefined: nothing of the offer is limited. A candidate whose cost is not known has none. */
export function measureOf<P extends AnyPrice, M extends { id: string }>(
  offer: Offer<P, M>,
  boundOf: BoundOf<P, M>,
): ((candidate: Candidate) => Demand) | undefined {
  if (!offer.isLimited) return undefined
  return (candidate) => {
    // The candidates of an offer, and of its fallbacks, have prices of one type.
    const { costRate, ...own } = candidate as Candidate<P>
    const { tokens } = boundOf(offer, own)
    return demandOf(tokens, costRate && boundOf({ ...offer, rate: costRate }, own).amount)
  }
}
