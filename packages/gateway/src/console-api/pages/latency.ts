// Times to the first output as histograms: each bucket is a fifth wider than the one before, so a median is exact to a tenth.
import type { LatencyCount } from '../../storage/storage.ts'

const RATIO = Math.log(1.2)
const MOST_BUCKET = 80

export const bucketOf = (ms: number): number =>
  Math.min(MOST_BUCKET, Math.max(0, Math.round(Math.log(Math.max(ms, 1)) / RATIO)))

const msOf = (bucket: number): number => Math.round(Math.exp(bucket * RATIO))

/** The median of each model, in milliseconds. */
export function medians(counts: readonly LatencyCount[]): ReadonlyMap<string, number> {
  const byModel = Map.groupBy(counts, ({ model }) => model)
  return new Map([...byModel].map(([model, each]) => [model, medianOf(each)]))
}

function medianOf(counts: readonly LatencyCount[]): number {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  let seen = 0
  for (const { bucket, count } of counts.toSorted((one, other) => one.bucket - other.bucket)) {
    seen += count
    if (seen * 2 >= total) return msOf(bucket)
  }
  return 0
}
