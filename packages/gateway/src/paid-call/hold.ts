// Places the hold for the most that a call can cost. Nothing is sent anywhere before the hold is granted.

import type { Nanos } from '../money/amount.ts'
import type { Hold } from '../money/ledger.ts'
import { lowFundsFailure } from '../overload/low-funds-cache.ts'
import type { RateLimitCache } from '../overload/rate-limit-cache.ts'
import type { Identity, Node } from '../storage/node/node.ts'
import type { Opened, Settler } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import { unavailable } from './hold-errors.ts'
import { recentRateLimit } from './rate-limit-errors.ts'

export type HoldRequest = {
  id: bigint
  caller: Caller
  owner: Pick<Identity, 'nodeId' | 'epoch'>
  /** The model that the caller named. */
  model: string
  /** Another model is called instead, at its own price. */
  isFallback: boolean
  upstream: string
  bound: Bound
  /** Whether it is a stream, whose hold grows with its output. */
  isExtensible: boolean
}

/** What a call can come to. */
export type Bound = {
  /** What it can cost at most, and the least that is worth a call. */
  amount: Nanos
  minimum: Nanos
  /** The same for limits of tokens per minute. */
  tokens: number
  minimumTokens: number
}

/** Of a call whose cost is known before it is made, and that uses no tokens. */
export const fixedBound = (amount: Nanos): Bound => ({ amount, minimum: amount, tokens: 0, minimumTokens: 0 })

export type HoldDependencies = {
  rateLimitCache: RateLimitCache
  clock(): number
  node: Pick<Node, 'mayDispatch' | 'identity'>
  settler: Pick<Settler, 'open'>
}

/** Throws where the same was rejected a moment ago; else the ledger decides. */
export function placeHold(request: HoldRequest, deps: HoldDependencies): Promise<Opened> {
  return deps.settler.open(holdVerb(request, deps))
}

/** Throws where the same was rejected a moment ago. */
export function holdVerb(request: HoldRequest, deps: Omit<HoldDependencies, 'settler'>): Hold {
  const { caller, owner, model } = request
  const { amount, minimum, tokens, minimumTokens } = request.bound
  const { rateLimitCache, node } = deps
  const limited = recentRateLimit(caller, minimumTokens, deps)
  if (limited) throw limited
  const lowFunds = request.isFallback ? undefined : rateLimitCache.lowFunds.find(caller, model, minimum)
  if (lowFunds) throw lowFundsFailure(lowFunds, minimum)
  if (!node.mayDispatch()) throw unavailable()
  return {
    verb: 'hold',
    id: request.id,
    nodeId: owner.nodeId,
    epoch: owner.epoch,
    account: caller.account,
    key: caller.key,
    revision: caller.revision,
    extensible: request.isExtensible,
    amount,
    minimum,
    tokens,
    minimumTokens,
    model,
    upstream: request.upstream,
  }
}
