// Why the ledger rejected a hold, in words that the caller can act on.

import { accountDisabled, type Callers, expiredKey, invalidKey } from '../access/authenticate.ts'
import { contactText, paymentText } from '../access/contact.ts'
import type { FileConfig } from '../config/types.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { endOf } from '../money/limits.ts'
import { isLackOfFunds } from '../money/verbs.ts'
import { type LowFunds, lowFundsFailure } from '../overload/low-funds-cache.ts'
import type { RateLimitCache } from '../overload/rate-limit-cache.ts'
import { Failure } from '../request/failure.ts'
import type { RejectedHold } from '../storage/node/settler.ts'
import type { Budget, Caller, Key, Keys, Members } from '../storage/storage.ts'
import { budgetFailure } from './budgets/budget-errors.ts'
import type { BudgetLists } from './budgets/budget-lists.ts'
import { isLimited, rateLimitError } from './rate-limit-errors.ts'

export type HoldErrorDependencies = {
  rateLimitCache: RateLimitCache
  /** Milliseconds since 1970. */
  clock(): number
  store: { keys: Pick<Keys, 'findWithAccount'>; members: Pick<Members, 'standing'> }
  callers: Pick<Callers, 'clear'>
  budgets: Pick<BudgetLists, 'noteRejection'>
}

/** The least that would have sufficed. */
export type Needed = {
  caller: Caller
  model: string
  minimum: Nanos
  minimumTokens: number
  budgets: readonly Budget[] | undefined
  config: FileConfig
}

export async function holdError(rejected: RejectedHold, needed: Needed, deps: HoldErrorDependencies): Promise<Failure> {
  const { verdict, available } = rejected
  const { caller, model, minimum, minimumTokens, config } = needed
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
    return rejectFor({ code: 'insufficient_balance', available, before, after: paymentText(config) })
  }
  if (verdict === 'budget_reached') {
    const budget = needed.budgets?.find(({ id }) => id === rejected.budget)
    // Not remembered: another request of the same key and model may count against other budgets.
    return budgetFailure({ budget, available, minimum, config }, deps)
  }
  if (isLackOfFunds(verdict)) {
    const whose = WHOSE[verdict]
    // The message names the cap, which is read from the store; if that fails, the message goes without it.
    const capped = await findCapped(whose, caller, deps).catch(() => undefined)
    const [before, after] = [capOf(whose, capped), resetOf(capped, deps.clock()) + contactText(config)]
    // To the caller, the cap of a member is one of the key: other keys of the account may have room.
    const code = whose === 'account' ? 'account_quota_exceeded' : 'key_quota_exceeded'
    return rejectFor({ code, available, before, after })
  }
  // What is cached of this key is out of date: the ledger knows better.
  deps.callers.clear()
  switch (verdict) {
    case 'key_invalid':
      return invalidKey()
    case 'key_expired':
      return expiredKey()
    case 'account_disabled':
      return accountDisabled(caller.disabledReason, contactText(config))
    default:
      return unavailable()
  }
}

type Capped = Pick<Key, 'cap' | 'capPeriod'>

const WHOSE = { key_cap_reached: 'key', member_cap_reached: 'member', account_cap_reached: 'account' } as const
type Whose = (typeof WHOSE)[keyof typeof WHOSE]

async function findCapped(whose: Whose, caller: Caller, { store }: HoldErrorDependencies): Promise<Capped | undefined> {
  const found = await store.keys.findWithAccount(caller.key)
  if (whose !== 'member') return found?.[whose]
  return found?.key.person === undefined ? undefined : await store.members.standing(caller.account, found.key.person)
}

function capOf(whose: Whose, capped: Capped | undefined): string {
  const period = capped?.capPeriod === undefined ? '' : ` per ${capped.capPeriod}`
  const amount = capped?.cap === undefined ? '' : ` of ${formatUsd(capped.cap)} USD${period}`
  const cap =
    whose === 'member' ? `spending cap${amount} of the member who made this key` : `${whose}'s spending cap${amount}`
  return `This request would exceed the ${cap}.`
}

/** There is no retry-after: a cap resets after hours at the soonest. */
function resetOf(capped: Capped | undefined, now: number): string {
  if (capped?.capPeriod === undefined) return ''
  return ` It resets at ${new Date(endOf(capped.capPeriod, now)).toISOString().replace('.000Z', 'Z')}.`
}

export const unavailable = () =>
  new Failure('service_unavailable', 'The gateway cannot accept requests. Retry in 2 seconds.', {
    retryAfter: 2,
  })
