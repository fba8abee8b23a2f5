// Times to the first token as histograms: each bucket is a fifth wider than the one before, so a median is exact to a tenth. Pure.

/** How many times of a model fell into a bucket. */
export type LatencyCount = { model: string; bucket: number; count: number }

const RATIO = Math.log(1.2)
/** More than half an hour. */
export const LAST_BUCKET = 80

export const bucketOf = (ms: number): number =>
  Math.min(LAST_BUCKET, Math.max(0, Math.round(Math.log(Math.max(ms, 1)) / RATIO)))

const msOf = (bucket: number): number => Math.round(Math.exp(bucket * RATIO))

/** The median of each model, in milliseconds. */
export function medians(counts: readonly LatencyCount[]): ReadonlyMap<string, number> {
  const byModel = Map.groupBy(counts, ({ model }) => model)
  return new Map([...byModel].map(([model, each]) => [model, percentile(each, 50)]))
}

/** In milliseconds; 0 of nothing. */
export function percentile(counts: readonly { bucket: number; count: number }[], percent: number): number {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  let seen = 0
  for (const { bucket, count } of counts.toSorted((one, other) => one.bucket - other.bucket)) {
    seen += count
    if (seen * 100 >= total * percent) return msOf(bucket)
  }
  return 0
}

/** Counts in memory, until they are taken to be stored. */
export type Latencies = { note(model: string, ms: number): void; take(): LatencyCount[] }

export function createLatencies(): Latencies {
  let models = new Map<string, Uint32Array>()
  return {
    note(model, ms) {
      let counts = models.get(model)
      if (!counts) {
        counts = new Uint32Array(LAST_BUCKET + 1)
        models.set(model, counts)
      }
      const bucket = bucketOf(ms)
      counts[bucket] = (counts[bucket] ?? 0) + 1
    },
    take() {
      const taken = models
      models = new Map()
      return [...taken].flatMap(([model, counts]) =>
        [...counts].flatMap((count, bucket) => (count === 0 ? [] : [{ model, bucket, count }])),
      )
    },
  }
}
