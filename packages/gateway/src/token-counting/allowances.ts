// How much of the tokenizer's time each account may still use. Ordinary use never reaches the limit: at 3 MB a second, a full
// allowance is enough for the text of a dozen books.

export type Allowances = {
  /** Milliseconds; 0 or less: none. */
  left(account: bigint): number
  spend(account: bigint, ms: number): void
}

const FULL_MS = 3_000
/** Milliseconds regained in a second: a tenth of one CPU. */
const REGAINED_MS = 100

export function createAllowances(clock: () => number, limit = 10_000): Allowances {
  /** Accounts that have spent; the one that spent longest ago comes first. */
  const accounts = new Map<bigint, { leftMs: number; at: number }>()
  const left = (account: bigint): number => {
    const known = accounts.get(account)
    if (!known) return FULL_MS
    return Math.min(FULL_MS, known.leftMs + ((clock() - known.at) / 1_000) * REGAINED_MS)
  }
  return {
    left,
    spend(account, ms) {
      const leftMs = left(account) - ms
      accounts.delete(account)
      if (accounts.size >= limit) accounts.delete(accounts.keys().next().value ?? account)
      accounts.set(account, { leftMs, at: clock() })
    },
  }
}
