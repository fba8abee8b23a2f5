// Lookups of keys that are not cached. A database that does not respond must not keep requests, and their connections, waiting for as long as
// other queries may take: clients repeat them meanwhile.
import type { Keys } from '../storage/keys.ts'
import { StoreDown } from '../storage/storage.ts'

export const KEY_LOOKUP_MS = 1_500

/** The same lookups; one that takes longer rejects with StoreDown. `after`: runs a function later, unless it is cancelled. */
export const timedLookups = (
  keys: Pick<Keys, 'findCaller'>,
  after: (ms: number, run: () => void) => () => void,
): Pick<Keys, 'findCaller'> => ({
  findCaller: (hash) =>
    new Promise((resolve, reject) => {
      const late = new StoreDown(`a key was not found within ${KEY_LOOKUP_MS} ms`)
      const cancel = after(KEY_LOOKUP_MS, () => reject(late))
      keys.findCaller(hash).then(resolve, reject).finally(cancel)
    }),
})
