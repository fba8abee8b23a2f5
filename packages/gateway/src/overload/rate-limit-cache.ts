// Remembers callers that were rate-limited a moment ago. Requests that would be rejected again are rejected from here, without
// reading a body or querying the store.
import type { Limited } from '../money/ledger.ts'
import type { Caller } from '../storage/storage.ts'
import { createLowFundsCache, type LowFundsCache } from './low-funds-cache.ts'

/** A rejection and its duration: 0 if it depends on other requests. */
export type RateLimitRejection = { verdict: Limited; waitMs: number }

export type RateLimitCache = {
  /** The same for callers with insufficient funds. */
  readonly lowFunds: LowFundsCache
  /** `tokens`: the minimum that the request needs; absent while unknown. */
  find(caller: CallerKey, tokens?: number): RateLimitRejection | undefined
  note(caller: CallerKey, rejection: RateLimitRejection, tokens: number): void
  /** A request of this caller has ended: what it releases may suffice for another. */
  ended(caller: CallerKey): void
  /** Keys or limits have changed on some node. */
  clear(): void
}

type CallerKey = Pick<Caller, 'key' | 'account'>
type Entry = {
  rejection: RateLimitRejection
  /** The store is not queried before. */
  until: number
  resetAt: number
  tokens: number
}
/** The entries of one key or account, by limited resource. */
type Entries = Partial<Record<Resource, Entry>>
type Resource = 'requests' | 'tokens' | 'concurrent'

/** The ends of requests on other nodes are not announced: the store is queried again after this time. */
const CONCURRENT_MS = 250
const TOKENS_MS = 1_000

export function createRateLimitCache(clock: () => number, limit = 10_000): RateLimitCache {
  const keys = new Map<bigint, Entries>()
  const accounts = new Map<bigint, Entries>()
  const lowFunds = createLowFundsCache(clock, limit)

  function look(entries: Entries | undefined, tokens: number | undefined): RateLimitRejection | undefined {
    if (!entries) return undefined
    const now = clock()
    for (const resource of ['concurrent', 'requests', 'tokens'] as const) {
      const entry = entries[resource]
      if (!entry || now >= entry.until) continue
      // A smaller request may fit where a larger one did not.
      if (resource === 'tokens' && (tokens === undefined || tokens < entry.tokens)) continue
      return { ...entry.rejection, waitMs: Math.max(0, entry.resetAt - now) }
    }
    return undefined
  }

  return {
    lowFunds,
    find({ key, account }, tokens) {
      if (keys.size === 0 && accounts.size === 0) return undefined
      return look(keys.get(key), tokens) ?? look(accounts.get(account), tokens)
    },
    note({ key, account }, rejection, tokens) {
      const [map, id] = rejection.verdict.startsWith('key_') ? [keys, key] : [accounts, account]
      const resource = limitedResource(rejection.verdict)
      const entries = map.get(id) ?? {}
      const now = clock()
      const previous = entries[resource]
      const tooMany = previous && now < previous.until ? Math.min(previous.tokens, tokens) : tokens
      entries[resource] = {
        rejection,
        until: now + cachedMs(resource, rejection.waitMs),
        resetAt: now + rejection.waitMs,
        tokens: tooMany,
      }
      // Insertion order is the order of eviction.
      map.delete(id)
      map.set(id, entries)
      if (map.size > limit) map.delete(map.keys().next().value ?? id)
    },
    ended({ key, account }) {
      lowFunds.ended({ key, account })
      if (keys.size > 0) forgetReleased(keys, key)
      if (accounts.size > 0) forgetReleased(accounts, account)
    },
    clear() {
      lowFunds.clear()
      keys.clear()
      accounts.clear()
    },
  }
}

export const limitedResource = (verdict: Limited): Resource => verdict.slice(verdict.indexOf('_') + 1) as Resource

function cachedMs(resource: Resource, waitMs: number): number {
  if (resource === 'concurrent') return CONCURRENT_MS
  // Counted requests stay counted; reserved tokens that are not used are released.
  return resource === 'tokens' ? Math.min(waitMs, TOKENS_MS) : waitMs
}

function forgetReleased(map: Map<bigint, Entries>, id: bigint): void {
  const entries = map.get(id)
  if (!entries) return
  delete entries.concurrent
  delete entries.tokens
  if (!entries.requests) map.delete(id)
}
