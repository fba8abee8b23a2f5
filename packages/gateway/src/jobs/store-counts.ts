// Stores what this process has measured since the last run, and removes what was measured weeks ago: times to the first token by
// model, and the calls of upstreams.
import type { Latencies } from '../observe/latency-buckets.ts'
import type { UpstreamMeasures } from '../observe/metrics/upstream-measures.ts'
import type { RejectedRequestCounts } from '../observe/rejected-requests.ts'
import type { RejectedRequests, Reports, Storage } from '../storage/storage.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 60_000
/** Operators compare a week with the one before. */
const KEPT_MS = 15 * 86_400_000

export function storeLatencies(
  every: Every,
  latencies: Latencies,
  measures: Pick<UpstreamMeasures, 'take' | 'putBack'>,
  { spending, upstreams }: Pick<Storage, 'spending' | 'upstreams'>,
  clock: () => number,
): void {
  const run = async () => {
    const counts = latencies.take()
    if (counts.length > 0) await spending.addLatencies(counts)
    const calls = measures.take()
    if (calls.counts.length > 0)
      await upstreams.addCounts(calls).catch((error) => {
        measures.putBack(calls)
        throw error
      })
    await spending.sweepLatencies(clock() - KEPT_MS)
    await upstreams.sweepCounts(clock() - KEPT_MS)
    return undefined
  }
  every(INTERVAL_MS, { name: 'store latencies', scope: 'node', run })
}

const STORE_MS = 2_000
const SWEEP_MS = 600_000
const BOUNDS = { perKey: 1_000, perAccount: 4_000, inAll: 100_000 }

/**
 * Stores what this process has counted of rejected requests, within bounds, and removes old rows. `keepMs`: as the configuration
 * has it now.
 */
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

const ADD_UP_MS = 6 * 3_600_000

/** Adds up the usage of days that are over, for reports over all accounts. */
export function addUpUsage(every: Every, reports: Pick<Reports, 'addUp'>): void {
  every(ADD_UP_MS, {
    name: 'add up usage',
    scope: 'cluster',
    firstMs: 60_000,
    async run() {
      await reports.addUp()
      return undefined
    },
  })
}
