// The text format of Prometheus, version 0.0.4.

import { formatUsd } from '../../money/amount.ts'
import type { Metric, Series } from './metric.ts'
import type { Merged } from './snapshot.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function render(merged: Merged): string {
  return merged
    .filter(({ series }) => series.length > 0)
    .map(({ metric, series }) => {
      const { name, kind, help } = metric
      const lines = series.flatMap((each) =>
        each.counts ? histogramLines(metric, each, each.counts) : line(metric, each),
      )
      return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('\n')}\n`
    })
    .join('')
}

const line = ({ name, labels }: Metric, { labels: values, value }: Series): string =>
  `${name}${labelsOf(labels, values)} ${written(value)}`

/** Each bucket contains those below it. */
function histogramLines({ name, labels, buckets }: Metric, series: Series, counts: readonly number[]): string[] {
  let sum = 0
  const lines = counts.map((count, place) => {
    sum += count
    const limit = buckets[place] === undefined ? '+Inf' : String(buckets[place])
    return `${name}_bucket${labelsOf([...labels, 'le'], [...series.labels, limit])} ${sum}`
  })
  const own = labelsOf(labels, series.labels)
  return [...lines, `${name}_sum${own} ${written(series.value)}`, `${name}_count${own} ${sum}`]
}

const written = (value: number | bigint): string => (typeof value === 'bigint' ? formatUsd(value) : String(value))

function labelsOf(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, place) => `${name}="${escaped(values[place] ?? '')}"`).join(',')}}`
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (each) => (each === '\n' ? '\\n' : `\\${each}`))
