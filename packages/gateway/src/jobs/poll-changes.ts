// Notices changes of keys, accounts, the stored configuration and switches of upstreams within about a second, also by another process.
import type { Callers } from '../access/authenticate.ts'
import type { Keys } from '../storage/keys.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 1_000

/** `follow`: reads again what this process keeps of the store; where that fails, the next poll tries again. */
export function pollChanges(
  every: Every,
  keys: Pick<Keys, 'changeCounter'>,
  callers: Pick<Callers, 'clear'>,
  follow: () => Promise<void> = async () => {},
): void {
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
      if (counter !== seen) {
        callers.clear()
        await follow()
      }
      seen = counter
      return undefined
    },
  })
}
