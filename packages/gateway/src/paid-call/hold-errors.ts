// Why the ledger said no, in words the caller can act on.

import { accountDisabled, expiredKey, invalidKey } from '../access/authenticate.ts'
import type { Failure } from '../access/failure.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { endOf } from '../money/limits.ts'
import { type LowFunds, lowFundsFailure } from '../overload/low-funds-cache.ts'
import type { Refused } from '../storage/settle.ts'
import type { Caller, Key } from '../storage/storage.ts'
import type { Dependencies } from '../text/dependencies.ts'
import { unavailable } from './hold.ts'
import { isLimited, rateLimitError } from './rate-limit-errors.ts'

/** What was asked for: the least that would have done. */
export type Needed = { caller: Caller; model: string; minimum: Nanos; minimumTokens: number }

export async function holdError(refused: Refused, needed: Needed, parts: Dependencies): Promise<Failure> {
  const { outcome, available } = refused
  const { caller, model, minimum, minimumTokens } = needed
  if (isLimited(outcome)) {
    const refusal = { outcome, waitMs: Number(available) }
    parts.rateLimitCache.note(caller, refusal, minimumTokens)
    return rateLimitError(caller, refusal, minimumTokens, parts.clock())
  }
  const rejectFor = (funds: LowFunds): Failure => {
    parts.rateLimitCache.lowFunds.note(caller, model, funds)
    return lowFundsFailure(funds, minimum)
  }
  if (outcome === 'no_balance') {
    const before = 'Your credit balance is too low.'
    return rejectFor({ code: 'insufficient_balance', available, before, after: '' })
  }
  if (outcome === 'cap_reached') {
    // The cap's words are worth a question to the store; without an answer the refusal stands all the same.
    const standing = await parts.store.keys.findWithAccount(caller.key).catch(() => undefined)
    const [before, after] = [capOf(standing?.key), renewalOf(standing?.key, parts.clock())]
    return rejectFor({ code: 'key_cap_reached', available, before, after })
  }
  // The ledger knows better than the cache: whatever was remembered of this key is looked up anew.
  parts.callers.clear()
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

/** Waiting helps only where a cap renews, and then not within the patience of any client. */
function renewalOf(key: Key | undefined, now: number): string {
  if (key?.capPeriod === undefined) return ''
  return ` It renews at ${new Date(endOf(key.capPeriod, now)).toISOString().replace('.000Z', 'Z')}.`
}
