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
  const { outcome, available } = rejected
  const { caller, model, minimum, minimumTokens } = needed
  if (isLimited(outcome)) {
    const rejection = { outcome, waitMs: Number(available) }
    deps.rateLimitCache.note(caller, rejection, minimumTokens)
    return rateLimitError(caller, rejection, minimumTokens, deps.clock())
  }
  const rejectFor = (funds: LowFunds): Failure => {
    deps.rateLimitCache.lowFunds.note(caller, model, funds)
    return lowFundsFailure(funds, minimum)
  }
  if (outcome === 'no_balance') {
    const before = 'Your credit balance is too low.'
    return rejectFor({ code: 'insufficient_balance', available, before, after: '' })
  }
  if (outcome === 'cap_reached') {
    // The message names the cap, which is read from the store; if that fails, the message goes without it.
    const standing = await deps.store.keys.findWithAccount(caller.key).catch(() => undefined)
    const [before, after] = [capOf(standing?.key), renewalOf(standing?.key, deps.clock())]
    return rejectFor({ code: 'key_quota_exceeded', available, before, after })
  }
  // What is cached of this key is out of date: the ledger knows better.
  deps.callers.clear()
  switch (outcome) {
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

function capOf(key: Key | undefined): string {
  if (key?.cap === undefined) return "The key's quota cap does not allow this request."
  const period = key.capPeriod === undefined ? '' : ` per ${key.capPeriod}`
  return `The key's quota cap of ${formatUsd(key.cap)} USD${period} does not allow this request.`
}

/** There is no retry-after: a cap renews after hours at the soonest. */
function renewalOf(key: Key | undefined, now: number): string {
  if (key?.capPeriod === undefined) return ''
  return ` It renews at ${new Date(endOf(key.capPeriod, now)).toISOString().replace('.000Z', 'Z')}.`
}

export const unavailable = () =>
  new Failure('service_unavailable', 'The gateway cannot take requests at the moment. Retry in 2 seconds.', {
    retryAfter: 2,
  })
