// Stores what this process has counted of rejected requests, within bounds, and removes old rows.
import type { RejectedRequestCounts } from '../observe/rejected-requests.ts'
import type { RejectedRequests } from '../storage/storage.ts'
import type { Every } from './every.ts'

const STORE_MS = 2_000
const SWEEP_MS = 600_000
const BOUNDS = { perKey: 1_000, perAccount: 4_000, inAll: 100_000 }

/** `keepMs`: as the configuration has it now. */
export function storeRejectedRequests(
  every: Every,
  counts: Pick<RejectedRequestCounts, 'take'>,
  rejectedRequests: Pick<RejectedRequests, 'add' | 'sweep'>,
  keepMs: () => number | 'off',
): void {
  every(STORE_MS, {
    name: 'store rejected requests',
    scope: 'node',
    async run() {
      await rejectedRequests.add(counts.take(), BOUNDS)
      return undefined
    },
  })
  every(SWEEP_MS, {
    name: 'remove old rejected requests',
    scope: 'cluster',
    async run() {
      const kept = keepMs()
      await rejectedRequests.sweep(Date.now() - (kept === 'off' ? 0 : kept))
      return undefined
    },
  })
}
