// Who may take one more of something scarce: slots, queue positions, room at an upstream. One account alone can never take all.

/** No account holds more than half. */
export const mostPerAccount = (limit: number): number => Math.max(1, Math.floor(limit / 2))

/** So many are kept for accounts that hold none. */
export const reservedForNewAccounts = (limit: number): number => Math.max(1, Math.floor(limit / 16))

/** Whether an account that holds `held` of them may take one more, while `taken` of `limit` are held by all accounts together. */
export function mayTake(held: number, taken: number, limit: number): boolean {
  if (taken >= limit) return false
  return held === 0 || (held < mostPerAccount(limit) && taken < limit - reservedForNewAccounts(limit))
}
