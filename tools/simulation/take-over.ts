// What a repetition with the same idempotency key does to a reaped request: it voids it in its owner's name, and runs instead.
import { REAPED, REAPED_OUTCOME } from '../../packages/gateway/src/money/ledger.ts'
import type { SimulatedStore } from './store.ts'

/** Without randomness of its own: the other events of a seed stay as they are. */
const ONE_OF = 4n

export function takeOverReaped(store: SimulatedStore, now: number): void {
  for (const { id, nodeId, epoch, state, cost, shortfall } of [...store.rows.requests.values()]) {
    if (state !== REAPED || cost + shortfall > 0n || id % ONE_OF !== 0n) continue
    store.transact([{ verb: 'void', id, nodeId, epoch, outcome: REAPED_OUTCOME, receipt: '' }], now, false)
  }
}
