// Stores what this process has measured since the last run, and removes what was measured weeks ago: times to the first token by
// model, and the calls of upstreams.
import type { Latencies } from '../observe/latency-buckets.ts'
import type { UpstreamMeasures } from '../observe/metrics/upstream-measures.ts'
import type { Storage } from '../storage/storage.ts'
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
    if (calls.length > 0)
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
