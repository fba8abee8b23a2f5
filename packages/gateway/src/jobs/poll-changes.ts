// Drops cached callers within about a second of any change of a key or account, also by another process.
import type { Callers } from '../access/authenticate.ts'
import type { Keys } from '../storage/keys.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 1_000

export function pollChanges(every: Every, keys: Pick<Keys, 'changeCounter'>, callers: Pick<Callers, 'clear'>): void {
  let seen: bigint | undefined
  every(INTERVAL_MS, {
    name: 'poll changes of keys',
    scope: 'node',
    async run() {
      // If the store does not answer, a change is possible: outdated callers must not be admitted.
      const counter = await keys.changeCounter().catch((error) => {
        callers.clear()
        throw error
      })
      if (counter !== seen) callers.clear()
      seen = counter
      return undefined
    },
  })
}
