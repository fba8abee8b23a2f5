// Requests at price 0: nothing but this limit keeps an account from sending as many as it can, and each leaves a row in the ledger.

import { NO_LIMITS } from '../money/limits.ts'
import { freeCallFailure } from '../overload/free-call-limit.ts'
import type { Caller } from '../storage/storage.ts'
import type { PaidCallDependencies } from './paid-request.ts'

/** One window for all keys of the account: limits of a key are enforced with its hold. */
const asAccount = ({ account, key }: Caller) => ({ account, key, limits: NO_LIMITS, accountLimits: NO_LIMITS })

/** Throws Failure. `bytes`: what the request weighs. */
export function countFreeRequest(caller: Caller, bytes: number, { freeRequests, clock }: PaidCallDependencies): void {
  const rejection = freeRequests.take(asAccount(caller))
  if (rejection) throw freeCallFailure(rejection, 'free requests', clock())
  freeRequests.weigh(caller, bytes)
}

/** The same before anything is read of a request that is known to be free. */
export function rejectFreeRequest(caller: Caller, { freeRequests, clock }: PaidCallDependencies): void {
  const rejection = freeRequests.full(asAccount(caller))
  if (rejection) throw freeCallFailure(rejection, 'free requests', clock())
}
