// Changes of keys and accounts that this process makes itself take effect at once, without waiting for the next poll.
import type { Storage } from '../storage/storage.ts'

type Cache = { clear(): void }

/** The same store, except that its changes clear the caches that depend on them. */
export function clearingCaches(storage: Storage, callers: Cache, rateLimitCache: Cache): Storage {
  const { keys, accounts } = storage
  return {
    ...storage,
    keys: {
      ...keys,
      revoke: (key) => keys.revoke(key).finally(callers.clear),
      setTerms: (key, changes) => keys.setTerms(key, changes).finally(callers.clear),
    },
    accounts: {
      ...accounts,
      credit: (...deposit) => accounts.credit(...deposit).finally(rateLimitCache.clear),
      setDisabled: (account, disabled) => accounts.setDisabled(account, disabled).finally(callers.clear),
      setLimits: (account, limits) => accounts.setLimits(account, limits).finally(callers.clear),
    },
  }
}
