// Clients that disconnect before any output pay nothing. The calls of an account that does so repeatedly are drained and charged
// instead: else disconnecting early would be a way to use an upstream for free.

const WINDOW_MS = 10 * 60_000
const FREE_ABORTS = 5

export type FreeAborts = { note(account: bigint): void; mustDrain(account: bigint): boolean }

export function createFreeAborts(clock: () => number, limit = 10_000): FreeAborts {
  const times = new Map<bigint, number[]>()
  const recent = (account: bigint) => (times.get(account) ?? []).filter((at) => at > clock() - WINDOW_MS)
  return {
    note(account) {
      const kept = [...recent(account), clock()].slice(-FREE_ABORTS - 1)
      times.delete(account)
      times.set(account, kept)
      if (times.size > limit) times.delete(times.keys().next().value ?? account)
    },
    mustDrain: (account) => times.size > 0 && recent(account).length > FREE_ABORTS,
  }
}
