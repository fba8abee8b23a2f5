// Why the ledger rejected a hold, in words that the caller can act on.

import { accountDisabled, type Callers, expiredKey, invalidKey } from '../access/authenticate.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { endOf } from '../money/limits.ts'
import { type LowFunds, lowFundsFailure } from '../overload/low-funds-cache.ts'
import type { RateLimitCache } from '../overload/rate-limit-cache.ts'
import { Failure } from '../request/failure.ts'
import type { RejectedHold } from '../storage/node/settler.ts'
import type { Caller, Key, Keys } from '../storage/storage.ts'
import { isLimited, rateLimitError } from './rate-limit-errors.ts'

export type HoldErrorDependencies = {
  rateLimitCache: RateLimitCache
  clock(): number
  store: { keys: Pick<Keys, 'findWithAccount'> }
  callers: Pick<Callers, 'clear'>
}

/** The least that would have sufficed. */
export type Needed = { caller: Caller; model: string; minimum: Nanos; minimumTokens: number }

export async function holdError(rejected: RejectedHold, needed: Needed, deps: HoldErrorDependencies): Promise<Failure> {
  const { verdict, available } = rejected
  const { caller, model, minimum, minimumTokens } = needed
  if (isLimited(verdict)) {
    const rejection = { verdict, waitMs: Number(available) }
    deps.rateLimitCache.note(caller, rejection, minimumTokens)
    return rateLimitError(caller, rejection, minimumTokens, deps.clock())
  }
  const rejectFor = (funds: LowFunds): Failure => {
    deps.rateLimitCache.lowFunds.note(caller, model, funds)
    return lowFundsFailure(funds, minimum)
  }
  if (verdict === 'no_balance') {
    const before = 'Your credit balance is too low.'
    return rejectFor({ code: 'insufficient_balance', available, before, after: '' })
  }
  if (verdict === 'key_cap_reached' || verdict === 'account_cap_reached') {
    // The message names the cap, which is read from the store; if that fails, the message goes without it.
    const standing = await deps.store.keys.findWithAccount(caller.key).catch(() => undefined)
    const whose = verdict === 'key_cap_reached' ? 'key' : 'account'
    const [before, after] = [capOf(whose, standing?.[whose]), renewalOf(standing?.[whose], deps.clock())]
    return rejectFor({ code: `${whose}_quota_exceeded`, available, before, after })
  }
  // What is cached of this key is out of date: the ledger knows better.
  deps.callers.clear()
  switch (verdict) {
    case 'key_invalid':
      return invalidKey()
    case 'key_expired':
      return expiredKey()
    case 'account_disabled':
      return accountDisabled()
    default:
      return unavailable()
  }
}

type Capped = Pick<Key, 'cap' | 'capPeriod'>

function capOf(whose: 'key' | 'account', capped: Capped | undefined): string {
  if (capped?.cap === undefined) return `The ${whose}'s quota cap does not allow this request.`
  const period = capped.capPeriod === undefined ? '' : ` per ${capped.capPeriod}`
  return `The ${whose}'s quota cap of ${formatUsd(capped.cap)} USD${period} does not allow this request.`
}

/** There is no retry-after: a cap renews after hours at the soonest. */
function renewalOf(capped: Capped | undefined, now: number): string {
  if (capped?.capPeriod === undefined) return ''
  return ` It renews at ${new Date(endOf(capped.capPeriod, now)).toISOString().replace('.000Z', 'Z')}.`
}

export const unavailable = () =>
  new Failure('service_unavailable', 'The gateway cannot take requests at the moment. Retry in 2 seconds.', {
    retryAfter: 2,
  })
