// Stores what this process has counted of rejected requests, and keeps the table within its bounds.
import type { RejectedRequestCounts } from '../../observe/rejected-requests.ts'
import type { Rejections } from '../../storage/storage.ts'
import type { Every } from '../every.ts'

const STORE_MS = 1_000
const SWEEP_MS = 600_000
const MOST_PER_ACCOUNT = 10_000
const MOST_IN_ALL = 200_000

/** `keepMs`: as the configuration has it now. */
export function storeRejections(
  every: Every,
  counts: Pick<RejectedRequestCounts, 'take'>,
  rejections: Pick<Rejections, 'add' | 'sweep'>,
  keepMs: () => number | 'off',
): void {
  every(STORE_MS, {
    name: 'store rejected requests',
    scope: 'node',
    async run() {
      const rows = counts.take()
      if (rows.length > 0) await rejections.add(rows)
      return undefined
    },
  })
  every(SWEEP_MS, {
    name: 'remove old rejected requests',
    scope: 'cluster',
    async run() {
      const kept = keepMs()
      await rejections.sweep(Date.now() - (kept === 'off' ? 0 : kept), MOST_PER_ACCOUNT, MOST_IN_ALL)
      return undefined
    },
  })
}
