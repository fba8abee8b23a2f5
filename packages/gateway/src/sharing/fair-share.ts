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

/** What an account has used of a limit in a period. `part`: of the limit, what it may use here. `left`: of the limit, by nobody used. */
export type Use = { used: number; part: number; users: number; left: number; limit: number }

/** The same where what was used does not come back until the period is over: one account alone may use all. */
export const mayUse = ({ used, part, users, left, limit }: Use): boolean =>
  users === 1 || used < part / users || (used < mostPerAccount(part) && left > reservedForNewAccounts(limit))

type Shares<Name> = {
  /** Counts a step, and returns the function that ends it. */
  add(name: Name): () => void
  /** Those that have more than their share. */
  full(): Name[]
}

/** How many steps are under way for each account, or with each upstream. */
export function createShares<Name>(most: number): Shares<Name> {
  const counts = new Map<Name, number>()
  return {
    add(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return () => {
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
    full: () => [...counts].flatMap(([name, count]) => (count > most ? [name] : [])),
  }
}
