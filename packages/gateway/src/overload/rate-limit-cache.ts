// Who was refused by a limit a moment ago. A storm of calls that would be refused again is answered from here: it costs
// neither a body nor a question to the store.
import type { Limited } from '../money/ledger.ts'
import type { Caller } from '../storage/storage.ts'
import { createLowFundsCache, type LowFundsCache } from './low-funds-cache.ts'

/** A refusal, and how long it stands: 0 when that depends on other requests. */
export type RateLimitRejection = { outcome: Limited; waitMs: number }

export type RateLimitCache = {
  /** The same for callers who could not pay. */
  readonly lowFunds: LowFundsCache
  /** `tokens`: the least that the call needs; absent while that is not known. */
  find(caller: Who, tokens?: number): RateLimitRejection | undefined
  note(caller: Who, refusal: RateLimitRejection, tokens: number): void
  /** A request of this caller is over: what it gives back may be enough for another. */
  ended(caller: Who): void
  /** Keys or limits have changed somewhere. */
  clear(): void
}

type Who = Pick<Caller, 'key' | 'account'>
type Memory = {
  refusal: RateLimitRejection /** Not asked again before. */
  until: number
  resetAt: number
  tokens: number
}
/** By what was used up, of one key or one account. */
type Memories = Partial<Record<Used, Memory>>
type Used = 'requests' | 'tokens' | 'concurrent'

/** Other nodes' requests end, too, and nobody tells this one: so often the store is asked all the same. */
const CONCURRENT_MS = 250
const TOKENS_MS = 1_000

export function createRateLimitCache(clock: () => number, limit = 10_000): RateLimitCache {
  const keys = new Map<bigint, Memories>()
  const accounts = new Map<bigint, Memories>()
  const lowFunds = createLowFundsCache(clock, limit)

  function look(memories: Memories | undefined, tokens: number | undefined): RateLimitRejection | undefined {
    if (!memories) return undefined
    const now = clock()
    for (const used of ['concurrent', 'requests', 'tokens'] as const) {
      const memory = memories[used]
      if (!memory || now >= memory.until) continue
      // A smaller request may fit where a larger one did not.
      if (used === 'tokens' && (tokens === undefined || tokens < memory.tokens)) continue
      return { ...memory.refusal, waitMs: Math.max(0, memory.resetAt - now) }
    }
    return undefined
  }

  return {
    lowFunds,
    find({ key, account }, tokens) {
      if (keys.size === 0 && accounts.size === 0) return undefined
      return look(keys.get(key), tokens) ?? look(accounts.get(account), tokens)
    },
    note({ key, account }, refusal, tokens) {
      const [map, id] = refusal.outcome.startsWith('key_') ? [keys, key] : [accounts, account]
      const used = usedUp(refusal.outcome)
      const memories = map.get(id) ?? {}
      const now = clock()
      const former = memories[used]
      const fitsNot = former && now < former.until ? Math.min(former.tokens, tokens) : tokens
      memories[used] = {
        refusal,
        until: now + rememberedMs(used, refusal.waitMs),
        resetAt: now + refusal.waitMs,
        tokens: fitsNot,
      }
      // The newest last: the oldest is the one to be forgotten.
      map.delete(id)
      map.set(id, memories)
      if (map.size > limit) map.delete(map.keys().next().value ?? id)
    },
    ended({ key, account }) {
      lowFunds.ended({ key, account })
      if (keys.size > 0) giveBack(keys, key)
      if (accounts.size > 0) giveBack(accounts, account)
    },
    clear() {
      lowFunds.clear()
      keys.clear()
      accounts.clear()
    },
  }
}

export const usedUp = (outcome: Limited): Used => outcome.slice(outcome.indexOf('_') + 1) as Used

function rememberedMs(used: Used, waitMs: number): number {
  if (used === 'concurrent') return CONCURRENT_MS
  // Requests are counted once and for all; tokens that were reserved and not used come back.
  return used === 'tokens' ? Math.min(waitMs, TOKENS_MS) : waitMs
}

function giveBack(map: Map<bigint, Memories>, id: bigint): void {
  const memories = map.get(id)
  if (!memories) return
  delete memories.concurrent
  delete memories.tokens
  if (!memories.requests) map.delete(id)
}
