// Every upstream with its health now, as this node knows it, and with what was measured on all nodes in the last hours. Other nodes store
// what they measure once a minute.
import type { Upstream } from '../../config/types.ts'
import { percentile } from '../../observe/latency-buckets.ts'
import type { UpstreamCount, UpstreamMeasure } from '../../observe/metrics/upstream-measures.ts'
import { fields, integer, optional } from '../../request/schema/schema.ts'
import { healthOf } from '../../upstreams/health/upstream-health.ts'
import { KINDS } from '../../upstreams/kinds/index.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, operation } from '../operation.ts'
import { UPSTREAM_FIGURES } from '../resources/upstreams.ts'
import { modelsRoutedTo } from './effects.ts'
import { stateOf } from './state.ts'

const HOUR_MS = 3_600_000
/** Counts are kept for two days. */
const MOST_HOURS = 48

export const listUpstreamFigures = operation({
  name: 'upstream figures',
  permission: 'see',
  route: {
    at: 'GET upstream-figures',
    summary: 'Lists upstreams with their health, calls, failures and latencies of the last hours',
    output: UPSTREAM_FIGURES,
    list: true,
    example: { query: 'hours=24' },
  },
  input: fields({ hours: optional(integer({ min: 1, max: MOST_HOURS })) }),
  async run(context, { hours = 24 }) {
    const { storage, config, routing } = context
    const hour = hourOf(storage.now())
    const first = hour - (hours - 1) * HOUR_MS
    const recent = (routing?.measures.recent().counts ?? []).map((count) => ({ hour, ...count }))
    const stored = await storage.upstreams.counts(first)
    const counts = Map.groupBy([...stored, ...recent], ({ upstream }) => upstream)
    const items = []
    for (const upstream of config.upstreams.values())
      items.push(await figuresOf(context, upstream, counts.get(upstream.id) ?? [], first, hours))
    return { items: items.toSorted((one, other) => (one.id < other.id ? -1 : 1)), next: null }
  },
})

const hourOf = (time: number): number => time - (time % HOUR_MS)

type Counts = readonly (UpstreamCount & { hour: number })[]

async function figuresOf(context: OperationContext, upstream: Upstream, counts: Counts, first: number, hours: number) {
  const { id, kind, baseUrl, embedded } = upstream
  const state = await stateOf(context, upstream)
  const reports = context.health?.report(upstream, performance.now())
  const sums = sumsOf(counts)
  return {
    id,
    kind,
    name: KINDS.get(kind)?.name ?? null,
    base_url: embedded ? null : baseUrl,
    models: modelsRoutedTo(context.config, id).length,
    node: state.node,
    switch: state.switch,
    health: state.switch.state === 'enabled' ? healthOf(reports) : state.switch.state,
    keys: state.keys,
    running_requests: state.running_requests,
    ...sums,
    first_token_ms: percentilesOf(counts, ['first_token']),
    total_ms: percentilesOf(counts, ['good']),
    hours: Array.from({ length: hours }, (_, at) => {
      const hour = first + at * HOUR_MS
      return { hour: isoTime(hour), ...sumsOf(counts.filter((each) => each.hour === hour)) }
    }),
  }
}

function sumsOf(counts: Counts) {
  const sum = (measure: UpstreamMeasure) =>
    counts.reduce((all, each) => (each.measure === measure ? all + each.count : all), 0)
  const failed = sum('failed')
  return { requests: sum('good') + failed, failed }
}

/** null: nothing was measured. */
function percentilesOf(counts: Counts, measures: readonly UpstreamMeasure[]) {
  const own = counts.filter(({ measure }) => measures.includes(measure))
  return own.length === 0 ? null : { p50: percentile(own, 50), p95: percentile(own, 95) }
}
