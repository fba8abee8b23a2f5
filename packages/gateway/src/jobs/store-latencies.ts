// Stores the times to the first token that this process has measured since the last run, and removes those of former days.
import type { Latencies } from '../observe/latency-buckets.ts'
import type { Spending } from '../storage/storage.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 60_000
const KEPT_MS = 2 * 86_400_000

export function storeLatencies(
  every: Every,
  latencies: Latencies,
  spending: Pick<Spending, 'addLatencies' | 'sweepLatencies'>,
  clock: () => number,
): void {
  const run = async () => {
    const counts = latencies.take()
    if (counts.length > 0) await spending.addLatencies(counts)
    await spending.sweepLatencies(clock() - KEPT_MS)
    return undefined
  }
  every(INTERVAL_MS, { name: 'store latencies', scope: 'node', run })
}
