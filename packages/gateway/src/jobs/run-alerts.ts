// Alerts: each node measures itself, and one process of the cluster decides and sends.
import { deliver } from '../alerts/deliver.ts'
import { evaluate } from '../alerts/evaluate.ts'
import { measureNode, measureStore, type NodeDependencies } from '../alerts/measure.ts'
import type { Fact } from '../alerts/rules.ts'
import { targetsOf } from '../alerts/targets.ts'
import type { Log } from '../observe/log.ts'
import type { Storage } from '../storage/storage.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 15_000
/** What a dead node has measured is forgotten after this. */
const FACTS_LAST_MS = 90_000
/** Sums over all accounts are not asked for in every run. */
const STORE_EVERY_MS = 5 * 60_000
const KEPT_MS = 90 * 86_400_000
const SWEEP_PAGE = 100

export function runAlerts(
  every: Every,
  deps: NodeDependencies &
    Parameters<typeof targetsOf>[1] & {
      storage: Pick<Storage, 'alerts' | 'shares'>
      nodeId(): number
      gateway(): string
      log: Log
    },
): void {
  const { storage, config, clock } = deps
  const { alerts: store } = storage
  let asked: { at: number; facts: Fact[] } | undefined

  async function storeFacts(now: number): Promise<Fact[]> {
    const ageMs = now - (asked?.at ?? Number.NEGATIVE_INFINITY)
    if (!asked || ageMs >= STORE_EVERY_MS || ageMs < 0)
      asked = { at: now, facts: await measureStore(storage, config(), now) }
    return asked.facts
  }

  every(INTERVAL_MS, {
    name: 'measure for alerts',
    scope: 'node',
    firstMs: INTERVAL_MS / 3,
    async run() {
      await store.putFacts(`node ${deps.nodeId()}`, await measureNode(deps), clock() + FACTS_LAST_MS)
      return undefined
    },
  })
  every(INTERVAL_MS, {
    name: 'alerts',
    scope: 'cluster',
    firstMs: INTERVAL_MS / 2,
    async run() {
      const now = clock()
      const targets = targetsOf(config(), deps)
      const sending = { ...deps, store, targets: () => targets }
      await evaluate(sending, [...(await store.facts(now)), ...(await storeFacts(now))])
      if (await deliver(sending)) return 0
      await store.sweep(now - KEPT_MS, SWEEP_PAGE)
      return undefined
    },
  })
}
