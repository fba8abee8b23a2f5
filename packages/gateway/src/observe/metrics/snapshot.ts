// The values of one process as JSON, and the sum of several.

import { type Metric, OTHER, type Series } from './metric.ts'
import { METRICS, type MetricId, type Metrics } from './names.ts'

/** The labels, the value (nano-USD as text) and the counts of a series. */
type Row = [labels: string[], value: number | string, counts?: number[]]
export type Snapshot = { [id in MetricId]?: Row[] }

function rowOf({ labels, value, counts }: Series): Row {
  const written = typeof value === 'bigint' ? String(value) : value
  return counts ? [[...labels], written, counts] : [[...labels], written]
}

export function snapshotOf(metrics: Metrics): Snapshot {
  const snapshot: Snapshot = {}
  for (const [id, values] of Object.entries(metrics) as [MetricId, Metrics[MetricId]][]) {
    const rows = [...values.series].map(rowOf)
    if (rows.length > 0) snapshot[id] = rows
  }
  return snapshot
}

export type Merged = { metric: Metric; series: Series[] }[]

export function mergeSnapshots(snapshots: readonly Snapshot[]): Merged {
  return (Object.entries(METRICS) as [MetricId, Metric][]).map(([id, metric]) => {
    const merged = new Map<string, Series>()
    for (const [named, value, counts] of snapshots.flatMap((each) => each[id] ?? [])) {
      // Each process has other series at its bound: their sum has the same bound.
      const isBeyond = merged.size >= metric.mostSeries - 1 && !merged.has(keyOf(named))
      const labels = isBeyond ? named.map(() => OTHER) : named
      const key = keyOf(labels)
      const present = merged.get(key)
      const given = metric.usd ? BigInt(value) : Number(value)
      merged.set(
        key,
        present
          ? {
              labels,
              value: together(metric, present.value, given),
              counts: counts && present.counts?.map((count, place) => count + (counts[place] ?? 0)),
            }
          : { labels, value: given, counts: counts && [...counts] },
      )
    }
    return { metric, series: [...merged.values()] }
  })
}

const keyOf = (labels: readonly string[]): string => labels.join('\u0000')

function together({ kind, merge }: Metric, one: number | bigint, two: number | bigint): number | bigint {
  if (kind === 'gauge' && merge === 'max') return one > two ? one : two
  if (kind === 'gauge' && merge === 'min') return one < two ? one : two
  return typeof one === 'bigint' ? one + BigInt(two) : one + Number(two)
}

/** What a process that has ended leaves: its counters go on counting, its gauges are gone. */
export function withoutGauges(snapshot: Snapshot): Snapshot {
  const entries = Object.entries(snapshot).filter(([id]) => METRICS[id as MetricId].kind !== 'gauge')
  return Object.fromEntries(entries)
}

/** The snapshots of several processes that have ended, as one. */
export function sumOf(snapshots: readonly Snapshot[]): Snapshot {
  const sum: Snapshot = {}
  const ids = Object.keys(METRICS) as MetricId[]
  for (const [place, { series }] of mergeSnapshots(snapshots).entries()) {
    const id = ids[place]
    if (id !== undefined && series.length > 0) sum[id] = series.map(rowOf)
  }
  return sum
}
