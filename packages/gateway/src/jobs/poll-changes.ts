// Notices changes of keys, accounts, budgets, the stored configuration and switches of upstreams within seconds, also by another process.
import type { Callers } from '../access/authenticate.ts'
import { FINGERPRINT, fingerprintOf } from '../access/secrets/fingerprint.ts'
import type { MasterSecrets } from '../access/secrets/master-secrets.ts'
import type { BudgetLists } from '../paid-call/budgets/budget-lists.ts'
import type { Keys, Meta } from '../storage/storage.ts'
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

/** New requests stop within seconds of the moment at which a budget across accounts is reached, on every node. */
const READ_BUDGETS_MS = 2_000

export function followBudgets(every: Every, budgets: Pick<BudgetLists, 'refresh'>): void {
  every(READ_BUDGETS_MS, {
    name: 'read budgets across accounts',
    scope: 'node',
    async run() {
      await budgets.refresh()
      return undefined
    },
  })
}

/** During a rotation of the master secret, `trivium secret rotate` decides when the new one is in force: all nodes follow within a second. */
export function followSecret(every: Every, meta: Pick<Meta, 'get'>, secrets: MasterSecrets): void {
  if (secrets.accepted.length === 1) return
  every(INTERVAL_MS, {
    name: 'follow the master secret',
    scope: 'node',
    async run() {
      const known = await meta.get(FINGERPRINT)
      secrets.current = secrets.accepted.find((each) => fingerprintOf(each) === known) ?? secrets.current
      return undefined
    },
  })
}
