// Lookups of keys that are not cached. A database that does not respond must not keep requests, and their connections, waiting for as long as
// other queries may take: clients repeat them meanwhile.
import type { Keys } from '../storage/keys.ts'
import { type After, answerWithin } from '../storage/node/deadlines.ts'

export const KEY_LOOKUP_MS = 1_500

/** The same lookups; one that takes longer rejects with StoreDown. `after`: runs a function later, unless it is cancelled. */
export const timedLookups = (keys: Pick<Keys, 'findCaller'>, after: After): Pick<Keys, 'findCaller'> => ({
  findCaller: (hash) => answerWithin(KEY_LOOKUP_MS, after, keys.findCaller(hash)),
})
