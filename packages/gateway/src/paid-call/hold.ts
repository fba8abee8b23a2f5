// Places the hold for the most that a call can cost. Nothing is sent anywhere before the hold is granted.

import type { Nanos } from '../money/amount.ts'
import type { Hold } from '../money/ledger.ts'
import { lowFundsFailure } from '../overload/low-funds-cache.ts'
import type { Opened } from '../storage/node/settler.ts'
import { budgetFailure } from './budgets/budget-errors.ts'
import { unavailable } from './hold-errors.ts'
import type { Bound, Kind, PaidCallDependencies, PaidRequest } from './paid-request.ts'
import { recentRateLimit } from './rate-limit-errors.ts'

/** The bound of a call whose cost is known before it is made, and that uses no tokens. */
export const fixedBound = (amount: Nanos): Bound => ({ amount, minimum: amount, tokens: 0, minimumTokens: 0 })

/** Throws where the same was rejected a moment ago; else the ledger decides. */
export function placeHold(request: HeldFor, deps: PaidCallDependencies): Promise<Opened> {
  return deps.settler.open(holdVerb(request, deps))
}

/** What the ledger learns of a request. */
export type HeldFor = Pick<PaidRequest<Kind>, 'id' | 'caller' | 'owner' | 'routed' | 'prepared' | 'record' | 'budgets'>

/** Throws where the same was rejected a moment ago. */
export function holdVerb(
  { id, caller, owner, routed, prepared, record, budgets }: HeldFor,
  deps: Omit<PaidCallDependencies, 'settler'>,
  { nodeId, epoch } = owner,
): Hold {
  const { wanted, offer, candidate } = routed
  const { amount, minimum, tokens, minimumTokens } = prepared.bound
  const model = wanted.model.id
  const { rateLimitCache, node } = deps
  const limited = recentRateLimit(caller, minimumTokens, deps)
  if (limited) throw limited
  const lowFunds = offer !== wanted ? undefined : rateLimitCache.lowFunds.find(caller, model, minimum)
  if (lowFunds) throw lowFundsFailure(lowFunds, minimum)
  if (!node.mayDispatch()) throw unavailable()
  const reached = budgets && deps.budgets.reached(budgets, minimum)
  if (reached) throw budgetFailure({ budget: reached, available: 0n, minimum, config: deps.catalogue().config }, deps)
  return {
    verb: 'hold',
    id,
    nodeId,
    epoch,
    account: caller.account,
    key: caller.key,
    revision: caller.revision,
    extensible: prepared.isExtensible,
    amount,
    minimum,
    tokens,
    minimumTokens,
    model,
    upstream: candidate.upstream.id,
    budgets: budgets?.map((budget) => budget.id),
    attribution: record.attribution,
  }
}
