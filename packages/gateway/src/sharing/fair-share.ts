// Fair sharing of a scarce resource: slots, queue positions, upstream slots. One account alone can never take all of it.

/** No account holds more than half. */
export const mostPerAccount = (limit: number): number => Math.max(1, Math.floor(limit / 2))

/** Reserved for accounts that hold none. */
export const reservedForNewAccounts = (limit: number): number => Math.max(1, Math.floor(limit / 16))

/** Whether an account that holds `held` may take one more, while all accounts together hold `taken` of `limit`. */
export function mayTake(held: number, taken: number, limit: number): boolean {
  if (taken >= limit) return false
  return held === 0 || (held < mostPerAccount(limit) && taken < limit - reservedForNewAccounts(limit))
}
